package tutti.daemon.listing;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;
import tutti.daemon.node.ProofCounts;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.module.ModuleId;

/**
 * Node as {@code tutti info} shows it.
 *
 * @param name       name in the cluster
 * @param address    address on which it listens
 * @param pid        id of its process
 * @param version    version of Tutti
 * @param java       version of its Java
 * @param cores      processors that it may use
 * @param since      time of its start, in milliseconds of the epoch
 * @param heapUsed   used bytes of the heap, garbage included
 * @param heapMax    maximum size of the heap in bytes
 * @param jobs       number of jobs that have ranks on it
 * @param ranks      number of ranks that run on it
 * @param modules    name and version of the modules that it offers
 * @param transports schemes of its transports
 * @param near       for those that reach some nodes only, by scheme: the names of the other nodes that they reach
 * @param schedules  statistics of the schedule caches
 * @param proofs     numbers of calls that were proved when they were first planned
 * @param messages   numbers of messages of its ranks since the node started
 */
public record NodeInfoRow(String name, String address, long pid, String version, String java, int cores, long since, long heapUsed, long heapMax,
    int jobs, int ranks, List<String> modules, List<String> transports, Map<String, List<String>> near, CacheStatistics schedules, ProofCounts proofs,
    MessageStatistics messages) {

    /** Returns one row per node. */
    public static List<NodeInfoRow> of(final List<NodeReport> reports) {
        return reports.stream().map(r -> of(r, reports)).toList();
    }

    private static Map<String, List<String>> near(final NodeReport r, final List<NodeReport> all) {
        final Map<String, List<String>> near = new TreeMap<>();
        r.reach().forEach((scheme, reach) -> near.put(scheme, all.stream().filter(o -> reach.equals(o.reach().get(scheme)))
            .map(o -> o.node().name()).filter(name -> !name.equals(r.node().name())).toList()));
        return near;
    }

    /** Returns the transports, with the nodes that those reach which do not reach all. */
    List<String> transportTexts() {
        return transports.stream().map(t -> {
            final List<String> reached = near.get(t);
            return reached == null ? t : t + (reached.isEmpty() ? " (within the node)" : " (with " + String.join(", ", reached) + ")");
        }).toList();
    }

    private static NodeInfoRow of(final NodeReport r, final List<NodeReport> all) {
        final NodeInfo n = r.node();
        final long jobs = all.stream().flatMap(other -> other.jobs().stream()).filter(j -> j.nodes().contains(n.name())).count();
        return new NodeInfoRow(n.name(), n.address().toString(), n.pid(), r.load().version(), n.java(), n.cores(), n.since(), r.load().heapUsed(),
            r.load().heapMax(), (int) jobs, r.ranks(), r.catalogue().modules().stream().map(ModuleId::toString).toList(), r.transports(),
            near(r, all), r.load().schedules(), r.load().proofs(), r.load().messages());
    }
}
