package mpi;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Rank;

/** The attribute keys of one rank. Safe for use by any thread. */
final class Keyvals {
    /** The first number for keys of programs; numbers below are predefined. */
    static final int FIRST_USER_KEYVAL = 10;

    /** An attribute key. It can be freed while objects have attributes with it, and is then known until the last of these is removed. */
    final class Keyval {
        private final int number;
        private final Class<?> kind;
        private final @Nullable AttributeCopy<?> copy;
        private final @Nullable AttributeDelete<?> delete;
        /** Number of attributes with this key; guarded by the keys of the rank. */
        private int attributes;
        private boolean isFreed;

        private Keyval(final int number, final Class<?> kind, final @Nullable AttributeCopy<?> copy, final @Nullable AttributeDelete<?> delete) {
            this.number = number;
            this.kind = kind;
            this.copy = copy;
            this.delete = delete;
        }

        /** Returns the program's handle of the key. */
        int number() {
            return number;
        }

        /** Returns the copy callback; null to copy nothing. */
        @Nullable
        AttributeCopy<?> copy() {
            return copy;
        }

        /** Returns the delete callback; null for none. */
        @Nullable
        AttributeDelete<?> delete() {
            return delete;
        }

        /** Counts an attribute that was added. */
        void added() {
            synchronized (Keyvals.this) {
                attributes++;
            }
        }

        /** Counts an attribute that was removed. */
        void removed() {
            synchronized (Keyvals.this) {
                attributes--;
                forgetIfUnused();
            }
        }

        private void forgetIfUnused() {
            if (isFreed && attributes == 0) {
                keyvals.remove(number);
            }
        }
    }

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

    /** Frees a key; it stays known while objects have attributes with it. */
    void free(final Class<?> kind, final int number) throws MPIException {
        if (!tryFree(kind, number)) {
            throw ErrorHandling.error(MPI.ERR_KEYVAL, problem(kind, number));
        }
    }

    private synchronized boolean tryFree(final Class<?> kind, final int number) {
        final Keyval keyval = findUsable(kind, number);
        if (keyval == null) {
            return false;
        }
        keyval.isFreed = true;
        keyval.forgetIfUnused();
        return true;
    }

    /** Returns a key for that class of objects, which may be freed while attributes have it; null if there is none. */
    synchronized @Nullable Keyval find(final Class<?> kind, final int number) {
        final Keyval keyval = keyvals.get(number);
        return keyval == null || keyval.kind != kind ? null : keyval;
    }

    /** Returns a key for that class of objects that was not freed; null if there is none. */
    synchronized @Nullable Keyval findUsable(final Class<?> kind, final int number) {
        final Keyval keyval = find(kind, number);
        return keyval == null || keyval.isFreed ? null : keyval;
    }

    /** Returns why a key of that class of objects was not found, as the message of an error of class {@code ERR_KEYVAL}. */
    String problem(final Class<?> kind, final int number) {
        // Cause: `MPI.TAG_UB` and its like cannot be changed. Remedy: a key of `createKeyval`.
        return number >= 0 && number < FIRST_USER_KEYVAL ? "attribute is predefined: keyval=" + number
            // Remedy: free it after its last use.
            : find(kind, number) != null ? "keyval was freed: keyval=" + number
            // Cause: keys of communicators and datatypes are different. Remedy: the number that `createKeyval` of the class gave.
            : "no such keyval of a " + kind.getSimpleName() + ": keyval=" + number;
    }
}
