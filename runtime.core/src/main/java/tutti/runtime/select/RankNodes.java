package tutti.runtime.select;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;

/** The nodes of ranks: for each rank, from 0, the index of its node. Immutable; safe for any thread. */
public final class RankNodes {
    private final int[] nodes;

    private RankNodes(final int[] nodes) {
        this.nodes = nodes;
    }

    /** Returns the nodes of the ranks of a list, in their order. */
    public static RankNodes of(final List<Integer> nodeOfRank) {
        return of(nodeOfRank.size(), nodeOfRank::get);
    }

    /** Returns the nodes of a number of ranks, which a function tells. */
    public static RankNodes of(final int ranks, final IntUnaryOperator nodeOfRank) {
        final int[] nodes = new int[ranks];
        Arrays.setAll(nodes, nodeOfRank);
        return new RankNodes(nodes);
    }

    /** Returns the number of ranks. */
    public int size() {
        return nodes.length;
    }

    /** Returns the node of a rank. */
    public int nodeOf(final int rank) {
        return nodes[rank];
    }

    /** Returns the indices of the nodes that hold ranks. */
    public SortedSet<Integer> distinct() {
        final SortedSet<Integer> distinct = new TreeSet<>();
        for (final int node : nodes) {
            distinct.add(node);
        }
        return distinct;
    }

    /** Returns the number of ranks on each of the nodes that hold ranks. */
    public Collection<Integer> ranksPerNode() {
        final Map<Integer, Integer> ranks = new HashMap<>();
        for (final int node : nodes) {
            ranks.merge(node, 1, Integer::sum);
        }
        return new ArrayList<>(ranks.values());
    }

    /** Returns the same nodes with the numbers 0, 1, …, in the order of their first ranks: these are equal wherever the ranks are. */
    public RankNodes numberedByRank() {
        final Map<Integer, Integer> numbers = new HashMap<>();
        return of(nodes.length, rank -> numbers.computeIfAbsent(nodes[rank], node -> numbers.size()));
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof RankNodes o && Arrays.equals(nodes, o.nodes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(nodes);
    }

    @Override
    public String toString() {
        return Arrays.toString(nodes);
    }
}
