package tutti.coll.tck;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Reduction;

/**
 * A communicator whose ranks plan and never run. Its ranks are places of the outermost communicator; of an intercommunicator each side is
 * one of these. What serves it is told once it is known.
 */
final class VirtualComm {
    private final String channel;
    private final int[] places;
    private final int[] remote;
    private final int[] nodes;
    private final VirtualComm parent;
    private VirtualComm local;
    private int splits;
    private List<List<AlgorithmTable>> serving = List.of();

    /**
     * A communicator.
     *
     * @param channel where its messages go: a name that no other communicator has but the other side of an intercommunicator
     * @param places  its ranks
     * @param remote  whom they deal with; null when with each other
     * @param nodes   by place
     * @param parent  what it was made of; null for the outermost
     */
    VirtualComm(final String channel, final int[] places, final int[] remote, final int[] nodes, final VirtualComm parent) {
        this.channel = channel;
        this.places = places;
        this.remote = remote;
        this.nodes = nodes;
        this.parent = parent;
    }

    /** An intracommunicator that knows no other. */
    static VirtualComm of(final int... nodes) {
        return new VirtualComm("comm", IntStream.range(0, nodes.length).toArray(), null, nodes, null);
    }

    /** Says what serves it: for each rank tables, the first that offers something that can serves. */
    void serveBy(final List<List<AlgorithmTable>> tables) {
        serving = tables;
    }

    /** Makes the communicator of the own group of an intercommunicator. */
    VirtualComm makeLocal() {
        local = new VirtualComm(channel + ".local" + places[0], places, null, nodes, this);
        return local;
    }

    /** Counts how often it was split. */
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
        return places.length;
    }

    boolean isInter() {
        return remote != null;
    }

    int remoteSize() {
        return isInter() ? remote.length : places.length;
    }

    /** The place of a rank of this group. */
    int place(final int rank) {
        return places[rank];
    }

    int[] places() {
        return places.clone();
    }

    int[] nodes() {
        return nodes;
    }

    /** The place of a rank that those of this group deal with. */
    int peer(final int rank) {
        return isInter() ? remote[rank] : places[rank];
    }

    int rankOf(final int place) {
        return IntStream.range(0, places.length).filter(r -> places[r] == place).findFirst().orElse(-1);
    }

    int nodeOf(final int rank) {
        return nodes[places[rank]];
    }

    /** What serves a call on one rank; null for nothing. */
    <C extends Call> AlgorithmTable.Entry<C> serving(final int rank, final Operation<C> operation, final Reduction reduction) {
        return serving.isEmpty() ? null : serving.get(rank).stream().flatMap(t -> t.everyIntra(operation).stream())
            .filter(e -> e.order().serves(reduction)).findFirst().orElse(null);
    }

    @Override
    public String toString() {
        return channel + Arrays.toString(places);
    }

    /**
     * A communicator as one of its ranks holds it.
     *
     * @param comm which
     * @param rank whose
     */
    record Group(VirtualComm comm, int rank) implements CollSubComm {
        @Override
        public int size() {
            return comm.size();
        }

        @Override
        public int parentRank(final int of) {
            return comm.parent.rankOf(comm.place(of));
        }

        @Override
        public String toString() {
            return comm.toString();
        }
    }
}
