package tutti.runtime.collective;

import tutti.coll.advanced.CollSubComm;
import tutti.runtime.context.CommContext;

/** A hidden communicator that a module created, or that serves the local group of an intercommunicator. */
final class SubCommunicator implements CollSubComm {
    private final CollectiveEngine engine;
    private final CommContext comm;
    private final int[] parentRanks;
    private final int split;
    private final SubCommunicator original;

    /**
     * Creates a hidden communicator.
     *
     * @param split the number of splits of the outer communicator before the one that created it
     */
    SubCommunicator(final CollectiveEngine engine, final int[] parentRanks, final int split) {
        this.engine = engine;
        this.comm = engine.comm();
        this.parentRanks = parentRanks;
        this.split = split;
        this.original = this;
    }

    private SubCommunicator(final CollectiveEngine engine, final SubCommunicator copied) {
        this.engine = engine;
        this.comm = engine.comm();
        this.parentRanks = copied.parentRanks;
        this.split = copied.split;
        this.original = copied.original;
    }

    /** Creates the hidden communicator that takes the place of this one in a duplicate of the outer communicator. */
    SubCommunicator duplicate(final CommContext outer, final long[] hiddenContexts) {
        final CollectiveEngine duplicate = new CollectiveEngine(comm.duplicateHidden(outer, hiddenContexts[split]),
            engine.table().depth(), engine.table().preferred());
        duplicate.inherit(engine.table());
        duplicate.share(new long[0]);
        return new SubCommunicator(duplicate, this);
    }

    /** Returns the hidden communicator that the modules know, which this is or takes the place of. */
    SubCommunicator original() {
        return original;
    }

    /** Returns the number of splits of the outer communicator before the one that created it. */
    int split() {
        return split;
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
