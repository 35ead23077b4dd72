package tutti.daemon.control;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tutti.daemon.node.NodeHealth;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Protocol;

/** Examines this node for {@code tutti doctor}: its machine, and whether it can connect to the other nodes. Blocks for a second at the most. */
final class NodeExamination {
    private static final int CONNECT_MILLIS = 1000;
    private static final Path SHARED = Path.of("/dev/shm");
    private static final Pattern FILES = Pattern.compile("(?m)^Max open files\\s+(\\d+)");
    private static final Pattern MEMORY = Pattern.compile("(?m)^MemAvailable:\\s+(\\d+) kB");
    private static final long KIB = 1024;

    private NodeExamination() {}

    static NodeHealth of(final NodeInfo self, final String version, final Path folder, final List<NodeInfo> others) {
        final String host = host();
        return new NodeHealth(self.name(), version, self.java(), self.cores(), Runtime.getRuntime().maxMemory(), memoryFree(), openFiles(),
            number(Path.of("/proc/self/limits"), FILES), free(SHARED), folder.toString(), free(folder), System.currentTimeMillis(), host,
            resolves(host),
            unreachable(others));
    }

    private static long memoryFree() {
        final long kib = number(Path.of("/proc/meminfo"), MEMORY);
        return kib < 0 ? -1 : kib * KIB;
    }

    private static long number(final Path file, final Pattern pattern) {
        try {
            final Matcher m = pattern.matcher(Files.readString(file));
            return m.find() ? Long.parseLong(m.group(1)) : -1;
        } catch (final IOException e) {
            return -1;
        }
    }

    private static long openFiles() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (final IOException e) {
            return -1;
        }
    }

    private static long free(final Path at) {
        try {
            return Files.getFileStore(at).getUsableSpace();
        } catch (final IOException e) {
            return -1;
        }
    }

    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (final IOException e) {
            return "";
        }
    }

    private static boolean resolves(final String host) {
        try {
            return !host.isEmpty() && InetAddress.getByName(host) != null;
        } catch (final UnknownHostException e) {
            return false;
        }
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
