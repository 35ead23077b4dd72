package tutti.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tutti.daemon.health.ClusterHealth;
import tutti.daemon.health.MachineExamination;
import tutti.daemon.health.NodeHealth;
import tutti.daemon.listing.Diagnosis;
import tutti.daemon.listing.Diagnosis.Finding;
import tutti.daemon.listing.Diagnosis.Grade;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;

/** {@code tutti doctor}: examines the nodes of a cluster, or this machine where no node answers. */
@Command(name = "doctor", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Examines the nodes of a cluster, their machines and the network between them, and says what to do about what it finds. "
        + "Without --connect, or if no node answers, it examines this machine.",
        "Exit status 1: something does not work; 3: the node of --connect does not answer."})
final class DoctorCommand implements Runnable {
    private static final String CLUSTER = "cluster";

    @Option(names = "--connect", paramLabel = "HOST:PORT", description = "a daemon of the cluster; without it, this machine is examined")
    private @Nullable String address;

    @Option(names = "--listen", paramLabel = "HOST:PORT", split = ",",
        description = "examine also whether a node can listen there, on this machine")
    private List<String> listen = List.of();

    @Option(names = "--dir", paramLabel = "DIR", description = "examine this machine for a node with that folder; by default that of temporary files")
    private Path dir = Path.of(System.getProperty("java.io.tmpdir"));

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public void run() {
        final List<HostPort> ports = listen.stream().map(ConnectOption::parse).toList();
        if (address == null) {
            finish(machine(ports, new Finding(Grade.WARNING, CLUSTER, "no node was asked",
                "start one with: tutti daemon --name a; examine a cluster with: tutti doctor --connect HOST:PORT")),
                "this machine has a problem that keeps nodes from running");
            return;
        }
        final HostPort node = ConnectOption.parse(address);
        final Diagnosis diagnosis;
        try (Client client = Client.connect(Contact.ofUser(node))) {
            diagnosis = cluster(client);
        } catch (final CommandFailure e) {
            if (e.status() != ExitStatus.NO_CLUSTER) {
                throw e;
            }
            print(machine(ports, new Finding(Grade.ERROR, CLUSTER, "no node answers at " + node,
                "start one there with: tutti daemon --listen " + node + "; if one runs, open the port between the hosts")));
            throw e;
        }
        ports.forEach(p -> diagnosis.add(port(p)));
        finish(diagnosis, "the cluster or this machine has a problem that keeps jobs from running");
    }

    private static Diagnosis cluster(final Client client) {
        final List<NodeReport> reports = client.ask(ClusterRequests::nodes);
        final long from = System.currentTimeMillis();
        final ClusterHealth health = client.ask(ClusterRequests::examine);
        return Diagnosis.of(reports, health, from, System.currentTimeMillis());
    }

    private Diagnosis machine(final List<HostPort> ports, final Finding cluster) {
        // a daemon makes its folder
        Path existing = dir.toAbsolutePath();
        while (Files.notExists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        final NodeHealth machine = MachineExamination.of("", Installation.version(), Runtime.getRuntime().availableProcessors(),
            existing, Map.of());
        final List<Finding> others = new ArrayList<>();
        others.add(port(new HostPort("127.0.0.1", 0)));
        ports.forEach(p -> others.add(port(p)));
        if (!Files.isDirectory(existing) || !Files.isWritable(existing)) {
            others.add(new Finding(Grade.ERROR, "folder " + dir, existing + " is no folder that can be written",
                "give a node another one with --dir, or correct the permissions of this one"));
        }
        others.add(cluster);
        return Diagnosis.ofMachine(machine, MachineExamination.addresses(machine.host()), Runtime.version().feature(), others);
    }

    /** Returns whether a node can listen at an address. */
    private static Finding port(final HostPort at) {
        final String where = "port " + at;
        final InetSocketAddress resolved = at.socketAddress();
        if (resolved.isUnresolved()) {
            return new Finding(Grade.ERROR, where, "the name has no address: " + at.host(), "correct it, or add it to /etc/hosts or DNS");
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(resolved);
            return new Finding(Grade.OK, where, "a node can listen at " + resolved.getAddress().getHostAddress() + ":" + socket.getLocalPort(), "");
        } catch (final IOException e) {
            return new Finding(Grade.ERROR, where, "a node cannot listen: " + Protocol.oneLine(e),
                "use another port, or 0 for any; show who has this one with: ss -ltnp; the host must be an address of this machine");
        }
    }

    private void print(final Diagnosis diagnosis) {
        System.out.print(json ? MessageCodec.pretty(diagnosis.findings()) + "\n" : diagnosis.text());
        System.out.flush();
    }

    private void finish(final Diagnosis diagnosis, final String problem) {
        print(diagnosis);
        if (diagnosis.isIll()) {
            throw new CommandFailure(ExitStatus.FAILED, problem);
        }
    }
}
