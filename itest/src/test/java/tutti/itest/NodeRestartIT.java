package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node in whose JVM a job leaves a thread that nobody can stop, since it waits in native code. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class NodeRestartIT {
    private static final Map<String, String> OPTIONS = Map.of("TUTTI_DAEMON_OPTS", TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS")
        + " -Dtutti.node.isolation=shared");

    @TempDir
    private Path dir;
    private TuttiScript.Daemon a;
    private TuttiScript.Daemon b;

    @BeforeEach
    void startNodes() throws Exception {
        TuttiScript.writeProgram(dir, "Leaves", """
            if (rank == size - 1) {
            java.lang.foreign.Linker linker = java.lang.foreign.Linker.nativeLinker();
            java.lang.invoke.MethodHandle sleep = linker.downcallHandle(linker.defaultLookup().findOrThrow("sleep"),
                java.lang.foreign.FunctionDescriptor.of(java.lang.foreign.ValueLayout.JAVA_INT, java.lang.foreign.ValueLayout.JAVA_INT));
            java.util.concurrent.CountDownLatch runs = new java.util.concurrent.CountDownLatch(1);
            Thread thread = new Thread(() -> {
                try {
                    // links the call: the next one is in native code at once
                    int none = (int) sleep.invokeExact(0);
                    runs.countDown();
                    while (true) { int left = (int) sleep.invokeExact(3600); }
                } catch (Throwable e) { throw new IllegalStateException(e); }
            }, "sleeper");
            thread.setDaemon(true);
            thread.start();
            runs.await();
            }""");
        TuttiScript.writeProgram(dir, "Reads", "if (rank == 0) { System.out.println(\"runs\"); System.in.read(); } MPI.COMM_WORLD.barrier();");
        // node a has the ranks before those of node b
        TuttiScript.writeProgram(dir, "Where", """
            char[] node = MPI.getNodeName().toCharArray();
            char[] all = new char[size * node.length];
            MPI.COMM_WORLD.gather(node, node.length, MPI.CHAR, all, node.length, MPI.CHAR, 0);
            if (rank == 0) { for (int i = 0; i < size; i++) { System.out.println(new String(all, i * node.length, node.length)); } }""");
        for (final String name : List.of("Leaves", "Reads", "Where")) {
            TuttiScript.compile(dir, name);
        }
        // a has a folder of its own, b a temporary one
        a = new TuttiScript.Daemon(dir, OPTIONS, "--name", "a", "--dir", dir.resolve("a").toString());
        b = new TuttiScript.Daemon(dir, OPTIONS, "--name", "b", "--join", a.address);
    }

    @AfterEach
    void stopNodes() {
        b.close();
        a.close();
    }

    private TuttiScript.Result run(final TuttiScript.Daemon at, final int ranks, final String program) throws Exception {
        return CommandInJvm.run(ThreeNodeCluster.commandLine(at, "run", "-n", Integer.toString(ranks), "--map", "block", "--cp", dir.toString(),
            program));
    }

    private boolean hasSleeper(final TuttiScript.Daemon node) throws Exception {
        return DaemonInspector.threads(node).stream().anyMatch(t -> t.contains("\"sleeper\""));
    }

    @Test
    void shouldTakeNoJobsUntilItHasRestartedItself() throws Exception {
        final CommandInJvm.Running other = CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", "-n", "2", "--cp", dir.toString(), "Reads"));
        assertEquals(List.of("runs"), other.lines(1));
        final TuttiScript.Result leaves = run(a, 2, "Leaves");
        assertEquals(0, leaves.status(), leaves::toString);

        // rank 1 is on node b, which is left out as soon as node a knows
        await().atMost(Duration.ofSeconds(60)).until(() -> run(a, 2, "Where").out().equals("a\na\n"));
        final TuttiScript.Result without = run(a, 2, "Where");
        assertEquals(0, without.status(), without::toString);
        assertTrue(without.err().startsWith("tutti: left out: node b takes no jobs: a thread of an ended job cannot be stopped: sleeper, job="),
            without::toString);
        assertTrue(without.err().contains("; it restarts by itself when it runs no job"), without::toString);
        final TuttiScript.Result coordinated = run(b, 1, "Where");
        assertEquals(1, coordinated.status(), coordinated::toString);
        assertTrue(coordinated.err().startsWith("tutti: node b takes no jobs: "), coordinated::toString);
        final TuttiScript.Result listing = CommandInJvm.run(ThreeNodeCluster.commandLine(a, "nodes"));
        assertTrue((listing.out() + listing.err()).contains("node b takes no jobs"), listing::toString);
        assertTrue(hasSleeper(b));

        final TuttiScript.Result ended = other.end();
        assertEquals(0, ended.status(), ended::toString);
        await().atMost(Duration.ofSeconds(90)).ignoreExceptions().until(() -> run(b, 2, "Where").out().equals("a\nb\n"));
        assertEquals("a\nb\n", run(a, 2, "Where").out());
        // the process that was started, in which another program runs now
        assertTrue(b.process.isAlive());
        assertTrue(!hasSleeper(b));
    }

    @Test
    void shouldJoinTheOthersAgainWhenItWasTheFirst() throws Exception {
        final TuttiScript.Result leaves = run(b, 1, "Leaves");
        assertEquals(0, leaves.status(), leaves::toString);
        assertTrue(hasSleeper(a));
        await().atMost(Duration.ofSeconds(90)).ignoreExceptions().until(() -> !hasSleeper(a) && run(b, 2, "Where").out().equals("a\nb\n"));
        assertEquals("a\nb\n", run(a, 2, "Where").out());
    }
}
