package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests changes of modules of running jobs: the ranks go on with right results, and the nodes remove what no rank uses any more. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@SuppressWarnings("try")
class LiveChangesIT {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    @TempDir
    private static Path dir;
    private static ModuleBundles modules;
    private static ThreeNodeCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = ThreeNodeCluster.shared();
        modules = new ModuleBundles(dir);
        // calls until it reads a line, in all three forms, on communicators that it makes and frees
        TuttiScript.writeProgram(dir, "CallsOn", """
            boolean[] isRead = {false};
            if (rank == 0) {
                Thread reader = new Thread(() -> {
                    try { System.in.read(); } catch (java.io.IOException e) { System.err.println(e); }
                    synchronized (isRead) { isRead[0] = true; }
                });
                reader.start();
                System.out.println("up");
            }
            int[] isOver = {0};
            int[] one = {1};
            int[] total = {0};
            Prequest persistent = MPI.COMM_WORLD.allReduceInit(one, total, 1, MPI.INT, MPI.SUM);
            Comm made = MPI.COMM_WORLD.dup();
            for (int i = 0; isOver[0] == 0; i++) {
                int[] sum = {rank + i};
                MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
                if (sum[0] != size * (size - 1) / 2 + size * i) { throw new AssertionError("call " + i + ": " + sum[0]); }
                int[] value = {rank == i % size ? i : -1};
                Request pending = MPI.COMM_WORLD.iBcast(value, 1, MPI.INT, i % size);
                persistent.start();
                persistent.waitFor();
                pending.waitFor();
                if (value[0] != i || total[0] != size) { throw new AssertionError("call " + i + ": " + value[0] + ", " + total[0]); }
                if (i % 50 == 0) {
                    made.free();
                    made = MPI.COMM_WORLD.dup();
                    synchronized (isRead) { isOver[0] = isRead[0] ? 1 : 0; }
                    made.bcast(isOver, 1, MPI.INT, 0);
                }
            }
            persistent.free();
            made.free();""");
        TuttiScript.compile(dir, "CallsOn");
    }

    @AfterEach
    void clear() throws Exception {
        cluster.uninstallAdded();
    }

    /** A job that calls collectives all the time. */
    private static final class CallingJob implements AutoCloseable {
        private final CommandInJvm.Running command;
        private final String id;

        CallingJob(final String... options) throws Exception {
            final List<String> line = new ArrayList<>(List.of("-n", "6", "--cp", dir.toString()));
            line.addAll(List.of(options));
            line.add("CallsOn");
            command = CommandInJvm.start(ThreeNodeCluster.commandLine(cluster.a, "run", line.toArray(String[]::new)));
            assertEquals(List.of("up"), command.lines(1));
            final List<String> jobs = cluster.run("ps").lines().toList();
            id = jobs.getLast().split(" +")[0];
        }

        /** Lets the job end, with right results. */
        @Override
        public void close() throws Exception {
            command.in.write('\n');
            final TuttiScript.Result r = command.end();
            assertEquals(0, r.status(), r::toString);
        }
    }

    /** Changes a module without its proof, and lets running jobs take it; returns what the command tells of jobs. */
    private static String change(final String command, final Object what, final String... options) throws Exception {
        final List<Object> args = new ArrayList<>(List.of(what, "--live"));
        args.addAll(List.of(options));
        if (!command.equals("rollback") && !command.equals("uninstall")) {
            args.add("--no-verify");
        }
        return cluster.run(command, args.toArray()).lines().filter(l -> l.startsWith("job ")).reduce("", (a, b) -> a + b + "\n")
            .replaceAll(" \\([0-9a-f]+\\)", "").replaceAll("[0-9]+ ms", "N ms").strip();
    }

    private static void awaitFiles(final int count) {
        for (final String node : List.of("a", "b", "c")) {
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertEquals(count, cluster.installedFiles(node).size(),
                () -> "modules in the container of node " + node));
        }
    }

    @Test
    void shouldUpdateAndRollBackAModuleOfARunningJob() throws Exception {
        cluster.run("install", modules.ring("1.0.0"), "--no-verify");
        try (CallingJob job = new CallingJob("-p", "coll.live=follow")) {
            assertEquals("job " + job.id + " uses ring 1.1.0 from now on: change 1, N ms", change("update", modules.ring("1.1.0")));
            // the version before is not used any more, though the job runs
            awaitFiles(1);
            assertEquals("job " + job.id + " uses ring 1.0.0 from now on: change 2, N ms", change("rollback", "ring"));
            awaitFiles(1);
            assertEquals("job " + job.id + " goes on without ring from now on: change 3, N ms", change("uninstall", "ring", "--job", job.id));
            awaitFiles(0);
        }
    }

    @Test
    void shouldLeaveJobsAloneThatDoNotFollow() throws Exception {
        cluster.run("install", modules.ring("1.0.0"), "--no-verify");
        try (CallingJob job = new CallingJob("-p", "coll.allreduce=ring")) {
            assertEquals("job " + job.id + " keeps its modules: coll.live=quarantine; start it with -p coll.live=follow",
                change("update", modules.ring("1.1.0")));
            awaitFiles(2);
            final String refused = cluster.runFailing(FAILED, "rollback", "ring", "--live", "--job", "none");
            assertTrue(refused.contains("none") && refused.contains(job.id), refused);
        }
        assertEquals(USAGE, cluster.tutti("rollback", "ring", "--job", "none").status());
    }

    @Tag("nightly")
    @Test
    void shouldGiveRightResultsWhileManyChangesCome() throws Exception {
        cluster.run("install", modules.ring("1.0.0"), "--no-verify");
        try (CallingJob job = new CallingJob("-p", "coll.live=follow", "-p", "coll.allreduce=ring")) {
            final Random random = new Random(41);
            int version = 0;
            for (int i = 0; i < 30; i++) {
                if (random.nextBoolean() || version == 0) {
                    version++;
                    change("update", modules.ring("1.0." + version));
                } else {
                    change("rollback", "ring");
                }
            }
            awaitFiles(1);
        }
    }
}
