package tutti.coll.tck;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.plan.PlanComm;

/**
 * A virtual communicator: its ranks plan and never run. Its ranks are indices of the outermost communicator. An intercommunicator is two of these,
 * one for each group. The algorithm tables that serve it are set when they are known.
 */
final class VirtualComm {
    private final String channel;
    private final int[] indices;
    private final int[] remote;
    private final int[] nodes;
    private final VirtualComm parent;
    private VirtualComm local;
    private int splits;
    private List<List<AlgorithmTable>> serving = List.of();

    /**
     * Creates a communicator.
     *
     * @param channel name of its message channel, which only the two sides of an intercommunicator share
     * @param places  index of each of its ranks
     * @param remote  index of each rank of the remote group; null for an intracommunicator
     * @param nodes   the node of each index
     * @param parent  the communicator that it was created from; null for the outermost
     */
    VirtualComm(final String channel, final int[] places, final int[] remote, final int[] nodes, final VirtualComm parent) {
        this.channel = channel;
        this.indices = places;
        this.remote = remote;
        this.nodes = nodes;
        this.parent = parent;
    }

    /** Returns an outermost intracommunicator. */
    static VirtualComm of(final int... nodes) {
        return new VirtualComm("comm", IntStream.range(0, nodes.length).toArray(), null, nodes, null);
    }

    /** Sets the algorithm tables of each rank, in order of preference. */
    void serveBy(final List<List<AlgorithmTable>> tables) {
        serving = tables;
    }

    /** Creates the communicator of the local group of an intercommunicator. */
    VirtualComm makeLocal() {
        local = new VirtualComm(channel + ".local" + indices[0], indices, null, nodes, this);
        return local;
    }

    /** Returns the number of splits so far, and counts one more. */
    int nextSplit() {
        return splits++;
    }

    VirtualComm local() {
        return local;
    }

    VirtualComm parent() {
        return parent;
    }

    String channel() {
        return channel;
    }

    int size() {
        return indices.length;
    }

    boolean isInter() {
        return remote != null;
    }

    int remoteSize() {
        return isInter() ? remote.length : indices.length;
    }

    /** Returns the index of a rank of this group. */
    int index(final int rank) {
        return indices[rank];
    }

    int[] indices() {
        return indices.clone();
    }

    int[] nodes() {
        return nodes;
    }

    /** Returns the index of a rank that the ranks of this group communicate with. */
    int peer(final int rank) {
        return isInter() ? remote[rank] : indices[rank];
    }

    int rankOf(final int index) {
        return IntStream.range(0, indices.length).filter(r -> indices[r] == index).findFirst().orElse(-1);
    }

    int nodeOf(final int rank) {
        return nodes[indices[rank]];
    }

    /** Returns the first algorithm that serves a call on one rank; null if there is none. */
    private <C extends Call> AlgorithmTable.Entry<C> serving(final int rank, final Operation<C> operation, final Reduction reduction) {
        return serving.isEmpty() ? null : serving.get(rank).stream().flatMap(t -> t.everyIntra(operation).stream())
            .filter(e -> e.order().serves(reduction)).findFirst().orElse(null);
    }

    @Override
    public String toString() {
        return channel + Arrays.toString(indices);
    }

    /**
     * The handle of one rank for a communicator.
     *
     * @param comm the communicator
     * @param rank the rank that holds it
     */
    record Group(VirtualComm comm, int rank) implements CollSubComm, PlanComm<Group> {
        @Override
        public int size() {
            return comm.size();
        }

        @Override
        public int parentRank(final int of) {
            return comm.parent.rankOf(comm.index(of));
        }

        @Override
        public boolean isInter() {
            return comm.isInter();
        }

        @Override
        public boolean isOnSameNode(final int peer) {
            return comm.nodeOf(peer) == comm.nodeOf(rank);
        }

        @Override
        public int remoteSize() {
            return comm.remoteSize();
        }

        @Override
        public Group sub(final CollSubComm group) {
            if (group instanceof Group g && g.comm.parent == comm && g.comm.index(g.rank) == comm.index(rank)) {
                return g;
            }
            throw new IllegalArgumentException("not a sub-communicator of this communicator: group=" + group);
        }

        @Override
        public <C extends Call> void plan(final Operation<C> operation, final C call, final Plan plan) {
            final AlgorithmTable.Entry<C> entry = comm.serving(rank, operation, call.reduction());
            if (entry == null) {
                throw new IllegalArgumentException("nothing serves: operation=" + operation + ", group=" + this);
            }
            if (!entry.skipEmpty() || call.sendBytes(rank) + call.recvBytes(rank) > 0) {
                entry.algorithm().plan(call, plan);
            }
        }

        @Override
        public String toString() {
            return comm.toString();
        }
    }
}
