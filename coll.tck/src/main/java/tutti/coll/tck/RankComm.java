package tutti.coll.tck;

import java.util.List;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.CollJob;
import tutti.coll.Level;
import tutti.coll.Operation;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;

/**
 * The communicator of one rank during a module's query and set-up.
 *
 * @param comm       the communicator
 * @param rank       the rank that holds it
 * @param parameters of the job, dotted name to value
 * @param peers     access to the other ranks
 */
record RankComm(VirtualComm comm, int rank, Map<String, String> parameters, Peers peers) implements SetupComm {

    /** Access of a rank to the other ranks. Without an implementation there are no other ranks, and every method fails. */
    interface Peers {
        default void send(final int peer, final byte[] data) {
            throw new IllegalStateException("send is not available: there is no other rank");
        }

        default void recv(final int peer, final byte[] into) {
            throw new IllegalStateException("recv is not available: there is no other rank");
        }

        default void allreduce(final long[] values, final LongBinaryOperator operator) {
            throw new IllegalStateException("barrier and allreduce are not available: there is no other rank");
        }

        default @Nullable CollSubComm split(final String name, final int color, final int key, final boolean isOthers) {
            throw new IllegalStateException("split is not available: there is no other rank");
        }

        default <C extends Call> Algorithm<C> algorithm(final Operation<C> operation, final String name) {
            throw new IllegalStateException("there is no other module: name=" + name);
        }
    }

    @Override
    public CollJob job() {
        return new SingleRankComm(comm.layout().ranks(), false, parameters).job();
    }

    @Override
    public System.Logger logger() {
        return SilentLogger.INSTANCE;
    }

    @Override
    public String name() {
        return comm.channel();
    }

    @Override
    public Origin origin() {
        return comm.parent() == null ? Origin.PREDEFINED : Origin.HIDDEN;
    }

    @Override
    public @Nullable String parent() {
        final VirtualComm parent = comm.parent();
        return parent == null ? null : parent.channel();
    }

    @Override
    public int size() {
        return comm.size();
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
    public List<Level> levels() {
        return comm.levels();
    }

    @Override
    public boolean isInter() {
        return comm.isInter();
    }

    @Override
    public void send(final byte[] data, final int peer) {
        peers.send(checked(peer), data);
    }

    @Override
    public void recv(final byte[] into, final int peer) {
        peers.recv(checked(peer), into);
    }

    private int checked(final int peer) {
        if (peer < 0 || peer >= remoteSize()) {
            throw new IllegalArgumentException("peer out of range: peer=" + peer + ", size=" + remoteSize());
        }
        return comm.peer(peer);
    }

    @Override
    public void barrier() {
        peers.allreduce(new long[0], Long::sum);
    }

    @Override
    public void allreduce(final long[] values, final LongBinaryOperator operator) {
        peers.allreduce(values, operator);
    }

    @Override
    public @Nullable CollSubComm split(final String name, final int color, final int key, final String... modules) {
        if (isInter()) {
            throw new IllegalStateException("an intercommunicator cannot be split");
        }
        return peers.split(name, color, key, modules.length > 0);
    }

    @Override
    public <C extends Call> Algorithm<C> algorithm(final Operation<C> operation, final String name) {
        return peers.algorithm(operation, name);
    }

    @Override
    public CollSubComm local() {
        if (!isInter()) {
            throw new IllegalStateException("only an intercommunicator has a local group");
        }
        return new VirtualComm.Group(comm.local(), rank);
    }
}
