package tutti.daemon.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleInfo;
import tutti.daemon.protocol.NodeReport;
import tutti.daemon.protocol.Wire;

/** {@code tutti modules}. */
@Command(name = "modules", mixinStandardHelpOptions = true, description = "Lists the collective modules and the nodes that hold them.")
final class ModulesCommand implements Runnable {
    @Mixin
    private Connect connect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    private record Row(String name, String version, String sha256, String bundle, List<String> nodes) { }

    @Override
    public void run() {
        try (Client client = connect.open()) {
            final Map<String, Row> rows = new TreeMap<>();
            for (final NodeReport report : client.ask(new Message.Describe(), Message.ClusterState.class).nodes()) {
                for (final ModuleInfo m : report.modules()) {
                    rows.computeIfAbsent(m.name() + " " + m.version() + " " + m.sha256(), k -> new Row(m.name(), m.version(), m.sha256(),
                        m.bundle(), new ArrayList<>())).nodes().add(report.node().name());
                }
            }
            if (json) {
                System.out.println(Wire.pretty(rows.values()));
                return;
            }
            final Tabular table = new Tabular("NAME", "VERSION", "SHA-256", "BUNDLE", "NODES");
            rows.values().forEach(r -> table.row(r.name(), r.version(), r.sha256().isEmpty() ? "?" : r.sha256().substring(0, 12), r.bundle(),
                String.join(",", r.nodes())));
            System.out.print(table);
        }
    }
}
