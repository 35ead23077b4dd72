package tutti.coll.smp;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tutti.coll.CollComm;

/**
 * Which ranks of a communicator are together on a node. Nodes are counted from 0 in the order of their lowest ranks, who lead them.
 *
 * @param members the ranks of each node, in their order
 * @param nodeOf  the node of each rank
 */
record NodeGroups(List<List<Integer>> members, List<Integer> nodeOf) {

    /** Those of a communicator's ranks. */
    static NodeGroups of(final CollComm comm) {
        final Map<Integer, Integer> numbers = new LinkedHashMap<>();
        final List<List<Integer>> members = new ArrayList<>();
        final List<Integer> nodeOf = new ArrayList<>();
        for (int rank = 0; rank < comm.size(); rank++) {
            final int node = numbers.computeIfAbsent(comm.nodeOf(rank), n -> {
                members.add(new ArrayList<>());
                return members.size() - 1;
            });
            members.get(node).add(rank);
            nodeOf.add(node);
        }
        return new NodeGroups(members.stream().map(List::copyOf).toList(), List.copyOf(nodeOf));
    }

    int count() {
        return members.size();
    }

    /** The ranks on the node of {@code rank}. */
    List<Integer> with(final int rank) {
        return members.get(nodeOf.get(rank));
    }

    /** The lowest rank of a node. */
    int leader(final int node) {
        return members.get(node).getFirst();
    }

    boolean leads(final int rank) {
        return with(rank).getFirst() == rank;
    }

    /** Whether the ranks of each node are a run of neighbours, so that going through the nodes keeps the order of ranks. */
    boolean isInBlocks() {
        return members.stream().allMatch(NodeGroups::areNeighbours);
    }

    /** Whether ranks, given in their order, are a run of neighbours. */
    static boolean areNeighbours(final List<Integer> ranks) {
        return ranks.getLast() - ranks.getFirst() == ranks.size() - 1;
    }
}
