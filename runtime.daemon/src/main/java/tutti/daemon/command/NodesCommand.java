package tutti.daemon.command;

import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.NodeInfo;
import tutti.daemon.protocol.NodeReport;
import tutti.daemon.protocol.Wire;

/** {@code tutti nodes}. */
@Command(name = "nodes", mixinStandardHelpOptions = true, description = "Lists the nodes of a cluster.")
final class NodesCommand implements Runnable {
    @Mixin
    private Connect connect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    private record Row(String name, String address, long pid, String java, int cores, int ranks, long since) { }

    @Override
    public void run() {
        try (Client client = connect.open()) {
            final List<Row> rows = client.ask(new Message.Describe(), Message.ClusterState.class).nodes().stream().map(NodesCommand::row).toList();
            if (json) {
                System.out.println(Wire.pretty(rows));
                return;
            }
            final Tabular table = new Tabular("NAME", "ADDRESS", "PID", "JAVA", "CORES", "RANKS", "UP");
            rows.forEach(r -> table.row(r.name(), r.address(), r.pid(), r.java(), r.cores(), r.ranks(), age(r.since())));
            System.out.print(table);
        }
    }

    private static Row row(final NodeReport report) {
        final NodeInfo node = report.node();
        return new Row(node.name(), node.address().toString(), node.pid(), node.java(), node.cores(), report.ranks(), node.since());
    }

    /** How long ago that was, in words. */
    static String age(final long since) {
        final Duration d = Duration.ofMillis(Math.max(0, System.currentTimeMillis() - since));
        return d.toHours() > 0 ? d.toHours() + " h " + d.toMinutesPart() + " min" : d.toMinutes() > 0
            ? d.toMinutes() + " min " + d.toSecondsPart() + " s" : d.toSeconds() + " s";
    }
}
