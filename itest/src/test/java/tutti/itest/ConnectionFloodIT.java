package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that jobs run while peers open thousands of connections to their nodes and say nothing, and that afterwards the nodes are as before. Profile
 * {@code soak} opens 10,000 connections without a hello and 3,000 with one; fewer where the hard limit of open files does not allow them.
 */
@Tag("nightly")
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
@EnabledOnOs(OS.LINUX)
class ConnectionFloodIT {
    private static final int IDLE = Integer.getInteger("tutti.flood.idle", 600);
    private static final int SILENT = Integer.getInteger("tutti.flood.silent", 200);
    private static final int THREADS = 64;
    private static final int ATTEMPTS = 5;
    private static final int CONNECT_MILLIS = 120_000;
    private static final Duration LIMIT = Duration.ofSeconds(120);
    /** Descriptors that a process has besides those of the flood. */
    private static final int SPARE_DESCRIPTORS = 1_000;

    @TempDir
    private Path dir;
    private final List<TuttiScript.Daemon> nodes = new ArrayList<>();
    private final Queue<RawLink> links = new ConcurrentLinkedQueue<>();
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    /** Connections whose hello came too late. */
    private final AtomicInteger dropped = new AtomicInteger();
    private Thread heartbeats;
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void compile() throws IOException {
        TuttiScript.writeProgram(dir, "Sums", """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            if (sum[0] != size * (size + 1) / 2) { System.exit(9); }""");
        TuttiScript.writeProgram(dir, "Holds", """
            if (rank == 0) { System.out.println("up"); System.in.read(); }
            int[] sum = {rank + 1};
            for (int i = 0; i < 100; i++) { MPI.COMM_WORLD.allReduce(new int[] {rank + 1}, sum, 1, MPI.INT, MPI.SUM); }
            if (sum[0] != size * (size + 1) / 2) { System.exit(9); }""");
        TuttiScript.compile(dir, "Sums");
        TuttiScript.compile(dir, "Holds");
    }

    @AfterEach
    void close() throws Exception {
        if (heartbeats != null) {
            heartbeats.interrupt();
            heartbeats.join();
        }
        for (final RawLink l : links) {
            l.close();
        }
        for (final Socket s : sockets) {
            s.close();
        }
        nodes.reversed().forEach(TuttiScript.Daemon::close);
    }

