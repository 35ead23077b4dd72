package tutti.coll.basic;

import tutti.coll.CollComm;
import tutti.coll.CollJob;

/** A communicator of one node, as far as a module that needs no more than its size and kind can tell. */
record Comm(int size, boolean isInter) implements CollComm {

    @Override
    public CollJob job() {
        throw new UnsupportedOperationException("no job here");
    }

    @Override
    public String name() {
        return "comm";
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public int remoteSize() {
        return size;
    }

    @Override
    public int nodeOf(final int rank) {
        return 0;
    }
}
