package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Tests jobs in Slurm allocations. Runs in the profile {@code slurm} only. */
@EnabledIfSystemProperty(named = "tutti.slurm", matches = "true", disabledReason = "runs in the profile slurm: mvn verify -Pslurm")
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
class SlurmIT {
    private static final String SCRIPT = ProjectPaths.DIR.resolve("dist/target/tutti/bin/tutti").toString();

    @TempDir
    private static Path folder;
    private static SlurmCluster slurm;

    @TempDir
    private Path dir;
    private LaunchTraces traces;

    @BeforeAll
    static void start() throws Exception {
        slurm = SlurmCluster.start(folder);
        TuttiScript.writeProgram(folder, "Hello", "System.out.println(rank + \" of \" + size + \" on \" + MPI.getNodeName());");
        TuttiScript.compile(folder, "Hello");
        TuttiScript.writeProgram(folder, "Reduces", """
            System.out.println("rank " + rank);
            for (double[] sum = {1}; sum[0] > 0;) {
              MPI.COMM_WORLD.allReduce(sum, 1, MPI.DOUBLE, MPI.MAX);
            }""");
        TuttiScript.compile(folder, "Reduces");
    }

    @AfterAll
    static void stop() {
        if (slurm != null) {
            slurm.close();
        }
    }

    @BeforeEach
    void mark() throws Exception {
        traces = new LaunchTraces(dir);
    }

    /** Submits a script of three lines. */
    private String submit(final String options, final String arguments) throws Exception {
        return slurm.submit(traces.environment(), "#!/bin/bash", "#SBATCH " + options, SCRIPT + " run --cp " + folder + " " + arguments + " "
            + traces.mark());
    }

    private String startReducing(final String options) throws Exception {
        final String job = submit(options, "Reduces");
        await().atMost(Duration.ofSeconds(120)).until(() -> slurm.output(job).lines().filter(l -> l.startsWith("rank ")).count() == 8);
        traces.awaitContainers(4);
        return job;
    }

    @Test
    void shouldPlaceTheTasksOfAnAllocationOnItsNodes() throws Exception {
        final String job = submit("--nodes=4 --ntasks-per-node=2", "Hello");
        slurm.awaitEnd(job);
        final List<String> expected = new ArrayList<>();
        for (int rank = 0; rank < 8; rank++) {
            expected.add(rank + " of 8 on " + SlurmCluster.nodes().get(rank / 2));
        }
        assertEquals(expected, slurm.output(job).lines().filter(l -> l.contains(" of ")).sorted().toList(), () -> text(job));
        assertEquals("COMPLETED", slurm.field(job, "JobState"), () -> text(job));
        traces.assertNothingLeft();
    }

    @Test
    void shouldDealRanksOutAndRefuseMoreThanTasks() throws Exception {
        final String dealt = submit("--nodes=2 --ntasks=3", "-n 3 --map node Hello");
        slurm.awaitEnd(dealt);
        assertEquals(List.of("0 of 3 on n1", "1 of 3 on n2", "2 of 3 on n1"),
            slurm.output(dealt).lines().filter(l -> l.contains(" of ")).sorted().toList(), () -> text(dealt));
        final String refused = submit("--nodes=2 --ntasks=3", "-n 4 Hello");
        slurm.awaitEnd(refused);
        assertTrue(slurm.output(refused).contains("tutti: not enough slots: -n 4, slots=3"), () -> text(refused));
        assertEquals("2:0", slurm.field(refused, "ExitCode"));
        traces.assertNothingLeft();
    }

    @Test
    void shouldLeaveNothingOnTheNodesWhenTheJobIsCancelledDuringACollective() throws Exception {
        final String job = startReducing("--nodes=4 --ntasks-per-node=2");
        assertEquals(0, slurm.run("scancel", job).status());
        slurm.awaitEnd(job);
        assertEquals("CANCELLED", slurm.field(job, "JobState"), () -> text(job));
        traces.assertNothingLeft();
    }

    @Test
    void shouldLeaveNothingOnTheNodesWhenTheTimeLimitIsReached() throws Exception {
        final String job = startReducing("--nodes=4 --ntasks-per-node=2 --time=1");
        slurm.awaitEnd(job);
        assertEquals("TIMEOUT", slurm.field(job, "JobState"), () -> text(job));
        traces.assertNothingLeft();
    }

    private static String text(final String job) {
        try {
            return slurm.output(job);
        } catch (final IOException e) {
            return e.toString();
        }
    }
}
