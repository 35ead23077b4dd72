package mpi;

import java.util.HashMap;
import java.util.Map;
import tutti.runtime.comm.Rank;

/** The keys of attributes that one rank has made. Safe for any thread. */
final class Keyvals {
    /** Those below are predefined. */
    static final int FIRST = 10;

    /**
     * A key. Attributes keep theirs, so they outlive its number.
     *
     * @param kind   what it serves: the class of the objects that have such attributes
     * @param copy   null to copy values as they are
     * @param delete null for nothing to do
     */
    record Keyval(int number, Class<?> kind, AttributeCopy<?> copy, AttributeDelete<?> delete) { }

    private final Map<Integer, Keyval> keyvals = new HashMap<>();
    private int next = FIRST;

    /** Those of the rank whose program calls, between Init and Finalize. */
    static Keyvals ofCaller() throws MPIException {
        final Rank rank = ErrorHandling.callingRank();
        if (rank == null) {
            throw ErrorHandling.plain(Constants.ERR_OTHER, "the call comes from the program of no rank", null);
        }
        return of(rank);
    }

    /** Those of a rank, between Init and Finalize. */
    static Keyvals of(final Rank rank) throws MPIException {
        InitState.check(rank);
        return Bindings.of(rank).keyvals();
    }

    synchronized <T> int create(final Class<T> kind, final AttributeCopy<? super T> copy, final AttributeDelete<? super T> delete) {
        keyvals.put(next, new Keyval(next, kind, copy, delete));
        return next++;
    }

    /** Makes a number invalid; attributes of it stay until they go by themselves. */
    void free(final Class<?> kind, final int number) throws MPIException {
        get(kind, number);
        synchronized (this) {
            keyvals.remove(number);
        }
    }

    /** The key of a number, which must serve that kind of object. */
    Keyval get(final Class<?> kind, final int number) throws MPIException {
        final Keyval keyval;
        synchronized (this) {
            keyval = keyvals.get(number);
        }
        if (keyval == null || keyval.kind() != kind) {
            throw ErrorHandling.error(Constants.ERR_KEYVAL, number >= 0 && number < FIRST ? "attribute is predefined: keyval=" + number
                : "no such keyval of a " + kind.getSimpleName() + ": keyval=" + number);
        }
        return keyval;
    }
}
