package tutti.cli;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;
import tutti.runtime.liveness.LiveWait;

/** {@code tutti stop}: stops daemons, and waits until they have ended. */
@Command(name = "stop", mixinStandardHelpOptions = true,
    description = "Stops the daemons of a cluster, or one of them, and waits until they have ended.")
final class StopCommand implements Runnable {
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
            for (final Map.Entry<NodeInfo, Client> link : links.entrySet()) {
                // it goes on as long as the link is open
                final LiveWait wait = wait("node " + link.getKey().name() + " is ending, its log says what it does");
                while (!link.getValue().awaitEnd(LiveWait.PERIOD) && wait.goesOn()) {
                    // it says so
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
                } else if (ProcessArguments.of(process).isEmpty()) {
                    // the system has freed its memory and closes its files now; or nobody asks for its status
                    process.onExit().completeOnTimeout(process, ENDING_MILLIS, TimeUnit.MILLISECONDS).join();
                }
            });
        }
    }

    private static void awaitExit(final ProcessHandle process) {
        final LiveWait wait = wait("process of a stopped node is ending, kill -9 " + process.pid() + " ends it at once");
        // it may have ended without notice of its parent
        while (isDaemon(process) && wait.goesOn()) {
            process.onExit().completeOnTimeout(process, ENDING_MILLIS, TimeUnit.MILLISECONDS).join();
        }
    }

    private static LiveWait wait(final String what) {
        return new LiveWait(what, () -> true, line -> System.err.println("tutti: " + line));
    }

    private static boolean isDaemon(final ProcessHandle process) {
        final List<String> arguments = ProcessArguments.of(process);
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
