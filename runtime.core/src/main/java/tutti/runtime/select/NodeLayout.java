package tutti.runtime.select;

import java.util.HashMap;
import java.util.Map;

/**
 * How the ranks of a communicator lie on nodes.
 *
 * @param ranks  how many there are
 * @param nodes  on how many nodes
 * @param fewest ranks on a node
 * @param most   ranks on a node
 */
record NodeLayout(int ranks, int nodes, int fewest, int most) {
    /** That of a communicator that is being made. */
    static NodeLayout of(final SelectionContext setup) {
        final Map<Integer, Integer> held = new HashMap<>();
        for (int r = 0; r < setup.size(); r++) {
            held.merge(setup.nodeOf(r), 1, Integer::sum);
        }
        return new NodeLayout(setup.size(), held.size(), held.values().stream().mapToInt(Integer::intValue).min().orElse(0),
            held.values().stream().mapToInt(Integer::intValue).max().orElse(0));
    }
}
