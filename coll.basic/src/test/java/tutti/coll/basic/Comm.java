package tutti.coll.basic;

import tutti.coll.CollComm;
import tutti.coll.CollGroup;
import tutti.coll.CollJob;
import tutti.coll.CollModule;
import tutti.coll.Table;
import tutti.coll.Verdict;

/** A communicator of one node, as far as a module that needs no more than its size and kind can tell. */
record Comm(int size, boolean isInter) implements CollComm {

    /** What a module offers on an intracommunicator. */
    static Table tableOf(final CollModule module) {
        return ((Verdict.Usable) module.query(new Comm(4, false))).instance().table();
    }

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

    @Override
    public void send(final byte[] data, final int peer) {
        throw new IllegalStateException("nobody is there to receive");
    }

    @Override
    public void recv(final byte[] into, final int peer) {
        throw new IllegalStateException("nobody is there to send");
    }

    @Override
    public CollGroup split(final int color, final int key) {
        throw new IllegalStateException("nobody is there to split with");
    }
}
