package tutti.coll.tck;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import tutti.coll.Level;

/**
 * The placement of ranks on nodes, and at the other levels of locality.
 *
 * @param nodes  the node of each rank
 * @param levels the levels of locality, the innermost first
 */
public record NodeLayout(List<Integer> nodes, List<Level> levels) {

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if there are no ranks
     */
    public NodeLayout {
        nodes = List.copyOf(nodes);
        levels = List.copyOf(levels);
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("no ranks");
        }
    }

    /**
     * Creates a layout with levels of all kinds: two ranks of a node have a socket, two nodes are JVMs of one host, and two hosts have a switch.
     *
     * @param nodes the node of each rank
     */
    public NodeLayout(final List<Integer> nodes) {
        this(nodes, List.of(Level.of(Level.SOCKET, sockets(nodes)), Level.of(Level.JVM, nodes),
            Level.of(Level.HOST, nodes.stream().map(n -> n / 2).toList()), Level.of(Level.switches(1), nodes.stream().map(n -> n / 4).toList())));
    }

    private static List<List<Integer>> sockets(final List<Integer> nodes) {
        final Map<Integer, Integer> ranks = new HashMap<>();
        return nodes.stream().map(node -> List.of(node, (ranks.merge(node, 1, Integer::sum) - 1) / 2)).toList();
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

    @Override
    public String toString() {
        return nodes.toString();
    }
}
