package tutti.daemon.launch;

import java.util.List;

/**
 * Placement of a job's ranks.
 *
 * @param nodes      names of the nodes that have ranks, in the order in which they get them
 * @param nodeOfRank index of the node of each rank
 */
public record RankPlacement(List<String> nodes, List<Integer> nodeOfRank) {
    /** Copies the lists. */
    public RankPlacement {
        nodes = List.copyOf(nodes);
        nodeOfRank = List.copyOf(nodeOfRank);
    }
}
