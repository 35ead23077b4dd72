package mpi;

import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.error.MpiFailure;

/** A communicator of two groups: messages go to ranks of the other group, collective operations from one group to the other. */
public final class Intercomm extends Comm {

    Intercomm(final Communicator handle, final String name) {
        super(handle, name);
    }

    @Override
    Intercomm like(final Communicator other) {
        return new Intercomm(other, "");
    }

    /** As {@link #dup}. */
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

    /** Ranks in the other group. */
    public int getRemoteSize() throws MPIException {
        checkUsable();
        return handle.remoteSize();
    }

    /** The other group. */
    public Group getRemoteGroup() throws MPIException {
        checkUsable();
        return new Group(handle.remoteGroup(), handle.owner().worldRank());
    }

    /** Makes a communicator of all ranks of both groups: a group that is not high comes before one that is. All ranks of a group say the same. */
    public Intracomm merge(final boolean high) throws MPIException {
        checkUsable();
        try {
            final Intracomm merged = new Intracomm(handle.merge(high), "");
            merged.errhandler = errhandler;
            return merged;
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Makes a communicator for each colour that both groups have, its ranks in the order of key. Not in Open MPI's bindings.
     *
     * @param color from 0, or {@code MPI.UNDEFINED} to take no part
     * @return one for which {@link #isNull} holds when this rank is in none
     */
    public Intercomm split(final int color, final int key) throws MPIException {
        checkUsable();
        try {
            return made(handle.split(color, key));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Makes a communicator of some of the ranks: {@code group} has those of this rank's group. Not in Open MPI's bindings. */
    public Intercomm create(final Group group) throws MPIException {
        checkUsable();
        final tutti.runtime.comm.Group members = Group.of(group);
        try {
            return made(handle.create(members));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private Intercomm made(final Communicator other) {
        final Intercomm comm = other == null ? nothing(handle.owner()) : like(other);
        comm.errhandler = errhandler;
        return comm;
    }

    private static Intercomm nothing(final Rank rank) {
        return new Intercomm(rank.noCommunicator(), "MPI_COMM_NULL");
    }

    /** The communicator with those who have started this job's ranks out of a program; nobody does, so {@link #isNull} holds for it. */
    public static Intercomm getParent() throws MPIException {
        final Rank rank = ErrorHandling.callingRank();
        if (rank == null) {
            throw ErrorHandling.plain(Constants.ERR_OTHER, "the call comes from the program of no rank", null);
        }
        InitState.check(rank);
        return nothing(rank);
    }
}
