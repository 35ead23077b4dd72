package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that daemons which have run many jobs hold what they held before: threads, descriptors, heap, files. Profile {@code soak} runs 300 jobs one
 * after the other and 20 at once.
 */
@Tag("nightly")
@Timeout(value = 1_200, unit = TimeUnit.SECONDS)
@EnabledOnOs(OS.LINUX)
class ManyJobsIT {
    private static final int JOBS = Integer.getInteger("tutti.jobs", 30);
    private static final int AT_ONCE = Integer.getInteger("tutti.jobs.atonce", 6);
    /** Jobs after which everything that jobs share is loaded and cached. */
    private static final int WARM_UP = 15;
    private static final int RANKS = 4;

    @TempDir
    private Path dir;
    private final List<TuttiScript.Daemon> nodes = new ArrayList<>();
    private Path programs;

    private void start(final String name, final String... join) throws Exception {
        final Path tmp = Files.createDirectory(dir.resolve("tmp-" + name));
        final List<String> args = new ArrayList<>(List.of("--name", name, "--dir", dir.resolve("node-" + name).toString()));
        args.addAll(List.of(join));
        nodes.add(new TuttiScript.Daemon(Files.createDirectory(dir.resolve("runs-" + name)), Map.of("TUTTI_DAEMON_OPTS",
            TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS") + " -Dtutti.node.silence=30000 -Djava.io.tmpdir=" + tmp), args.toArray(String[]::new)));
    }

    private String[] commandLine(final int number, final String program) {
        return ThreeNodeCluster.commandLine(nodes.get(number % nodes.size()), "run", "-n", Integer.toString(RANKS), "--map", "node", "--timeout",
            "300",
            "--cp", programs.toString(), program);
    }

    /** Runs jobs one after the other. */
    private void oneAfterTheOther(final int count) throws Exception {
        for (int i = 0; i < count; i++) {
            final TuttiScript.Result r = CommandInJvm.run(commandLine(i, "Sums"));
            assertEquals(0, r.status(), r::toString);
        }
    }

    /** Runs jobs at once: each has started before the first one ends. */
    private void atOnce(final int count) throws Exception {
        final List<CommandInJvm.Running> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            jobs.add(CommandInJvm.start(commandLine(i, "Holds")));
        }
        for (final CommandInJvm.Running job : jobs) {
            assertEquals(List.of("up"), job.lines(1, Duration.ofSeconds(300)));
        }
        for (final CommandInJvm.Running job : jobs) {
            final TuttiScript.Result r = job.end();
            assertEquals(0, r.status(), r::toString);
        }
    }

    @Test
    void shouldHoldAfterManyJobsWhatItHeldBefore() throws Exception {
        programs = Files.createDirectory(dir.resolve("programs"));
        TuttiScript.writeProgram(programs, "Sums", """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            java.nio.file.Files.createTempFile("left", ".tmp").toFile().delete();
            if (sum[0] != size * (size + 1) / 2) { System.exit(9); }""");
        TuttiScript.writeProgram(programs, "Holds", """
            MPI.COMM_WORLD.barrier();
            if (rank == 0) { System.out.println("up"); System.in.read(); }
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            if (sum[0] != size * (size + 1) / 2) { System.exit(9); }""");
        TuttiScript.compile(programs, "Sums");
        TuttiScript.compile(programs, "Holds");
        try {
            start("a");
            start("b", "--join", nodes.getFirst().address);
            oneAfterTheOther(WARM_UP);
            atOnce(2);
            final List<NodeFootprint> before = NodeFootprint.of(nodes);
            final List<Path> files = NodeFootprint.files(dir);
            final long since = System.nanoTime();
            oneAfterTheOther(JOBS);
            final long row = System.nanoTime();
            atOnce(AT_ONCE);
            final long end = System.nanoTime();
            for (int i = 0; i < nodes.size(); i++) {
                final NodeFootprint after = before.get(i).assertAsBefore(nodes.get(i));
                System.out.println(JOBS + " jobs in " + (row - since) / 1_000_000 + " ms, " + AT_ONCE + " at once in " + (end - row) / 1_000_000
                    + " ms: node " + i + " before=" + before.get(i) + ", after=" + after);
            }
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertEquals(List.of(),
                NodeFootprint.files(dir).stream().filter(f -> !files.contains(f)).toList(), "files that are left"));
        } finally {
            nodes.reversed().forEach(TuttiScript.Daemon::close);
        }
    }
}
