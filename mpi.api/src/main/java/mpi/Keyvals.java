package mpi;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Rank;

/** The attribute keys of one rank. Safe for use by any thread. */
final class Keyvals {
    /** The first number for keys of programs; numbers below are predefined. */
    static final int FIRST_USER_KEYVAL = 10;

    /**
     * An attribute key. Attributes refer to the key itself, so it outlives its number.
     *
     * @param number the program's handle of the key
     * @param kind   the class of the objects that have such attributes
     * @param copy   the copy callback; null to copy values unchanged
     * @param delete the delete callback; null for none
     */
    record Keyval(int number, Class<?> kind, @Nullable AttributeCopy<?> copy, @Nullable AttributeDelete<?> delete) {}

    private final Map<Integer, Keyval> keyvals = new HashMap<>();
    private int next = FIRST_USER_KEYVAL;

    /** Returns the keys of the rank whose program calls, between Init and Finalize. */
    static Keyvals ofCaller() throws MPIException {
        return Bindings.of(ErrorHandling.checkedCaller()).keyvals();
    }

    /** Returns the keys of a rank, between Init and Finalize. */
    static Keyvals of(final Rank rank) throws MPIException {
        InitState.check(rank);
        return Bindings.of(rank).keyvals();
    }

    synchronized <T> int create(final Class<T> kind, final @Nullable AttributeCopy<? super T> copy,
        final @Nullable AttributeDelete<? super T> delete) {
        keyvals.put(next, new Keyval(next, kind, copy, delete));
        return next++;
    }

    /** Frees a number; attributes with its key stay until they are removed. */
    void free(final Class<?> kind, final int number) throws MPIException {
        get(kind, number);
        synchronized (this) {
            keyvals.remove(number);
        }
    }

    /** Returns the key of a number; the key must be for that class of objects. */
    Keyval get(final Class<?> kind, final int number) throws MPIException {
        final Keyval keyval;
        synchronized (this) {
            keyval = keyvals.get(number);
        }
        if (keyval == null || keyval.kind() != kind) {
            throw ErrorHandling.error(MPI.ERR_KEYVAL, number >= 0 && number < FIRST_USER_KEYVAL ? "attribute is predefined: keyval=" + number
                : "no such keyval of a " + kind.getSimpleName() + ": keyval=" + number);
        }
        return keyval;
    }
}
