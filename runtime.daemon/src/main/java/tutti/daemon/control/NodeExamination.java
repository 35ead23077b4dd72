package tutti.daemon.control;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import tutti.daemon.health.MachineExamination;
import tutti.daemon.health.NodeHealth;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Protocol;

/** Examines this node for {@code tutti doctor}: its machine, and whether it can connect to the other nodes. Blocks for a second at the most. */
final class NodeExamination {
    private static final int CONNECT_MILLIS = 1000;

    private NodeExamination() {}

    static NodeHealth of(final NodeInfo self, final String version, final Path folder, final List<NodeInfo> others) {
        return MachineExamination.of(self.name(), version, self.cores(), folder, unreachable(others));
    }

    /** Returns the nodes to which no connection can be opened; all are tried at the same time. */
    private static Map<String, String> unreachable(final List<NodeInfo> others) {
        final Map<String, String> reasons = new ConcurrentHashMap<>();
        final List<Thread> tries = others.stream().map(node -> Thread.ofVirtual().name("tutti-examine").start(() -> {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(node.host(), node.port()), CONNECT_MILLIS);
            } catch (final IOException e) {
                reasons.put(node.name(), node.address() + ": " + Protocol.oneLine(e));
            }
        })).toList();
        for (final Thread t : tries) {
            try {
                t.join(2L * CONNECT_MILLIS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return reasons;
    }
}
