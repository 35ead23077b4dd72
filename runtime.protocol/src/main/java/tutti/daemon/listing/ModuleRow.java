package tutti.daemon.listing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tutti.daemon.node.NodeReport;
import tutti.runtime.module.ModuleId;

/**
 * Module as {@code tutti modules} shows it.
 *
 * @param name    name of the module
 * @param version version of the module
 * @param sha256  digest of its bundle; empty when it could not be read
 * @param nodes   nodes that have it
 * @param missing nodes that do not have it
 */
public record ModuleRow(String name, String version, String sha256, List<String> nodes, List<String> missing) {

    /** Returns the modules of all nodes, in the order of name, version and digest. */
    public static Collection<ModuleRow> of(final List<NodeReport> reports) {
        final Map<ModuleId, ModuleRow> rows = new TreeMap<>();
        for (final NodeReport report : reports) {
            for (final ModuleId m : report.catalogue().modules()) {
                rows.computeIfAbsent(m,
                    k -> new ModuleRow(m.name(), m.version().toString(), m.digest(), new ArrayList<>(), new ArrayList<>()));
            }
        }
        rows.forEach((m, row) -> reports.forEach(r -> (r.catalogue().modules().contains(m) ? row.nodes() : row.missing()).add(r.node().name())));
        return rows.values();
    }
}
