package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests clusters whose nodes are killed, stopped for a while, cut off, and come and go. Profile {@code soak} stops a node for a minute, and makes 20
 * joins and leaves.
 */
@Tag("nightly")
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
class MembershipIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(90);
    /** For a job that begins on a node with a part of a processor that is busy. */
    private static final Duration STARTED = Duration.ofMinutes(5);
    private static final int STOPPED_SECONDS = Integer.getInteger("tutti.stopped", 14);
    /** Nodes that join at the same time. */
    private static final int AT_ONCE = 4;
    private static final int JOINS = Integer.getInteger("tutti.joins", 4);

    @TempDir
    private static Path dir;
    private static Path programs;

    @BeforeAll
    static void compile() throws IOException {
        programs = Files.createDirectory(dir.resolve("programs"));
        // communicates until it reads a line
        TuttiScript.writeProgram(programs, "Holds", """
            java.util.concurrent.FutureTask<Integer> line = new java.util.concurrent.FutureTask<>(System.in::read);
            if (rank == 0) { Thread.ofVirtual().start(line); }
            int[] sum = new int[2];
            for (boolean first = true; sum[1] == 0; first = false) {
                sum[0] = rank + 1;
                sum[1] = rank == 0 && line.isDone() ? 1 : 0;
                MPI.COMM_WORLD.allReduce(sum, 2, MPI.INT, MPI.SUM);
                if (rank == 0 && first) { System.out.println("up on " + size); }
                if (sum[0] != size * (size + 1) / 2) { System.exit(9); }
                Thread.sleep(5);
            }
            if (rank == 0) { System.out.println("sum " + sum[0]); }""");
        TuttiScript.compile(programs, "Holds");
    }

    /** Returns the names of the nodes that a node sees. */
    private static List<String> view(final TuttiScript.Daemon node) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(ThreeNodeCluster.commandLine(node, "nodes", "--json"));
        assertEquals(0, r.status(), r::toString);
        final List<String> names = new ArrayList<>();
        for (final JsonNode n : JSON.readTree(r.out())) {
            names.add(n.get("name").asText());
        }
        return names;
    }

    private static void awaitView(final List<TuttiScript.Daemon> nodes, final String... names) {
        for (final TuttiScript.Daemon n : nodes) {
            await().atMost(LIMIT).pollInterval(Duration.ofMillis(20)).untilAsserted(() -> assertEquals(List.of(names), view(n), n.address));
        }
    }

    /** Starts a job whose first rank is on a node, and waits until it communicates. */
    private static CommandInJvm.Running start(final TuttiScript.Daemon node, final int ranks) throws Exception {
        final CommandInJvm.Running job = CommandInJvm.start(ThreeNodeCluster.commandLine(node, "run", "-n", Integer.toString(ranks), "--cp",
            programs.toString(), "Holds"));
        if (!job.lines(1, STARTED).equals(List.of("up on " + ranks))) {
            throw new IllegalStateException("job does not start: " + job.end());
        }
        return job;
    }

    /** Ends a job, which must have run undisturbed. */
    private static void end(final CommandInJvm.Running job) throws Exception {
        job.in.write('\n');
        final TuttiScript.Result r = job.end();
        assertEquals(0, r.status(), r::toString);
        assertTrue(r.out().contains("sum "), r::toString);
    }

    private static void runShortJob(final TuttiScript.Daemon node, final int ranks) throws Exception {
        end(start(node, ranks));
    }

    private static void signal(final TuttiScript.Daemon node, final String signal) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + signal, Long.toString(node.process.pid())).start().waitFor());
    }

    /** Waits for the end of a job that lost a node; returns its message. */
    private static String awaitLoss(final CommandInJvm.Running job) throws Exception {
        final TuttiScript.Result r = job.end();
        assertEquals(3, r.status(), r::toString);
        return r.err();
    }

    private static void report(final String what, final long since) {
        System.out.println("timing: " + what + ": ms=" + (System.nanoTime() - since) / 1_000_000);
    }

    @Test
    void shouldExcludeAKilledNodeAndWaitForAStoppedOneWithItsJobsWhileAnotherJoins() throws Exception {
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
             TuttiScript.Daemon c = new TuttiScript.Daemon(dir, "--name", "c", "--join", a.address)) {
            try (TuttiScript.Daemon d = new TuttiScript.Daemon(dir, "--name", "d", "--join", b.address)) {
                final long since = System.nanoTime();
                d.process.destroyForcibly();
                awaitView(List.of(a, b, c), "a", "b", "c");
                report("view without a killed node", since);
            }
            final CommandInJvm.Running untouched = start(a, 2);
            final CommandInJvm.Running touched = start(a, 3);
            final long since = System.nanoTime();
            final TuttiScript.Daemon e;
            signal(c, "STOP");
            try {
                // a command for the stopped node is in its handshake until it continues
                final CommandInJvm.Running waits = CommandInJvm.start(ThreeNodeCluster.commandLine(c, "nodes", "--json"));
                e = new TuttiScript.Daemon(dir, "--name", "e", "--join", a.address);
                await().pollDelay(Duration.ZERO).atMost(LIMIT.plusSeconds(STOPPED_SECONDS))
                    .until(() -> System.nanoTime() - since > TimeUnit.SECONDS.toNanos(STOPPED_SECONDS));
                signal(c, "CONT");
                assertEquals(0, waits.end().status());
            } finally {
                signal(c, "CONT");
            }
            final long continued = System.nanoTime();
            try (e) {
                awaitView(List.of(a, b, c, e), "a", "b", "c", "e");
                report("view with the continued node", continued);
                end(touched);
                end(untouched);
                runShortJob(b, 4);
                for (final TuttiScript.Daemon node : List.of(a, b, c)) {
                    DaemonInspector.awaitJobsReleased(node);
                }
            }
        }
    }

    /** Quota of a tenth of a processor for a node, which is stopped for nine tenths of each fifth of a second until this is closed. */
    private record Quota(TuttiScript.Daemon node, Process stopping) implements AutoCloseable {
        static Quota of(final TuttiScript.Daemon node) throws IOException {
            return new Quota(node, new ProcessBuilder("sh", "-c", "while kill -STOP $0 2>&-; do sleep 0.18; kill -CONT $0 2>&-; sleep 0.02; done",
                Long.toString(node.process.pid())).start());
        }

        @Override
        public void close() throws IOException {
            stopping.destroyForcibly().onExit().join();
            new ProcessBuilder("kill", "-CONT", Long.toString(node.process.pid())).start().onExit().join();
        }
    }

    @Test
    void shouldServeNodesCommandsAndChangesAtANodeWithATenthOfAProcessor() throws Exception {
        final Path ring = new ModuleBundles(dir).ring("8.0.0");
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a"); Quota quota = Quota.of(a);
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address)) {
            final long since = System.nanoTime();
            awaitView(List.of(a, b), "a", "b");
            final TuttiScript.Result installed = CommandInJvm.run(ThreeNodeCluster.commandLine(b, "install", ring.toString()));
            assertEquals(0, installed.status(), installed::toString);
            runShortJob(b, 2);
            runShortJob(a, 2);
            report("two nodes, one with a tenth of a processor", since);
            assertTrue(quota.stopping().isAlive());
        }
    }

    @Test
    void shouldGoOnInBothPartsOfACutClusterAndBeOneAgainWhenItHeals() throws Exception {
        final Path ring = new ModuleBundles(dir).ring("7.0.0");
        try (PartitionedNodes network = new PartitionedNodes(dir)) {
            final TuttiScript.Daemon c = network.start("c");
            final TuttiScript.Daemon d = network.start("d", "--join", network.address("c"));
            final CommandInJvm.Running second = start(c, 2);
            final TuttiScript.Daemon a = network.start("a", "--join", network.address("c"));
            final TuttiScript.Daemon b = network.start("b", "--join", network.address("d"));
            final List<TuttiScript.Daemon> all = List.of(a, b, c, d);
            awaitView(all, "a", "b", "c", "d");
            final CommandInJvm.Running first = start(a, 2);
            final CommandInJvm.Running across = start(a, 4);
            final long since = System.nanoTime();
            network.cut("c", "d");
            final String loss = awaitLoss(across);
            assertTrue(loss.matches("(?s).*node [cd] was lost: it does not answer: it hangs, or the network between it and node a is cut.*"), loss);
            awaitView(List.of(a, b), "a", "b");
            awaitView(List.of(c, d), "c", "d");
            report("views of two parts", since);
            network.open();
            for (final TuttiScript.Daemon node : List.of(b, d)) {
                runShortJob(node, 2);
                final TuttiScript.Result refused = CommandInJvm.run(ThreeNodeCluster.commandLine(node, "install", ring.toString()));
                assertEquals(1, refused.status(), refused::toString);
                assertTrue(refused.err().matches("(?s)tutti: node \\w reaches 2 of the 4 nodes of the last agreed view, which is no majority: "
                    + "missing=\\[\\w, \\w]; nothing was changed; change this part of the cluster alone with: --force\n"), refused::toString);
            }
            final TuttiScript.Result forced = CommandInJvm.run(ThreeNodeCluster.commandLine(a, "install", "--force", ring.toString()));
            assertEquals(0, forced.status(), forced::toString);
            final long healed = System.nanoTime();
            network.heal();
            awaitView(all, "a", "b", "c", "d");
            report("views of the healed cluster", healed);
            runShortJob(d, 4);
            end(first);
            end(second);
            final TuttiScript.Result everywhere = CommandInJvm.run(ThreeNodeCluster.commandLine(d, "install", ring.toString()));
            assertEquals(0, everywhere.status(), everywhere::toString);
        }
    }

    @Test
    void shouldHaveTheRightViewEverywhereWhileNodesComeAndGo() throws Exception {
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
             ExecutorService starts = Executors.newVirtualThreadPerTaskExecutor()) {
            final CommandInJvm.Running job = start(a, 2);
            final long since = System.nanoTime();
            for (int i = 0; i < JOINS; i += AT_ONCE) {
                final List<Future<TuttiScript.Daemon>> started = new ArrayList<>();
                for (int k = 0; k < AT_ONCE; k++) {
                    final String[] options = {"--name", "x" + k, "--join", (k % 2 == 0 ? a : b).address};
                    started.add(starts.submit(() -> new TuttiScript.Daemon(dir, options)));
                }
                final List<TuttiScript.Daemon> all = new ArrayList<>(List.of(a, b));
                for (final Future<TuttiScript.Daemon> x : started) {
                    all.add(x.get());
                }
                awaitView(all, "a", "b", "x0", "x1", "x2", "x3");
                all.get(2).process.destroyForcibly();
                all.get(3).process.destroyForcibly();
                all.subList(2, all.size()).forEach(x -> x.process.toHandle().destroy());
                awaitView(List.of(a, b), "a", "b");
                all.subList(2, all.size()).forEach(TuttiScript.Daemon::close);
            }
            report(JOINS + " joins and leaves", since);
            end(job);
        }
    }
}
