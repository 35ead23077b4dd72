package tutti.daemon.health;

import java.util.List;
import java.util.Map;

/**
 * What the nodes of a cluster find when they examine themselves.
 *
 * @param nodes  what each node found
 * @param silent names of members that did not answer
 * @param lost   reasons of nodes that were lost and have not come back, by name; as the asked node has seen them
 */
public record ClusterHealth(List<NodeHealth> nodes, List<String> silent, Map<String, String> lost) {

    /** Copies the lists and the map. */
    public ClusterHealth {
        nodes = List.copyOf(nodes);
        silent = List.copyOf(silent);
        lost = Map.copyOf(lost);
    }
}
