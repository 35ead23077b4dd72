package tutti.itest;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * Daemons that reach each other through a proxy, which can cut the network between two groups of them: connections stay open, and their bytes wait
 * until the network is whole again. No new connection is made between any daemons, not even one that waits to be accepted, until {@link #open} is
 * called. The proxy finds out by {@code /proc} which daemon opened a connection; commands do not use it.
 */
final class PartitionedNodes implements AutoCloseable {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private final Path dir;
    private final Map<Long, String> names = new ConcurrentHashMap<>();
    private final List<TuttiScript.Daemon> daemons = new ArrayList<>();
    private final List<Closeable> sockets = new CopyOnWriteArrayList<>();
    /** Where daemons reach each other, by name; closed during a cut. Guarded by this object. */
    private final Map<String, ServerSocket> fronts = new HashMap<>();
    private final Map<String, Integer> ports = new HashMap<>();
    /** Names of the nodes that are separated from the others. Guarded by this object. */
    private Set<String> separated = Set.of();

    PartitionedNodes(final Path dir) {
        this.dir = dir;
    }

    /** Starts a daemon that others reach through the proxy. */
    TuttiScript.Daemon start(final String name, final String... options) throws Exception {
        final int port = freePort();
        final ServerSocket front = open(name, port, 0);
        final String jvm = TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS") + " -Dtutti.node.advertise=127.0.0.1:" + front.getLocalPort();
        final Process process = TuttiScript.start(dir, Map.of("TUTTI_DAEMON_OPTS", jvm),
            Stream.concat(Stream.of("daemon", "--name", name, "--listen", "127.0.0.1:" + port), Stream.of(options)).toArray(String[]::new));
        // it joins others before it is ready
        names.put(process.pid(), name);
        final TuttiScript.Daemon daemon = new TuttiScript.Daemon(process, "127.0.0.1:" + port);
        daemons.add(daemon);
        return daemon;
    }

    /** Returns the address at which other daemons reach one. */
    synchronized String address(final String name) {
        return "127.0.0.1:" + fronts.get(name).getLocalPort();
    }

    private synchronized ServerSocket open(final String name, final int port, final int at) throws IOException {
        final ServerSocket front = new ServerSocket();
        front.setReuseAddress(true);
        front.bind(new InetSocketAddress(LOOPBACK, at), 64);
        fronts.put(name, front);
        ports.put(name, port);
        Thread.ofPlatform().daemon().name("proxy-" + name).start(() -> accept(front, name, port));
        return front;
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
    synchronized void cut(final String... nodes) throws IOException {
        separated = Set.of(nodes);
        for (final ServerSocket front : fronts.values()) {
            front.close();
        }
    }

    /** Lets daemons of one group connect again; connections between the groups are accepted and pass no bytes. */
    synchronized void open() throws IOException {
        for (final Map.Entry<String, ServerSocket> front : Map.copyOf(fronts).entrySet()) {
            if (front.getValue().isClosed()) {
                open(front.getKey(), ports.get(front.getKey()), front.getValue().getLocalPort());
            }
        }
    }

    /** Ends the cut: bytes that waited arrive. */
    synchronized void heal() throws IOException {
        open();
        separated = Set.of();
        notifyAll();
    }

    @Override
    public void close() throws IOException {
        heal();
        for (final TuttiScript.Daemon daemon : daemons.reversed()) {
            daemon.close();
        }
        for (final ServerSocket front : fronts.values()) {
            front.close();
        }
        for (final Closeable socket : sockets) {
            socket.close();
        }
    }
}