    /** Keeps the links of the flood alive, which a daemon would close otherwise, until the test ends. */
    private void keepAlive() {
        heartbeats = Thread.ofPlatform().daemon().name("heartbeats").start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                links.forEach(RawLink::heartbeat);
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
            }
        });
    }

    private void start(final String options) throws Exception {
        for (final String name : List.of("a", "b")) {
            final List<String> args = new ArrayList<>(List.of("--name", name, "--dir", dir.resolve("node-" + name).toString()));
            if (!nodes.isEmpty()) {
                args.addAll(List.of("--join", nodes.getFirst().address));
            }
            nodes.add(new TuttiScript.Daemon(dir, Map.of("TUTTI_DAEMON_OPTS", TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS")
                + " -Dtutti.node.silence=30000" + options),
                args.toArray(String[]::new)));
        }
        assertRunsJobs(3);
    }

    private TuttiScript.Result job(final String program) throws Exception {
        return CommandInJvm.run(commandLine(program));
    }

    private String[] commandLine(final String program) {
        return ThreeNodeCluster.commandLine(nodes.getFirst(), "run", "-n", "3", "--map", "node", "--timeout", "300", "--cp", dir.toString(), program);
    }

    private void assertRunsJobs(final int count) throws Exception {
        for (int i = 0; i < count; i++) {
            final TuttiScript.Result r = job("Sums");
            assertEquals(0, r.status(), r::toString);
        }
    }

    /** Returns a number of connections that the descriptors of this process and of a daemon allow. */
    private int allowed(final int wanted) throws IOException {
        int allowed = wanted;
        for (final String process : List.of("self", Long.toString(nodes.getFirst().process.pid()))) {
            final String[] limit =
                Files.readAllLines(Path.of("/proc", process, "limits")).stream().filter(l -> l.startsWith("Max open files")).findFirst()
                    .orElseThrow().split("\\s+");
            if (!limit[3].equals("unlimited")) {
                allowed = Math.min(allowed, Integer.parseInt(limit[3]) - SPARE_DESCRIPTORS);
            }
        }
        if (allowed < wanted) {
            System.out.println("flood: " + allowed + " instead of " + wanted + " connections, which the limit of open files allows");
        }
        return allowed;
    }

    /** Opens one of the connections of a flood. */
    private interface Opener {
        void open(int number) throws Exception;
    }

    /** Opens connections on threads of their own. */
    private List<Thread> flood(final int count, final Opener opener) {
        final AtomicInteger numbers = new AtomicInteger();
        final List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            threads.add(Thread.ofVirtual().start(() -> {
                try {
                    for (int i = numbers.getAndIncrement(); i < count && failures.isEmpty(); i = numbers.getAndIncrement()) {
                        opener.open(i);
                    }
                } catch (final Exception e) {
                    failures.add(e);
                }
            }));
        }
        return threads;
    }

    /** Runs jobs until the connections are open; returns how many. */
    private int runJobsUntilOpen(final List<Thread> flood) throws Exception {
        int jobs = 0;
        do {
            assertRunsJobs(1);
            jobs++;
        } while (flood.stream().anyMatch(Thread::isAlive));
        assertEquals(List.of(), List.copyOf(failures));
        return jobs;
    }

    private void assertAsBefore(final List<NodeFootprint> before, final String what) throws Exception {
        for (int i = 0; i < nodes.size(); i++) {
            final NodeFootprint after = before.get(i).assertAsBefore(nodes.get(i));
            System.out.println(what + ": node " + i + " before=" + before.get(i) + ", after=" + after);
        }
    }

    /** Returns the lines that a daemon which has ended logged about a limit. */
    private List<String> logged(final int node, final String limit) throws Exception {
        nodes.get(node).close();
        return nodes.get(node).err.get(60, TimeUnit.SECONDS).lines().filter(l -> l.contains("limit=" + limit)).toList();
    }

    /** Asserts that a limit was logged, once a period of 10 s at most. */
    private void assertLogged(final int node, final String limit, final long sinceNanos) throws Exception {
        final long periods = 1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - sinceNanos) / 10;
        final List<String> lines = logged(node, limit);
        assertTrue(!lines.isEmpty() && lines.size() <= periods, () -> "lines: " + lines + ", periods: " + periods);
    }

    @Test
    void shouldRunJobsDuringAFloodOfConnectionsWithoutAHello() throws Exception {
        // so that fewer connections than those of the soak reach the limit, too
        start(" -Dtutti.tcp.hello=5000 -Dtutti.tcp.handshakes=" + Math.min(512, IDLE / 8));
        final int count = allowed(IDLE);
        final List<NodeFootprint> before = NodeFootprint.of(nodes);
        final CommandInJvm.Running running = CommandInJvm.start(commandLine("Holds"));
        assertEquals(List.of("up"), running.lines(1));
        final long since = System.nanoTime();
        final List<Thread> flood = flood(count, i -> {
            final Socket s = new Socket();
            sockets.add(s);
            s.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), nodes.get(i % 2).port()), CONNECT_MILLIS);
        });
        final int jobs = runJobsUntilOpen(flood);
        final long opened = System.nanoTime() - since;
        for (final Socket s : sockets) {
            s.setSoTimeout(60_000);
            try {
                assertEquals(-1, s.getInputStream().read(), "bytes without a hello");
            } catch (final IOException e) {
                // a reset drops the connection, too
                assertTrue(e.getMessage().startsWith("Connection reset"), e::toString);
            }
        }
        final TuttiScript.Result end = running.end();
        assertEquals(0, end.status(), end::toString);
        assertRunsJobs(1);
        assertAsBefore(before, "flood of " + count + " connections without a hello, " + jobs + " jobs in " + opened / 1_000_000 + " ms");
        assertLogged(1, "tutti.tcp.handshakes", since);
    }

    /**
     * Opens a link of some purpose with a valid hello, and says nothing; returns the reason when it is refused. A connection whose hello comes late
     * makes room for others, and is made again.
     */
    private String openSilent(final int number) throws IOException {
        for (int attempt = 1;; attempt++) {
            try {
                return openOnce(number);
            } catch (final IOException e) {
                dropped.incrementAndGet();
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private String openOnce(final int number) throws IOException {
        final RawLink link = new RawLink(nodes.get(number % 2).port());
        links.add(link);
        final int port = link.port();
        link.send(switch (number / 2 % 8) {
            case 0 -> RawLink.node(port, "node", "z" + number, "null");
            case 1 -> RawLink.node(port, "node", "z" + number, "\"z-" + number + "-0000\"");
            case 2 -> RawLink.node(port, "change", "z" + number, "null");
            default -> RawLink.command(port, RawLink.ROLES.get(number % 4));
        });
        return link.answer();
    }

    @Test
    void shouldRunJobsBesideThousandsOfLinksThatSayNothing() throws Exception {
        start("");
        final int count = allowed(SILENT);
        final List<NodeFootprint> before = NodeFootprint.of(nodes);
        final CommandInJvm.Running running = CommandInJvm.start(commandLine("Holds"));
        assertEquals(List.of("up"), running.lines(1));
        final long since = System.nanoTime();
        keepAlive();
        final int jobs = runJobsUntilOpen(flood(count, i -> assertEquals("", openSilent(i))));
        final long opened = System.nanoTime() - since;
        assertRunsJobs(3);
        final TuttiScript.Result listed = CommandInJvm.run(ThreeNodeCluster.commandLine(nodes.getFirst(), "ps"));
        assertEquals(0, listed.status(), listed::toString);
        final TuttiScript.Result end = running.end();
        assertEquals(0, end.status(), end::toString);
        for (final RawLink l : links) {
            l.close();
        }
        assertAsBefore(before, "flood of " + count + " silent links, " + jobs + " jobs in " + opened / 1_000_000 + " ms, "
            + dropped + " made again");
    }

    @Test
    void shouldRefuseMoreSilentLinksThanItsLimitAndTakeCommandsWhenThoseAreClosed() throws Exception {
        final int most = Math.max(16, SILENT / 2);
        start(" -Dtutti.node.connections=" + most / 2 + " -Dtutti.node.idle=5000");
        final int count = allowed(SILENT);
        final List<NodeFootprint> before = NodeFootprint.of(nodes);
        final CommandInJvm.Running running = CommandInJvm.start(commandLine("Holds"));
        assertEquals(List.of("up"), running.lines(1));
        final long since = System.nanoTime();
        keepAlive();
        final Queue<String> reasons = new ConcurrentLinkedQueue<>();
        for (final Thread t : flood(count, i -> reasons.add(openSilent(i)))) {
            t.join();
        }
        assertEquals(List.of(), List.copyOf(failures));
        final List<String> refused = reasons.stream().filter(r -> !r.isEmpty()).toList();
        assertTrue(refused.size() >= count - most, () -> "refused: " + refused.size() + " of " + count);
        assertTrue(refused.stream().allMatch(r -> r.matches("too many connections: node=[ab], (connections=\\d+, limit=tutti\\.node\\.connections|"
            + "commands=\\d+, limit=tutti\\.node\\.connections\\*3/4); try again later.*")), refused::toString);
        final TuttiScript.Result full = job("Sums");
        if (full.status() != 0) {
            assertEquals(5, full.status(), full::toString);
            assertTrue(full.err().matches("tutti: daemon at \\S+ refuses: too many connections: node=a, .*\n"), full::toString);
        }
        await().atMost(LIMIT).until(() -> job("Sums").status() == 0);
        final TuttiScript.Result end = running.end();
        assertEquals(0, end.status(), end::toString);
        for (final RawLink l : links) {
            l.socket.setSoTimeout(60_000);
            l.rest();
            l.close();
        }
        assertAsBefore(before, "flood of " + count + " silent links, of which " + refused.size() + " are refused, a command meanwhile had status "
            + full.status());
        assertLogged(1, "tutti.node.connections", since);
        assertTrue(!logged(1, "tutti.node.idle").isEmpty(), "closed links are logged");
    }
}
