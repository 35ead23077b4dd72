package tutti.coll.tck;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Level;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.plan.PlanComm;

/**
 * A virtual communicator: its ranks plan and never run. Its ranks are indices of the outermost communicator. An intercommunicator is two of these,
 * one for each group. The algorithm tables that serve it are set when they are known.
 */
final class VirtualComm {
    private final String channel;
    private final int[] indices;
    private final int[] peers;
    private final NodeLayout layout;
    private final @Nullable VirtualComm parent;
    private final VirtualComm local;
    private List<List<AlgorithmTable>> serving = List.of();

    /**
     * Creates a communicator.
     *
     * @param channel name of its message channel, which only the two sides of an intercommunicator share
     * @param places  index of each of its ranks
     * @param peers   index of each rank that its ranks communicate with; for an intracommunicator {@code places} itself
     * @param layout  the node of each index, and its domain at each level
     * @param parent  the communicator that it was created from; null for the outermost
     */
    private VirtualComm(final String channel, final int[] places, final int[] peers, final NodeLayout layout,
        final @Nullable VirtualComm parent) {
        this.channel = channel;
        this.indices = places;
        this.peers = peers;
        this.layout = layout;
        this.parent = parent;
        this.local = peers == places ? this : new VirtualComm(channel + "/local" + places[0], places, places, layout, this);
    }

    /** Returns an outermost intracommunicator. */
    static VirtualComm of(final NodeLayout layout) {
        final int[] indices = IntStream.range(0, layout.ranks()).toArray();
        return new VirtualComm("comm", indices, indices, layout, null);
    }

    /** Returns the side of an outermost intercommunicator on which the ranks of one group communicate with those of another. */
    static VirtualComm between(final int[] group, final int[] remote, final NodeLayout layout) {
        return new VirtualComm("comm", group, remote, layout, null);
    }

    /** Creates a communicator of some of this group's ranks. */
    VirtualComm sub(final String name, final int... places) {
        return new VirtualComm(channel + "/" + name, places, places, layout, this);
    }

    /** Sets the algorithm tables of each rank, in order of preference. */
    void serveBy(final List<List<AlgorithmTable>> tables) {
        serving = tables;
    }

    /** Returns the communicator that it was created from; null for the outermost. */
    @Nullable
    VirtualComm parent() {
        return parent;
    }

    /** Returns the communicator of the local group; of an intracommunicator itself. */
    VirtualComm local() {
        return local;
    }

    String channel() {
        return channel;
    }

    int size() {
        return indices.length;
    }

    boolean isInter() {
        return peers != indices;
    }

    int remoteSize() {
        return peers.length;
    }

    /** Returns the index of a rank of this group. */
    int index(final int rank) {
        return indices[rank];
    }

    int[] indices() {
        return indices.clone();
    }

    /** Returns the node of each index, and its domain at each level. */
    NodeLayout layout() {
        return layout;
    }

    /** Returns the node of an index. */
    int nodeAt(final int index) {
        return layout.nodes().get(index);
    }

    /** Returns the levels of locality of this group. */
    List<Level> levels() {
        return layout.levels().stream().map(level -> level.of(indices)).toList();
    }

    /** Returns the index of a rank that the ranks of this group communicate with. */
    int peer(final int rank) {
        return peers[rank];
    }

    int rankOf(final int index) {
        return IntStream.range(0, indices.length).filter(r -> indices[r] == index).findFirst().orElse(-1);
    }

    int nodeOf(final int rank) {
        return nodeAt(indices[rank]);
    }

    /** Returns the first algorithm that serves a call on one rank. */
    private <C extends Call> Optional<AlgorithmTable.Entry<C>> serving(final int rank, final Operation<C> operation,
        final @Nullable Reduction reduction) {
        return serving.isEmpty() ? Optional.empty() : serving.get(rank).stream().flatMap(t -> t.everyIntra(operation).stream())
            .filter(e -> e.order().serves(reduction)).findFirst();
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
            return Objects.requireNonNull(comm.parent, "not a sub-communicator").rankOf(comm.index(of));
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
            final AlgorithmTable.Entry<C> entry = comm.serving(rank, operation, call.reduction())
                .orElseThrow(() -> new IllegalArgumentException("nothing serves: operation=" + operation + ", group=" + this));
            if (!operation.skipsEmpty() || call.sendBytes(rank) + call.recvBytes(rank) > 0) {
                entry.algorithm().plan(call, plan);
            }
        }

        @Override
        public String toString() {
            return comm.toString();
        }
    }
}
