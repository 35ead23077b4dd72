package tutti.daemon.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.NodeReport;
import tutti.daemon.protocol.Wire;
import tutti.runtime.select.ModuleId;

/** {@code tutti modules}. */
@Command(name = "modules", mixinStandardHelpOptions = true,
    description = "Lists the collective modules, the nodes that hold them, and those that do not.")
final class ModulesCommand implements Runnable {
    private static final int SHOWN = 12;

    @Mixin
    private Connect connect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    private record Row(String name, String version, String sha256, List<String> nodes, List<String> missing) { }

    @Override
    public void run() {
        try (Client client = connect.open()) {
            final List<NodeReport> reports = client.ask(new Message.Describe(), Message.ClusterState.class).nodes();
            final Map<ModuleId, Row> rows = new TreeMap<>();
            for (final NodeReport report : reports) {
                for (final ModuleId m : report.catalogue().modules()) {
                    rows.computeIfAbsent(m, k -> new Row(m.name(), m.version().toString(), m.digest(), new ArrayList<>(), new ArrayList<>()));
                }
            }
            rows.forEach((m, row) -> reports.forEach(r -> (r.catalogue().modules().contains(m) ? row.nodes() : row.missing()).add(r.node().name())));
            if (json) {
                System.out.println(Wire.pretty(rows.values()));
                return;
            }
            final Tabular table = new Tabular("NAME", "VERSION", "SHA-256", "NODES", "MISSING ON");
            rows.values().forEach(r -> table.row(r.name(), r.version(), r.sha256().isEmpty() ? "?" : r.sha256().substring(0, SHOWN),
                String.join(",", r.nodes()), r.missing().isEmpty() ? "-" : String.join(",", r.missing())));
            System.out.print(table);
        }
    }
}
