package tutti.coll.tck;

import java.util.Map;
import tutti.coll.CollComm;
import tutti.coll.CollJob;
import tutti.coll.CollSubComm;

/**
 * A communicator as one rank sees it while a module is asked and set up there.
 *
 * @param comm       which
 * @param rank       whose
 * @param parameters of the job
 * @param others     the other ranks
 */
record RankComm(VirtualComm comm, int rank, Map<String, String> parameters, Others others) implements CollComm {

    /** What a rank can do with the others; by default nobody is there. */
    interface Others {
        default void send(final int peer, final byte[] data) {
            throw new IllegalStateException("nobody is there to receive");
        }

        default void recv(final int peer, final byte[] into) {
            throw new IllegalStateException("nobody is there to send");
        }

        default CollSubComm split(final int color, final int key) {
            throw new IllegalStateException("nobody is there to split with");
        }
    }

    @Override
    public CollJob job() {
        return new SingleRankComm(comm.nodes().length, false, parameters).job();
    }

    @Override
    public String name() {
        return comm.channel();
    }

    @Override
    public int size() {
        return comm.size();
    }

    @Override
    public boolean isInter() {
        return comm.isInter();
    }

    @Override
    public int remoteSize() {
        return comm.remoteSize();
    }

    @Override
    public int nodeOf(final int of) {
        return comm.nodeOf(of);
    }

    @Override
    public void send(final byte[] data, final int peer) {
        others.send(checked(peer), data);
    }

    @Override
    public void recv(final byte[] into, final int peer) {
        others.recv(checked(peer), into);
    }

    private int checked(final int peer) {
        if (peer < 0 || peer >= remoteSize()) {
            throw new IllegalArgumentException("peer out of range: peer=" + peer + ", size=" + remoteSize());
        }
        return comm.peer(peer);
    }

    @Override
    public CollSubComm split(final int color, final int key) {
        if (isInter()) {
            throw new IllegalStateException("an intercommunicator cannot be split");
        }
        return others.split(color, key);
    }

    @Override
    public CollSubComm local() {
        if (!isInter()) {
            throw new IllegalStateException("only an intercommunicator has a local group apart from itself");
        }
        return new VirtualComm.Group(comm.local(), rank);
    }
}
