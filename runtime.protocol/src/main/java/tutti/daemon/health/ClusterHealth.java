package tutti.daemon.health;

import java.util.List;

/**
 * What the nodes of a cluster find when they examine themselves.
 *
 * @param nodes  what each node found
 * @param silent names of members that did not answer
 */
public record ClusterHealth(List<NodeHealth> nodes, List<String> silent) {

    /** Copies the lists. */
    public ClusterHealth {
        nodes = List.copyOf(nodes);
        silent = List.copyOf(silent);
    }
}
