package tutti.runtime.collective;

import tutti.coll.CollSubComm;
import tutti.runtime.context.CommContext;

/** A hidden communicator that a module created, or that serves the local group of an intercommunicator. */
final class SubCommunicator implements CollSubComm {
    private final CollectiveEngine engine;
    private final CommContext comm;
    private final int[] parentRanks;

    SubCommunicator(final CollectiveEngine engine, final int[] parentRanks) {
        this.engine = engine;
        this.comm = engine.comm();
        this.parentRanks = parentRanks;
    }

    /** Returns the engine of its collectives. */
    CollectiveEngine engine() {
        return engine;
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
