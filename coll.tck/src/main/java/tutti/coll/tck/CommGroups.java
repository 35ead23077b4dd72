package tutti.coll.tck;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;

/**
 * The ranks that plans are made for: the two groups of an intercommunicator, or the one group of an intracommunicator. An index numbers all ranks:
 * those of the first group, then those of the second. Immutable; safe for any thread.
 */
public final class CommGroups {
    private final int first;
    private final int second;
    private final List<VirtualComm> comms;

    private CommGroups(final int first, final int second, final List<VirtualComm> sides) {
        this.first = first;
        this.second = second;
        this.comms = sides;
    }

    /**
     * Returns two groups whose ranks are all on one node.
     *
     * @param first  number of ranks of the first group
     * @param second number of ranks of the second group
     * @param inside the module that serves collectives within each group
     * @throws IllegalArgumentException if a group is empty, or {@code inside} declines
     */
    public static CommGroups of(final int first, final int second, final CollModule inside) {
        final AlgorithmTable table = SingleRankComm.tableOf(inside, new SingleRankComm(Math.max(first, second), false));
        final CommGroups groups = inter(first, second, NodeLayout.oneNode(first + second));
        for (final VirtualComm comm : List.of(groups.comm(0), groups.comm(first))) {
            comm.local().serveBy(Collections.nCopies(comm.size(), List.of(table)));
        }
        return groups;
    }

    /** Returns two groups within which no module serves yet. */
    static CommGroups inter(final int first, final int second, final NodeLayout layout) {
        if (first < 1 || second < 1) {
            throw new IllegalArgumentException("groups out of range: first=" + first + ", second=" + second);
        }
        final int[] firstRanks = IntStream.range(0, first).toArray();
        final int[] secondRanks = IntStream.range(first, first + second).toArray();
        final VirtualComm ofFirst = VirtualComm.between(firstRanks, secondRanks, layout);
        final VirtualComm ofSecond = VirtualComm.between(secondRanks, firstRanks, layout);
        return new CommGroups(first, second, IntStream.range(0, first + second).mapToObj(p -> p < first ? ofFirst : ofSecond).toList());
    }

    /** Returns one group whose ranks are all on one node. */
    static CommGroups intra(final int size) {
        if (size < 1) {
            throw new IllegalArgumentException("ranks out of range: ranks=0, min=1");
        }
        return intra(NodeLayout.oneNode(size));
    }

    /** Returns one group with that layout. */
    static CommGroups intra(final NodeLayout layout) {
        return new CommGroups(layout.ranks(), 0, Collections.nCopies(layout.ranks(), VirtualComm.of(layout)));
    }

    /** Returns the number of ranks of the first group, at least 1. */
    public int first() {
        return first;
    }

    /** Returns the number of ranks of the second group; 0 for an intracommunicator. */
    public int second() {
        return second;
    }

    /** Returns the communicator of the rank at an index. */
    VirtualComm comm(final int index) {
        return comms.get(index);
    }

    boolean isInter() {
        return second > 0;
    }

    int size() {
        return first + second;
    }

    /** Returns the index of rank 0 of the group of {@code index}. */
    int base(final int index) {
        return index < first ? 0 : first;
    }

    int members(final int index) {
        return index < first ? first : second;
    }

    int rank(final int index) {
        return index - base(index);
    }

    /** Returns the index of rank 0 of the group that {@code index} communicates with. */
    int remoteBase(final int index) {
        return isInter() && index < first ? first : 0;
    }

    int remoteMembers(final int index) {
        return isInter() && index < first ? second : first;
    }

    /** Returns the operations that these groups have. */
    List<? extends Operation<?>> operations() {
        return Operation.values().stream().filter(o -> !isInter() || o.onIntercommunicators()).toList();
    }

    /**
     * Returns the first algorithm that a module offers for an operation to each rank, by index.
     *
     * @param instances receives the module's instances, which have to be closed when the algorithms are not used any more
     * @throws IllegalArgumentException if the module declines, its set-up fails, or it does not offer the operation
     */
    <C extends Call> List<AlgorithmTable.Entry<C>> entries(final CollModule module, final Operation<C> operation,
        final InitializedInstances instances) {
        return IntStream.range(0, size()).mapToObj(p -> entry(module, operation, p, instances)).toList();
    }

    private <C extends Call> AlgorithmTable.Entry<C> entry(final CollModule module, final Operation<C> operation, final int index,
        final InitializedInstances instances) {
        final CollComm rankComm = new RankComm(comm(index), rank(index), Map.of(), new RankComm.Peers() {});
        final AlgorithmTable table = switch (module.query(rankComm)) {
            case QueryResult.Usable u -> initialized(u.instance(), instances);
            case QueryResult.Declined d -> throw new IllegalArgumentException("declined: " + d.reason());
        };
        final AlgorithmTable.Entry<C> entry = isInter() ? table.inter(operation) : table.intra(operation);
        if (entry == null) {
            throw new IllegalArgumentException("not offered: operation=" + operation);
        }
        return entry;
    }

    private static AlgorithmTable initialized(final CollInstance instance, final InitializedInstances instances) {
        try {
            return instances.init(instance);
        } catch (final Exception e) {
            throw new IllegalArgumentException("init failed: " + e, e);
        }
    }

    @Override
    public String toString() {
        return isInter() ? first + "+" + second : Integer.toString(first);
    }
}
