package mpi;

import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Rank;
import tutti.runtime.model.Reserved;

/** The attributes of a communicator: values that programs cache on it, and the predefined attributes of MPI. As thread-safe as {@link Attributes}. */
final class CommAttributes {
    private final Comm comm;
    private final Attributes<Comm> cached;

    CommAttributes(final Comm comm) {
        this.comm = comm;
        this.cached = new Attributes<>(comm);
    }

    void set(final int keyval, final @Nullable Object value) throws MPIException {
        comm.checkReady();
        final Keyvals keyvals = Keyvals.of(comm.handle.owner());
        cached.set(checked(keyvals, keyvals.findUsable(Comm.class, keyval), keyval), value);
    }

    @Nullable
    Object get(final int keyval) throws MPIException {
        comm.checkReady();
        final Rank rank = comm.handle.owner();
        return switch (keyval) {
            case MPI.TAG_UB -> Reserved.TAG_UB;
            case MPI.HOST -> Reserved.PROC_NULL;
            case MPI.IO -> Reserved.ANY_SOURCE;
            case MPI.WTIME_IS_GLOBAL -> false;
            case MPI.APPNUM -> rank.programIndex();
            case MPI.LASTUSEDCODE -> Bindings.of(rank).errorCodes().lastUsed();
            case MPI.UNIVERSE_SIZE -> rank.universeSize();
            default -> cached.get(key(keyval));
        };
    }

    void delete(final int keyval) throws MPIException {
        cached.delete(key(keyval));
    }

    /** Deletes all cached values, the last one first. */
    void clear() throws MPIException {
        cached.clear();
    }

    /** Copies the cached values to a duplicate of the communicator as their keys define. */
    void copyTo(final Comm duplicate) throws MPIException {
        cached.copyTo(duplicate.attributes.cached);
    }

    private Keyvals.Keyval key(final int keyval) throws MPIException {
        comm.checkReady();
        final Keyvals keyvals = Keyvals.of(comm.handle.owner());
        return checked(keyvals, keyvals.find(Comm.class, keyval), keyval);
    }

    private Keyvals.Keyval checked(final Keyvals keyvals, final Keyvals.@Nullable Keyval found, final int keyval) throws MPIException {
        if (found == null) {
            throw comm.raise(MPI.ERR_KEYVAL, keyvals.problem(Comm.class, keyval));
        }
        return found;
    }
}
