package tutti.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.node.ClusterHealth;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;

/** {@code tutti doctor}: examines the nodes of a cluster. */
@Command(name = "doctor", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Examines the nodes of a cluster, their machines and the network between them, and says what to do about what it finds. "
        + "Exit status 1: something does not work.")
final class DoctorCommand implements Runnable {
    @Mixin
    private ConnectOption connect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public void run() {
        final Diagnosis diagnosis;
        try (Client client = connect.open()) {
            final List<NodeReport> reports = client.ask(new Message.Describe(), Message.ClusterState.class).nodes();
            final long from = System.currentTimeMillis();
            final ClusterHealth health =
                MessageCodec.read(client.request(new Message.Examine()).getBytes(StandardCharsets.UTF_8), ClusterHealth.class);
            final long to = System.currentTimeMillis();
            final Map<String, List<String>> warnings = new HashMap<>();
            reports.forEach(r -> warnings.put(r.node().name(), r.warnings()));
            diagnosis = new Diagnosis(health.nodes(), health.silent(), warnings, from, to);
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "the node's answer cannot be read: " + e.getMessage(), e);
        }
        System.out.print(json ? MessageCodec.pretty(diagnosis.findings()) + "\n"
            : String.join("\n", diagnosis.findings().stream().map(Diagnosis.Finding::toString).toList()) + "\n");
        if (diagnosis.isIll()) {
            throw new CommandFailure(ExitStatus.FAILED, "the cluster has a problem that keeps jobs from running");
        }
    }
}
