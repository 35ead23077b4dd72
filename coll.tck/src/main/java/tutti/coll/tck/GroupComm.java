package tutti.coll.tck;

import java.util.Map;
import tutti.coll.CollComm;
import tutti.coll.CollGroup;
import tutti.coll.CollJob;

/**
 * A communicator as the rank at one place sees it, all ranks on one node and nobody there to talk to.
 *
 * @param groups its groups
 * @param place  the rank's
 */
record GroupComm(Groups groups, int place) implements CollComm {
    @Override
    public CollJob job() {
        return new SoloComm(groups.size(), false, Map.of()).job();
    }

    @Override
    public String name() {
        return "comm";
    }

    @Override
    public int rank() {
        return groups.rank(place);
    }

    @Override
    public int size() {
        return groups.members(place);
    }

    @Override
    public boolean isInter() {
        return groups.isInter();
    }

    @Override
    public int remoteSize() {
        return groups.remoteMembers(place);
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

    @Override
    public CollGroup local() {
        if (!isInter()) {
            throw new IllegalStateException("only an intercommunicator has a local group apart from itself");
        }
        return new LocalGroup(rank(), size());
    }
}
