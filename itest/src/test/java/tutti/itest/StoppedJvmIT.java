package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests jobs one of whose JVMs is stopped by a signal: those that report losses go on without it, others wait until it continues. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class StoppedJvmIT {
    @TempDir
    private static Path dir;
    private static Path programs;
    private static ThreeNodeCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        programs = Files.createDirectory(dir.resolve("programs"));
        TuttiScript.writeProgram(programs, "GoesOn", """
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            Intracomm comm = MPI.COMM_WORLD;
            int[] sum = {rank};
            comm.allReduce(sum, 1, MPI.INT, MPI.SUM);
            System.out.println("rank " + rank + " on " + MPI.getNodeName() + ", pid " + ProcessHandle.current().pid());
            try {
                while (true) {
                    comm.allReduce(new int[] {rank}, new int[1], 1, MPI.INT, MPI.SUM);
                    Thread.sleep(1);
                }
            } catch (ProcessFailedException | RevokedException e) {
                comm.revoke();
                comm = comm.shrink();
            }
            sum[0] = rank;
            comm.allReduce(sum, 1, MPI.INT, MPI.SUM);
            System.out.println("rank " + rank + " of " + size + " sums " + sum[0] + " with " + comm.getSize() + " at " + System.currentTimeMillis());
            comm.free();""");
        TuttiScript.compile(programs, "GoesOn");
        TuttiScript.writeProgram(programs, "Waits", """
            System.out.println("rank " + rank + " on " + MPI.getNodeName() + ", pid " + ProcessHandle.current().pid());
            if (rank == 0) { System.in.read(); }
            int[] sum = {rank};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            System.out.println("sum " + sum[0]);""");
        TuttiScript.compile(programs, "Waits");
        cluster = ThreeNodeCluster.shared();
    }

    private static CommandInJvm.Running run(final int ranks, final String... args) throws Exception {
        final List<String> line = new ArrayList<>(List.of("-n", Integer.toString(ranks), "--map", "node", "--cp", programs.toString()));
        line.addAll(List.of(args));
        return CommandInJvm.start(ThreeNodeCluster.commandLine(cluster.a, "run", line.toArray(String[]::new)));
    }

    /** Returns the id of the process of a job's JVM on a node, from what its program has printed. */
    private static long pid(final List<String> lines, final String node) {
        final String line = lines.stream().filter(l -> l.contains(" on " + node + ", pid ")).findFirst().orElseThrow(() -> new AssertionError(lines));
        return Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
    }

    private static void signal(final long pid, final String name) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor());
    }

    /** Stops the JVM of a node, and asserts that the ranks of the others go on and the job ends well. */
    private static void assertGoesOnWithout(final String node, final int ranks, final String... args) throws Exception {
        final CommandInJvm.Running job = run(ranks, args);
        final List<String> lines = job.lines(ranks);
        final long pid = pid(lines, node);
        final List<Integer> lost = IntStream.range(0, ranks).filter(r -> lines.stream().anyMatch(l -> l.startsWith("rank " + r + " on ")
            && l.endsWith(", pid " + pid))).boxed().toList();
        final int sum = IntStream.range(0, ranks).filter(r -> !lost.contains(r)).sum();
        signal(pid, "STOP");
        final TuttiScript.Result r = job.end();
        assertEquals(0, r.status(), r::toString);
        assertTrue(r.err().matches("tutti: node " + node + "(/\\d+)?: the JVM of job a-\\S+ has ended \\(pid=" + pid
            + "\\): it did not answer, and was killed: its process was stopped: rank" + (lost.size() == 1 ? " " : "s ")
            + lost.stream().map(String::valueOf).collect(Collectors.joining(" and ")) + (lost.size() == 1 ? " has" : " have")
            + " failed, the job goes on with " + (ranks - lost.size()) + " ranks\n"), r::toString);
        assertEquals(ranks - lost.size(), r.out().lines().filter(l -> l.contains(" of " + ranks + " sums " + sum + " with " + (ranks - lost.size())
            + " at ")).count(), r::toString);
    }

    @Tag("nightly")
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void shouldGoOnWithoutARankWhoseOwnJvmIsStopped() throws Exception {
        assertGoesOnWithout("c", 4, "--on-loss=report", "--ranks-per-jvm", "1", "GoesOn");
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void shouldGoOnWithoutAStoppedJvmOnlyInAJobThatReportsLosses() throws Exception {
        final CommandInJvm.Running ends = run(3, "--on-loss=end", "Waits");
        final long pid = pid(ends.lines(3), "b");
        signal(pid, "STOP");
        try {
            ends.in.write('\n');
            ends.in.flush();
            // its JVM has been stopped for longer than that of this job when this job goes on
            assertGoesOnWithout("b", 6, "--on-loss=report", "GoesOn");
        } finally {
            signal(pid, "CONT");
        }
        final TuttiScript.Result r = ends.end();
        assertEquals(0, r.status(), r::toString);
        assertEquals("", r.err());
        assertEquals(3, r.out().lines().filter("sum 3"::equals).count(), r::toString);
    }
}
