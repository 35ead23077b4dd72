package tutti.cli;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.command.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;

/** {@code tutti stop}: stops daemons, and waits until they have ended. */
@Command(name = "stop", mixinStandardHelpOptions = true,
    description = "Stops the daemons of a cluster, or one of them, and waits until they have ended.")
final class StopCommand implements Runnable {
    /** A job that is ended with its node takes some seconds. */
    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** Most of it is the end of a JVM. */
    private static final Duration PROCESS_LIMIT = Duration.ofSeconds(10);
    private static final long ENDING_MILLIS = 500;

    @Mixin
    private ConnectOption connect;

    @Option(names = "--node", paramLabel = "NAME", description = "stop only that node")
    private @Nullable String node;

    @Override
    public void run() {
        final Map<NodeInfo, Client> links = new LinkedHashMap<>();
        try (Client client = connect.open()) {
            final List<NodeInfo> stopped = client.ask(ClusterRequests::nodes).stream().map(NodeReport::node)
                .filter(n -> node == null || n.name().equals(node)).toList();
            stopped.forEach(n -> link(n, links));
            client.ask(daemon -> daemon.stop(node == null ? List.of() : List.of(node)));
            final long until = System.nanoTime() + LIMIT.toNanos();
            for (final Map.Entry<NodeInfo, Client> link : links.entrySet()) {
                if (!link.getValue().awaitEnd(Duration.ofNanos(until - System.nanoTime()))) {
                    throw new CommandFailure(ExitStatus.FAILED, "node " + link.getKey().name() + " has not ended: limit=" + LIMIT.toSeconds()
                        + " s; its log says why");
                }
            }
            stopped.forEach(StopCommand::awaitProcess);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitStatus.FAILED, "interrupted", e);
        } finally {
            links.values().forEach(Client::close);
        }
    }

    /** Opens a link to a node, whose end tells that of the node. A node that this host does not reach is not waited for. */
    private void link(final NodeInfo info, final Map<NodeInfo, Client> links) {
        try {
            links.put(info, Client.connect(Contact.ofUser(info.address())));
        } catch (final CommandFailure e) {
            links.remove(info);
        }
    }

    /** Waits for the end of a daemon's process on this host; a container of another program goes on after its node has stopped. */
    private static void awaitProcess(final NodeInfo info) {
        if (isHere(info.host())) {
            ProcessHandle.of(info.pid()).ifPresent(process -> {
                if (isDaemon(process)) {
                    awaitExit(process);
                } else if (process.info().arguments().isEmpty()) {
                    // the system has freed its memory and closes its files now; or nobody asks for its status
                    process.onExit().completeOnTimeout(process, ENDING_MILLIS, TimeUnit.MILLISECONDS).join();
                }
            });
        }
    }

    private static void awaitExit(final ProcessHandle process) {
        try {
            process.onExit().get(PROCESS_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final ExecutionException | TimeoutException e) {
            if (!isDaemon(process)) {
                // it has ended, and its parent has not noticed
                return;
            }
            throw new CommandFailure(ExitStatus.FAILED, "process of a stopped node has not ended: pid=" + process.pid() + ", limit="
                + PROCESS_LIMIT.toSeconds() + " s; end it with: kill -9 " + process.pid(), e);
        }
    }

    private static boolean isDaemon(final ProcessHandle process) {
        final List<String> arguments = Arrays.asList(process.info().arguments().orElse(new String[0]));
        return arguments.contains(Main.class.getName()) && arguments.contains("daemon");
    }

    private static boolean isHere(final String host) {
        try {
            final InetAddress address = InetAddress.getByName(host);
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (final UnknownHostException | SocketException e) {
            return false;
        }
    }
}
