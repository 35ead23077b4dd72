package tutti.daemon.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.job.NodeAddress;

/**
 * Placement of ranks on nodes.
 *
 * @param nodes      nodes that have ranks, in the order in which they get them
 * @param nodeOfRank index of the node of each rank
 */
record Placement(List<NodeAddress> nodes, List<Integer> nodeOfRank) {
    /** Copies the lists. */
    Placement {
        nodes = List.copyOf(nodes);
        nodeOfRank = List.copyOf(nodeOfRank);
    }

    /**
     * Places ranks on nodes.
     *
     * @param ranks   number of ranks; 0 means one per slot
     * @param mapping how to place them; a node has as many slots as cores, and ranks that find no slot are placed as if all slots were free again
     * @param order   names of the nodes to use, in this order; empty for all, in the order of their names
     * @param members nodes of the cluster
     * @throws IOException when a node to use is not a member
     */
    static Placement of(final int ranks, final RunRequest.Mapping mapping, final List<String> order, final List<NodeInfo> members)
        throws IOException {
        final List<NodeInfo> candidates = order.isEmpty() ? members.stream().sorted(Comparator.comparing(NodeInfo::name)).toList()
            : named(order, members);
        final int[] slots = candidates.stream().mapToInt(n -> Math.max(1, n.cores())).toArray();
        final int total = IntStream.of(slots).sum();
        final int n = ranks > 0 ? ranks : total;
        final List<Integer> nodeOf = switch (mapping) {
            case BLOCK -> blocks(n, Math.min(n, slots.length));
            case SLOT -> filled(n, slots);
            case NODE -> dealt(n, slots, total);
        };
        return new Placement(candidates.stream().limit(Collections.max(nodeOf) + 1L).map(i -> new NodeAddress(i.name(), i.host(), i.port())).toList(),
            nodeOf);
    }

    /**
     * Returns the placement in which the ranks of each node are in several JVMs, which count as nodes of the job.
     *
     * @param ranks most ranks of a JVM; 0 for one JVM per node
     */
    Placement perJvm(final int ranks) {
        if (ranks == 0) {
            return this;
        }
        final List<NodeAddress> jvms = new ArrayList<>();
        final int[] last = new int[nodes.size()];
        final int[] counts = new int[nodes.size()];
        final List<Integer> jvmOfRank = new ArrayList<>();
        for (final int node : nodeOfRank) {
            if (counts[node] % ranks == 0) {
                last[node] = jvms.size();
                jvms.add(nodes.get(node).jvm(counts[node] / ranks));
            }
            counts[node]++;
            jvmOfRank.add(last[node]);
        }
        return new Placement(jvms, jvmOfRank);
    }

    /**
     * Returns the placement with spare ranks behind the others, each in a JVM of its own: on the nodes with fewest ranks first.
     *
     * @param candidates nodes of the cluster that may have them
     */
    Placement withSpares(final int spares, final List<NodeAddress> candidates) {
        final List<NodeAddress> all = new ArrayList<>(nodes);
        final List<Integer> nodeOf = new ArrayList<>(nodeOfRank);
        final Map<String, Integer> ranks = new HashMap<>();
        nodeOfRank.forEach(n -> ranks.merge(nodes.get(n).node(), 1, Integer::sum));
        for (int s = 0; s < spares; s++) {
            final NodeAddress on = candidates.stream().min(Comparator.comparingInt(n -> ranks.getOrDefault(n.name(), 0))).orElseThrow();
            ranks.merge(on.name(), 1, Integer::sum);
            final long jvms = all.stream().filter(n -> n.node().equals(on.name())).count();
            nodeOf.add(all.size());
            all.add(on.jvm((int) jvms));
        }
        return new Placement(all, nodeOf);
    }

    private static List<NodeInfo> named(final List<String> names, final List<NodeInfo> members) throws IOException {
        final List<NodeInfo> found = new ArrayList<>();
        for (final String name : names) {
            // Cause: a name of `--hosts` is no node. Remedy: `tutti nodes`.
            found.add(members.stream().filter(m -> m.name().equals(name)).findAny().orElseThrow(() -> new IOException(
                "no such node in the cluster: node=" + name + ", nodes=" + members.stream().map(NodeInfo::name).sorted().toList())));
        }
        return found;
    }

    /** Returns the node of each rank in block placement. The first {@code n % nodes} blocks have one rank more. */
    private static List<Integer> blocks(final int n, final int nodes) {
        final List<Integer> nodeOf = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            nodeOf.addAll(Collections.nCopies(n / nodes + (node < n % nodes ? 1 : 0), node));
        }
        return nodeOf;
    }

    private static List<Integer> filled(final int n, final int[] slots) {
        final int[] counts = new int[slots.length];
        for (int left = n; left > 0;) {
            for (int node = 0; node < slots.length && left > 0; node++) {
                final int taken = Math.min(left, slots[node]);
                counts[node] += taken;
                left -= taken;
            }
        }
        final List<Integer> nodeOf = new ArrayList<>();
        for (int node = 0; node < slots.length; node++) {
            nodeOf.addAll(Collections.nCopies(counts[node], node));
        }
        return nodeOf;
    }

    private static List<Integer> dealt(final int n, final int[] slots, final int total) {
        final int[] counts = new int[slots.length];
        final List<Integer> nodeOf = new ArrayList<>();
        for (int node = 0; nodeOf.size() < n; node = (node + 1) % slots.length) {
            final int rounds = nodeOf.size() / total + 1;
            if (counts[node] < slots[node] * rounds) {
                counts[node]++;
                nodeOf.add(node);
            }
        }
        return nodeOf;
    }
}
