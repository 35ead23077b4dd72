package tutti.itest;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * Daemons that reach each other through a proxy, which can cut the network between two groups of them: connections stay open, and their bytes wait
 * until the network is whole again. The proxy finds out by {@code /proc} which daemon opened a connection; commands are never cut off.
 */
final class PartitionedNodes implements AutoCloseable {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private final Path dir;
    private final Map<Long, String> names = new ConcurrentHashMap<>();
    private final List<TuttiScript.Daemon> daemons = new ArrayList<>();
    private final List<Closeable> sockets = new CopyOnWriteArrayList<>();
    /** Names of the nodes that are separated from the others. Guarded by this object. */
    private Set<String> separated = Set.of();

    PartitionedNodes(final Path dir) {
        this.dir = dir;
    }

    /** Starts a daemon that others reach through the proxy. */
    TuttiScript.Daemon start(final String name, final String... options) throws Exception {
        final ServerSocket front = new ServerSocket(0, 64, LOOPBACK);
        sockets.add(front);
        final int port = freePort();
        final String jvm = TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS") + " -Dtutti.node.advertise=127.0.0.1:" + front.getLocalPort();
        Thread.ofPlatform().daemon().name("proxy-" + name).start(() -> accept(front, name, port));
        final Process process = TuttiScript.start(dir, Map.of("TUTTI_DAEMON_OPTS", jvm),
            Stream.concat(Stream.of("daemon", "--name", name, "--listen", "127.0.0.1:" + port), Stream.of(options)).toArray(String[]::new));
        // it joins others before it is ready
        names.put(process.pid(), name);
        final TuttiScript.Daemon daemon = new TuttiScript.Daemon(process);
        daemons.add(daemon);
        return daemon;
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, LOOPBACK)) {
            return free.getLocalPort();
        }
    }

    private void accept(final ServerSocket front, final String name, final int port) {
        try {
            while (true) {
                final Socket from = front.accept();
                sockets.add(from);
                Thread.ofVirtual().start(() -> forward(from, name, port));
            }
        } catch (final IOException e) {
            // the test has ended
        }
    }

    private void forward(final Socket from, final String name, final int port) {
        try {
            final String opener = opener(from);
            awaitWhole(opener, name);
            final Socket to = new Socket(LOOPBACK, port);
            sockets.add(to);
            Thread.ofVirtual().start(() -> copy(to, from, opener, name));
            copy(from, to, opener, name);
        } catch (final IOException | InterruptedException e) {
            close(from);
        }
    }

    private void copy(final Socket from, final Socket to, final String opener, final String name) {
        final byte[] buffer = new byte[1 << 16];
        try {
            final InputStream in = from.getInputStream();
            final OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                awaitWhole(opener, name);
                out.write(buffer, 0, n);
            }
            awaitWhole(opener, name);
        } catch (final IOException | InterruptedException e) {
            // the other direction ends, too
        }
        close(from);
        close(to);
    }

    private void close(final Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Waits until bytes pass between two nodes; a command has the name of no node. */
    private synchronized void awaitWhole(final String opener, final String name) throws InterruptedException {
        while (!opener.isEmpty() && separated.contains(opener) != separated.contains(name)) {
            wait();
        }
    }

    /** Returns the name of the daemon that opened a connection; empty for a command. */
    private String opener(final Socket accepted) throws IOException {
        final String local = String.format(":%04X", accepted.getPort());
        final String remote = String.format(":%04X", accepted.getLocalPort());
        for (final String table : List.of("tcp", "tcp6")) {
            for (final String line : Files.readAllLines(Path.of("/proc/net", table))) {
                final String[] words = line.strip().split("\\s+");
                if (words.length > 9 && words[1].endsWith(local) && words[2].endsWith(remote)) {
                    return owner("socket:[" + words[9] + "]");
                }
            }
        }
        return "";
    }

    private String owner(final String socket) throws IOException {
        for (final Map.Entry<Long, String> daemon : names.entrySet()) {
            try (Stream<Path> files = Files.list(Path.of("/proc", daemon.getKey().toString(), "fd"))) {
                for (final Path file : files.toList()) {
                    if (target(file).equals(socket)) {
                        return daemon.getValue();
                    }
                }
            } catch (final NoSuchFileException e) {
                // the daemon has ended
            }
        }
        return "";
    }

    private static String target(final Path file) throws IOException {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (final NoSuchFileException e) {
            return "";
        }
    }

    /** Cuts the network between some nodes and all others. */
    synchronized void cut(final String... nodes) {
        separated = Set.of(nodes);
    }

    /** Ends the cut: bytes that waited arrive. */
    synchronized void heal() {
        separated = Set.of();
        notifyAll();
    }

    @Override
    public void close() throws IOException {
        heal();
        for (final TuttiScript.Daemon daemon : daemons.reversed()) {
            daemon.close();
        }
        for (final Closeable socket : sockets) {
            socket.close();
        }
    }
}
