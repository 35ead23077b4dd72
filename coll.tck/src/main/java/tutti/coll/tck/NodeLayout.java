package tutti.coll.tck;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * The placement of ranks on nodes.
 *
 * @param nodes the node of each rank
 */
public record NodeLayout(List<Integer> nodes) {

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if there are no ranks
     */
    public NodeLayout {
        nodes = List.copyOf(nodes);
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("no ranks");
        }
    }

    private static NodeLayout of(final int ranks, final IntUnaryOperator node) {
        return new NodeLayout(IntStream.range(0, ranks).map(node).boxed().toList());
    }

    /** Returns all ranks on one node. */
    public static NodeLayout oneNode(final int ranks) {
        return of(ranks, r -> 0);
    }

    /** Returns consecutive ranks on each node, with node sizes that differ by at most one. */
    public static NodeLayout blocks(final int ranks, final int nodes) {
        return of(ranks, r -> (int) ((long) r * nodes / ranks));
    }

    /** Returns rank r on node r modulo {@code nodes}. */
    public static NodeLayout interleaved(final int ranks, final int nodes) {
        return of(ranks, r -> r % nodes);
    }

    /** Returns consecutive ranks on nodes of 1, 1, 2, 4, 8 and so on ranks. */
    public static NodeLayout uneven(final int ranks) {
        return of(ranks, r -> Integer.SIZE - Integer.numberOfLeadingZeros(r));
    }

    /** Returns one rank on each node. */
    public static NodeLayout onePerNode(final int ranks) {
        return of(ranks, r -> r);
    }

    /**
     * Returns the different layouts of all kinds: one node, blocks on two nodes, interleaved on two and on three nodes, uneven, and one rank per
     * node.
     */
    public static Set<NodeLayout> all(final int ranks) {
        final Set<NodeLayout> all = new LinkedHashSet<>(List.of(oneNode(ranks)));
        all.add(blocks(ranks, Math.min(ranks, 2)));
        all.add(interleaved(ranks, Math.min(ranks, 2)));
        all.add(interleaved(ranks, Math.min(ranks, 3)));
        all.add(uneven(ranks));
        all.add(onePerNode(ranks));
        return all;
    }

    /** Returns the number of ranks. */
    public int ranks() {
        return nodes.size();
    }

    int[] toArray() {
        return nodes.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public String toString() {
        return nodes.toString();
    }
}
