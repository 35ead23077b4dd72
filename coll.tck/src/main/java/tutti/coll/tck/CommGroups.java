package tutti.coll.tck;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;

/**
 * The ranks that plans are made for: two groups that an intercommunicator joins, or the one of an intracommunicator. Places number all ranks,
 * the second group's after the first's. Immutable; safe for any thread.
 */
public final class CommGroups {
    private final int first;
    private final int second;
    private final List<VirtualComm> sides;

    private CommGroups(final int first, final int second, final List<VirtualComm> sides) {
        if (first < 1 || second < 0) {
            throw new IllegalArgumentException("groups out of range: first=" + first + ", second=" + second);
        }
        this.first = first;
        this.second = second;
        this.sides = sides;
    }

    /**
     * Two groups, all ranks on one node.
     *
     * @param inside what serves the collectives within each group
     */
    public static CommGroups of(final int first, final int second, final CollModule inside) {
        final AlgorithmTable table = SingleRankComm.tableOf(inside, new SingleRankComm(Math.max(first, second), false));
        final CommGroups groups = between(first, second, new int[first + second]);
        for (final VirtualComm side : List.of(groups.side(0), groups.side(first))) {
            side.makeLocal().serveBy(Collections.nCopies(side.size(), List.of(table)));
        }
        return groups;
    }

    /** Two groups in which nothing serves yet. */
    static CommGroups between(final int first, final int second, final int... nodes) {
        final int[] left = IntStream.range(0, first).toArray();
        final int[] right = IntStream.range(first, first + second).toArray();
        final VirtualComm here = new VirtualComm("comm", left, right, nodes, null);
        final VirtualComm there = new VirtualComm("comm", right, left, nodes, null);
        return new CommGroups(first, second, IntStream.range(0, first + second).mapToObj(p -> p < first ? here : there).toList());
    }

    /** All ranks on one node. */
    static CommGroups one(final int size) {
        return one(new int[size]);
    }

    /** One group, on these nodes. */
    static CommGroups one(final int... nodes) {
        return new CommGroups(nodes.length, 0, Collections.nCopies(nodes.length, VirtualComm.of(nodes)));
    }

    /** Ranks of the first group, from 1. */
    public int first() {
        return first;
    }

    /** Ranks of the second group; 0 when there is none. */
    public int second() {
        return second;
    }

    /** The communicator as the rank at a place sees it. */
    VirtualComm side(final int place) {
        return sides.get(place);
    }

    boolean isInter() {
        return second > 0;
    }

    int size() {
        return first + second;
    }

    /** The place of rank 0 of the group of {@code place}. */
    int base(final int place) {
        return place < first ? 0 : first;
    }

    int members(final int place) {
        return place < first ? first : second;
    }

    int rank(final int place) {
        return place - base(place);
    }

    /** The place of rank 0 of the group that {@code place} deals with. */
    int remoteBase(final int place) {
        return isInter() && place < first ? first : 0;
    }

    int remoteMembers(final int place) {
        return isInter() && place < first ? second : first;
    }

    /** What a module offers to the rank at {@code place}. */
    <C extends Call> AlgorithmTable.Entry<C> offer(final CollModule module, final Operation<C> operation, final int place) {
        final CollComm comm = new RankComm(side(place), rank(place), Map.of(), new RankComm.Others() { });
        final AlgorithmTable table = switch (module.query(comm)) {
            case QueryResult.Usable u -> initialised(u);
            case QueryResult.Declined d -> throw new IllegalArgumentException("declined: " + d.reason());
        };
        final AlgorithmTable.Entry<C> entry = isInter() ? table.inter(operation) : table.intra(operation);
        if (entry == null) {
            throw new IllegalArgumentException("not offered: operation=" + operation);
        }
        return entry;
    }

    private static AlgorithmTable initialised(final QueryResult.Usable usable) {
        try {
            return usable.instance().init();
        } catch (final Exception e) {
            throw new IllegalArgumentException("init failed: " + e, e);
        }
    }

    @Override
    public String toString() {
        return isInter() ? first + "+" + second : Integer.toString(first);
    }
}
