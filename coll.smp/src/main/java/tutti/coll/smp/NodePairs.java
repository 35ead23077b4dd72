package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;

/**
 * Assigns to each pair of nodes the ranks that exchange its two messages, and locates a node's message in the scratch memory of its receiver. The
 * ranks of a node take the other nodes in turn, the next node first.
 *
 * <pre>
 *   nodes (0 1) (2 3) (4 5) (6)     0 with nodes 1, 3;  1 with 2;  2 with 2, 0;  3 with 3;  4 with 3, 1;  5 with 0;  6 with 0, 1, 2
 * </pre>
 *
 * @param nodes the ranks, grouped by node
 * @param block bytes that a rank has for each other rank
 */
record NodePairs(NodeGroups nodes, long block) {

    /** Returns the rank of {@code node} that exchanges messages with {@code other}. */
    int agent(final int node, final int other) {
        final List<Integer> members = nodes.members().get(node);
        return members.get(distance(node, other) % members.size());
    }

    /** Returns the index of {@code other} among the nodes that {@code rank} exchanges messages with. */
    int turnOf(final int rank, final int other) {
        return distance(nodes.nodeOf().get(rank), other) / nodes.nodeMembers(rank).size();
    }

    private int distance(final int node, final int other) {
        return Math.floorMod(other - node - 1, nodes.count());
    }

    /** Returns the nodes that a rank exchanges messages with, in the order of exchange. */
    List<Integer> peerNodes(final int rank) {
        final List<Integer> members = nodes.nodeMembers(rank);
        final List<Integer> others = new ArrayList<>();
        for (int distance = members.indexOf(rank); distance < nodes.count() - 1; distance += members.size()) {
            others.add((nodes.nodeOf().get(rank) + 1 + distance) % nodes.count());
        }
        return others;
    }

    /** Returns the length in bytes of the message between two nodes, which is the same in both directions. */
    long bytes(final int node, final int other) {
        return block * nodes.members().get(node).size() * nodes.members().get(other).size();
    }

    /**
     * Returns the length in bytes of the messages that a rank receives before that of index {@code turn}. The number of nodes as index gives the
     * length of all messages.
     */
    long bytesBefore(final int rank, final int turn) {
        return peerNodes(rank).subList(0, turn).stream().mapToLong(o -> bytes(nodes.nodeOf().get(rank), o)).sum();
    }
}
