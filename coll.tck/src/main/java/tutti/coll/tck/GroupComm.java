package tutti.coll.tck;

import java.util.Map;
import tutti.coll.CollComm;
import tutti.coll.CollGroup;
import tutti.coll.CollJob;

/**
 * A communicator as one rank sees it, with nobody there to talk to.
 *
 * @param comm which
 * @param rank whose
 */
record GroupComm(VirtualComm comm, int rank) implements CollComm {
    @Override
    public CollJob job() {
        return new SoloComm(comm.nodes().length, false, Map.of()).job();
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

    @Override
    public CollGroup local() {
        if (!isInter()) {
            throw new IllegalStateException("only an intercommunicator has a local group apart from itself");
        }
        return new VirtualComm.Group(comm.local(), rank);
    }
}
