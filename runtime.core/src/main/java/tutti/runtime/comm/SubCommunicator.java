package tutti.runtime.comm;

import tutti.coll.CollSubComm;

/** A hidden communicator that a module created, or that serves the local group of an intercommunicator. */
final class SubCommunicator implements CollSubComm {
    private final Communicator comm;
    private final int[] parentRanks;

    SubCommunicator(final Communicator comm, final int[] parentRanks) {
        this.comm = comm;
        this.parentRanks = parentRanks;
    }

    Communicator comm() {
        return comm;
    }

    @Override
    public int rank() {
        return comm.rank();
    }

    @Override
    public int size() {
        return comm.size();
    }

    @Override
    public int parentRank(final int rank) {
        return parentRanks[rank];
    }

    @Override
    public String toString() {
        return comm.name();
    }
}
