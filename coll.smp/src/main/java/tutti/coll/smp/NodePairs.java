package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;

/**
 * Which rank of a node exchanges messages with which other nodes, one for each pair of nodes, and where what it got lies. The ranks of a node
 * take the other nodes in turn, the next node first.
 *
 * <pre>
 *   nodes (0 1) (2 3) (4 5) (6)     0 with nodes 1, 3;  1 with 2;  2 with 2, 0;  3 with 3;  4 with 3, 1;  5 with 0;  6 with 0, 1, 2
 * </pre>
 *
 * @param nodes where ranks are
 * @param block bytes that a rank has for each other
 */
record NodePairs(NodeGroups nodes, long block) {

    /** The rank of a node that exchanges with another node. */
    int agent(final int node, final int other) {
        final List<Integer> members = nodes.members().get(node);
        return members.get(distance(node, other) % members.size());
    }

    /** How many of the nodes that this rank exchanges with come before that one. */
    int turn(final int rank, final int other) {
        return distance(nodes.nodeOf().get(rank), other) / nodes.with(rank).size();
    }

    private int distance(final int node, final int other) {
        return Math.floorMod(other - node - 1, nodes.count());
    }

    /** The nodes that a rank exchanges with, in their turn. */
    List<Integer> others(final int rank) {
        final List<Integer> members = nodes.with(rank);
        final List<Integer> others = new ArrayList<>();
        for (int distance = members.indexOf(rank); distance < nodes.count() - 1; distance += members.size()) {
            others.add((nodes.nodeOf().get(rank) + 1 + distance) % nodes.count());
        }
        return others;
    }

    /** The bytes that two nodes have for each other, each way. */
    long bytes(final int node, final int other) {
        return block * nodes.members().get(node).size() * nodes.members().get(other).size();
    }

    /** The bytes of what a rank gets of the nodes that come before another in its turn, or of all. */
    long before(final int rank, final int turn) {
        return others(rank).subList(0, turn).stream().mapToLong(o -> bytes(nodes.nodeOf().get(rank), o)).sum();
    }
}
