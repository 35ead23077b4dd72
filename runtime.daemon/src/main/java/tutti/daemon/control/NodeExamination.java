package tutti.daemon.control;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import tutti.daemon.cluster.LinkProbe;
import tutti.daemon.health.MachineExamination;
import tutti.daemon.health.NodeHealth;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Transport;

/** Examines this node for {@code tutti doctor}: its machine, and whether packets of any size pass to the other nodes. Blocks while these answer. */
final class NodeExamination {
    /** Longer than an examination takes. */
    static final Duration LIMIT = Duration.ofSeconds(12);
    private static final int CONNECT_MILLIS = 1000;

    private NodeExamination() {}

    static NodeHealth of(final Transport transport, final NodeInfo self, final String version, final Path folder, final List<NodeInfo> others) {
        return MachineExamination.of(self.name(), version, self.cores(), folder, unreachable(transport, self, others));
    }

    /** Returns the nodes to which packets do not pass; all are tried at the same time. */
    private static Map<String, String> unreachable(final Transport transport, final NodeInfo self, final List<NodeInfo> others) {
        final Map<String, String> reasons = new ConcurrentHashMap<>();
        final List<Thread> tries = others.stream().map(node -> Thread.ofVirtual().name("tutti-examine").start(() -> {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(node.host(), node.port()), CONNECT_MILLIS);
            } catch (final IOException e) {
                reasons.put(node.name(), node.address() + ": " + Protocol.oneLine(e));
                return;
            }
            final String failure = LinkProbe.failure(transport, self, node);
            if (failure != null) {
                reasons.put(node.name(), node.address() + ": " + failure);
            }
        })).toList();
        for (final Thread t : tries) {
            try {
                t.join(LIMIT.minusSeconds(1));
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return reasons;
    }
}
