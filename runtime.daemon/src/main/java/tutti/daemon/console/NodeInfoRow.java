package tutti.daemon.console;

import java.util.List;
import tutti.daemon.protocol.NodeInfo;
import tutti.daemon.protocol.NodeReport;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.select.ModuleId;

/**
 * A node as {@code tutti info} shows it.
 *
 * @param name      in the cluster
 * @param address   where it listens
 * @param pid       of its process
 * @param version   of Tutti
 * @param java      version of its Java
 * @param cores     processors that it may use
 * @param since     when it started, in milliseconds of the epoch
 * @param heapUsed  bytes, garbage included
 * @param heapMax   bytes
 * @param jobs      that have ranks there
 * @param ranks     that run there
 * @param modules   that it offers, name and version
 * @param schedules figures of the caches of schedules
 */
public record NodeInfoRow(String name, String address, long pid, String version, String java, int cores, long since, long heapUsed, long heapMax,
                          int jobs, int ranks, List<String> modules, CacheStatistics schedules) {

    /** One row per node. */
    public static List<NodeInfoRow> of(final List<NodeReport> reports) {
        return reports.stream().map(r -> of(r, reports)).toList();
    }

    private static NodeInfoRow of(final NodeReport r, final List<NodeReport> all) {
        final NodeInfo n = r.node();
        final long jobs = all.stream().flatMap(other -> other.jobs().stream()).filter(j -> j.nodes().contains(n.name())).count();
        return new NodeInfoRow(n.name(), n.address().toString(), n.pid(), r.load().version(), n.java(), n.cores(), n.since(), r.load().heapUsed(),
            r.load().heapMax(), (int) jobs, r.ranks(), r.catalogue().modules().stream().map(ModuleId::toString).toList(), r.load().schedules());
    }
}
