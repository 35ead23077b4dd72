package tutti.coll.tck;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Which node each rank is on.
 *
 * @param nodes node by rank
 */
public record NodeLayout(List<Integer> nodes) {

    /** Refuses no ranks at all; copies the list. */
    public NodeLayout {
        nodes = List.copyOf(nodes);
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("no ranks");
        }
    }

    private static NodeLayout of(final int ranks, final IntUnaryOperator node) {
        return new NodeLayout(IntStream.range(0, ranks).map(node).boxed().toList());
    }

    /** All ranks on one node. */
    public static NodeLayout oneNode(final int ranks) {
        return of(ranks, r -> 0);
    }

    /** As many ranks on each node as on the others, but for one, and one after the other. */
    public static NodeLayout blocks(final int ranks, final int nodes) {
        return of(ranks, r -> (int) ((long) r * nodes / ranks));
    }

    /** Ranks dealt out to the nodes in turn. */
    public static NodeLayout interleaved(final int ranks, final int nodes) {
        return of(ranks, r -> r % nodes);
    }

    /** Nodes of 1, 1, 2, 4, 8 and so on ranks, one after the other. */
    public static NodeLayout uneven(final int ranks) {
        return of(ranks, r -> Integer.SIZE - Integer.numberOfLeadingZeros(r));
    }

    /** One rank on each node. */
    public static NodeLayout apart(final int ranks) {
        return of(ranks, r -> r);
    }

    /** One of each kind, the same ones once. */
    public static Set<NodeLayout> all(final int ranks) {
        final Set<NodeLayout> all = new LinkedHashSet<>(List.of(oneNode(ranks)));
        all.add(blocks(ranks, Math.min(ranks, 2)));
        all.add(interleaved(ranks, Math.min(ranks, 2)));
        all.add(interleaved(ranks, Math.min(ranks, 3)));
        all.add(uneven(ranks));
        all.add(apart(ranks));
        return all;
    }

    /** How many ranks there are. */
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
