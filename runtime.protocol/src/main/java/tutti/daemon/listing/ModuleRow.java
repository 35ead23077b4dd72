package tutti.daemon.listing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.NodeReport;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.QuarantinedModule;

/**
 * Module as {@code tutti modules} shows it.
 *
 * @param name    name of the module
 * @param version version of the module
 * @param sha256  digest of its bundle; empty when it could not be read
 * @param nodes   nodes that have it
 * @param missing nodes that do not have it
 * @param quarantine why new jobs do not use it; null unless it is in quarantine
 */
public record ModuleRow(String name, String version, String sha256, List<String> nodes, List<String> missing, @Nullable String quarantine) {

    /** Returns the modules of all nodes, in the order of name, version and digest. */
    public static Collection<ModuleRow> of(final List<NodeReport> reports) {
        final Map<ModuleId, ModuleRow> rows = new TreeMap<>();
        for (final NodeReport report : reports) {
            for (final ModuleId m : report.catalogue().modules()) {
                rows.computeIfAbsent(m,
                    k -> new ModuleRow(m.name(), m.version().toString(), m.digest(), new ArrayList<>(), new ArrayList<>(),
                        reason(m, reports)));
            }
        }
        rows.forEach((m, row) -> reports.forEach(r -> (r.catalogue().modules().contains(m) ? row.nodes() : row.missing()).add(r.node().name())));
        return rows.values();
    }

    private static @Nullable String reason(final ModuleId module, final List<NodeReport> reports) {
        return quarantined(reports).stream().filter(q -> q.module().equals(module)).map(QuarantinedModule::reason).findFirst().orElse(null);
    }

    /** Returns the modules in quarantine, also those that no node has, in the order of name, version and digest. */
    static List<QuarantinedModule> quarantined(final List<NodeReport> reports) {
        final Map<ModuleId, QuarantinedModule> latest = new TreeMap<>();
        reports.forEach(r -> r.catalogue().quarantine().forEach(q -> latest.merge(q.module(), q,
            BinaryOperator.maxBy(Comparator.comparingLong(QuarantinedModule::since)))));
        return latest.values().stream().filter(QuarantinedModule::isActive).toList();
    }
}
