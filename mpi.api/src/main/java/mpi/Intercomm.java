package mpi;

import java.net.Socket;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.model.MpiFailure;

/** A communicator of two groups: messages are sent to ranks of the remote group, and collective operations transfer data between the groups. */
public final class Intercomm extends Comm {

    Intercomm(final Communicator handle, final String name) {
        super(handle, name);
    }

    @Override
    Intercomm wrap(final Communicator other) {
        return new Intercomm(other, "");
    }

    /** Duplicates this communicator as {@link #dup} does. */
    @Override
    public Intercomm clone() {
        return (Intercomm) super.clone();
    }

    @Override
    public Intercomm dup() throws MPIException {
        return (Intercomm) super.dup();
    }

    @Override
    public Intercomm iDup() throws MPIException {
        return (Intercomm) super.iDup();
    }

    @Override
    public Intercomm dupWithInfo(final Info hints) throws MPIException {
        return (Intercomm) super.dupWithInfo(hints);
    }

    @Override
    public Intercomm shrink() throws MPIException {
        return (Intercomm) super.shrink();
    }

    @Override
    Intercomm shrunk(final Communicator made) {
        return wrap(made);
    }

    /** Returns the number of ranks in the remote group. */
    public int getRemoteSize() throws MPIException {
        checkReady();
        return handle.remoteSize();
    }

    /** Returns the remote group. */
    public Group getRemoteGroup() throws MPIException {
        checkReady();
        return new Group(handle.remoteGroup(), handle.owner().worldRank());
    }

    /**
     * Creates an intracommunicator of all ranks of both groups.
     *
     * @param high whether this group is ordered after the other one; all ranks of a group must pass the same value
     */
    public Intracomm merge(final boolean high) throws MPIException {
        checkUsable();
        try {
            return inheritErrhandler(new Intracomm(handle.merge(high), ""));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Partitions both groups: creates an intercommunicator for each colour that both groups have. Not in Open MPI's bindings. All ranks must call
     * it.
     *
     * @param color colour from 0, or {@code MPI.UNDEFINED} to take no part
     * @param key   determines the order of ranks
     * @return the new communicator; one for which {@link #isNull} returns true if this rank is in none
     */
    public Intercomm split(final int color, final int key) throws MPIException {
        checkUsable();
        try {
            return wrapOrNull(handle.split(color, key));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Creates an intercommunicator of a subset of the ranks. Not in Open MPI's bindings. All ranks must call it.
     *
     * @param group the members from this rank's group
     */
    public Intercomm create(final Group group) throws MPIException {
        checkUsable();
        final tutti.runtime.model.Group members = Group.of(group);
        try {
            return wrapOrNull(handle.create(members));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private Intercomm wrapOrNull(final @Nullable Communicator other) {
        return inheritErrhandler(other == null ? nullComm(handle.owner()) : wrap(other));
    }

    static Intercomm nullComm(final Rank rank) {
        return new Intercomm(rank.nullCommunicator(), "MPI_COMM_NULL");
    }

    /** Returns the communicator to the processes that spawned this job; one for which {@link #isNull} returns true if none did. */
    public static Intercomm getParent() throws MPIException {
        return Bindings.of(ErrorHandling.checkedCaller()).parent();
    }

    /**
     * Creates an intercommunicator with the process at the other end of a socket, which calls this as well: of the same job, of another job or of
     * another cluster. Fails when the other process does not call it within a minute. Messages do not use the socket.
     *
     * @param socket connected, in blocking mode, and without data that was not read; it stays open and may be used again afterwards
     */
    public static Intercomm join(final Socket socket) throws MPIException {
        final Bindings bindings = Bindings.of(ErrorHandling.checkedCaller());
        final Intracomm self = bindings.self();
        try {
            return self.inheritErrhandler(new Intercomm(self.handle.join(socket), ""));
        } catch (final MpiFailure e) {
            throw ErrorHandling.on(bindings.world(), e);
        }
    }
}
