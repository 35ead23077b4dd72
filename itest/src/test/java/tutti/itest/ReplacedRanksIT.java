package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests jobs in which other ranks take the places of those that have failed: spare ranks, and further ones on nodes of the cluster. */
@Timeout(value = 900, unit = TimeUnit.SECONDS)
class ReplacedRanksIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int USAGE = 2;

    @TempDir
    private static Path dir;
    private static Path programs;
    private final Map<String, TuttiScript.Daemon> daemons = new HashMap<>();
    private int jobs;

    @BeforeAll
    static void compile() throws IOException {
        programs = Files.createDirectory(dir.resolve("programs"));
        Files.writeString(programs.resolve("Replaces.java"), """
            import java.nio.file.*;
            import mpi.*;

            public class Replaces {
                public static void main(String[] args) throws Exception {
                    MPI.Init(args);
                    Path folder = Path.of(args[0]);
                    Intracomm comm = MPI.COMM_WORLD;
                    comm.setErrhandler(MPI.ERRORS_RETURN);
                    int rank = comm.getRank();
                    String name = rank + "." + MPI.getIncarnation();
                    System.out.println("begin " + name + " of " + comm.getSize() + " on " + MPI.getNodeName());
                    int stop = 0;
                    while (stop == 0) {
                        try {
                            int[] sum = {rank + 1};
                            comm.allReduce(sum, 1, MPI.INT, MPI.SUM);
                            if (sum[0] != comm.getSize() * (comm.getSize() + 1) / 2) { System.exit(9); }
                            int[] flag = {Files.exists(folder.resolve("stop")) ? 1 : 0};
                            comm.allReduce(flag, 1, MPI.INT, MPI.MAX);
                            stop = flag[0];
                            if (Files.deleteIfExists(folder.resolve("die-" + name))) { throw new IllegalStateException("told to fail"); }
                            if (Files.deleteIfExists(folder.resolve("exit-" + name))) { System.exit(5); }
                        } catch (ProcessFailedException | RevokedException e) {
                            comm.revoke();
                            comm = comm.replace();
                            if (comm.getRank() != rank) { System.exit(8); }
                        }
                    }
                    System.out.println("end " + name);
                    MPI.Finalize();
                }
            }
            """);
        TuttiScript.compile(programs, "Replaces");
    }

    @AfterEach
    void close() throws Exception {
        for (final TuttiScript.Daemon d : daemons.values()) {
            d.kill();
        }
    }

    private void start(final String... names) throws Exception {
        for (final String name : names) {
            final Path folder = dir.resolve("node-" + name + "-" + System.nanoTime());
            final List<String> line = new ArrayList<>(List.of("--name", name, "--dir", folder.toString()));
            if (!daemons.isEmpty()) {
                line.addAll(List.of("--join", daemons.get("a").address));
            }
            daemons.put(name, new TuttiScript.Daemon(dir, line.toArray(String[]::new)));
        }
        assertEquals(0, CommandInJvm.run("nodes", "--wait", Integer.toString(daemons.size()), "--connect", daemons.get("a").address).status());
    }

    /** A job of the program. */
    private final class Job {
        private final Path folder = Files.createDirectory(dir.resolve("job-" + System.nanoTime() + "-" + jobs++));
        private final CommandInJvm.Running command;

        Job(final int ranks, final String... options) throws Exception {
            final List<String> line = new ArrayList<>(List.of("-n", Integer.toString(ranks), "--map", "node", "--oversubscribe", "--on-loss=report",
                "--timeout", "300", "--cp", programs.toString()));
            line.addAll(List.of(options));
            line.addAll(List.of("Replaces", folder.toString()));
            command = CommandInJvm.start(ThreeNodeCluster.commandLine(daemons.get("a"), "run", line.toArray(String[]::new)));
            IntStream.range(0, ranks).forEach(r -> awaitLine("begin " + r + ".0 of " + ranks + " on "));
        }

        /** Waits for a line that begins with a text; returns its rest. */
        String awaitLine(final String prefix) {
            await().atMost(LIMIT).pollInterval(Duration.ofMillis(10))
                .until(() -> command.endsWithin(Duration.ZERO) || command.lines(0).stream().anyMatch(l -> l.startsWith(prefix)));
            return command.lines(0).stream().filter(l -> l.startsWith(prefix)).findFirst().map(l -> l.substring(prefix.length()))
                .orElseGet(() -> {
                    throw new AssertionError("no line " + prefix + ": " + ended());
                });
        }

        private TuttiScript.Result ended() {
            try {
                return command.end();
            } catch (final Exception e) {
                throw new IllegalStateException(e);
            }
        }

        void tell(final String file) throws IOException {
            Files.createFile(folder.resolve(file));
        }

        /** Ends the job, in which the ranks with these numbers and incarnations are left; returns the lines about losses. */
        List<String> end(final String... left) throws Exception {
            tell("stop");
            final TuttiScript.Result r = command.end();
            assertEquals(0, r.status(), r::toString);
            assertEquals(new TreeSet<>(List.of(left)), r.out().lines().filter(l -> l.startsWith("end ")).map(l -> l.substring(4))
                .collect(Collectors.toCollection(TreeSet::new)), r::toString);
            return r.err().lines().toList();
        }
    }

    private void awaitReleased() throws Exception {
        for (final TuttiScript.Daemon d : daemons.values()) {
            DaemonInspector.awaitJobsReleased(d);
        }
    }

    private static void assertLines(final List<String> lines, final String... patterns) {
        assertEquals(patterns.length, lines.size(), lines::toString);
        for (int i = 0; i < patterns.length; i++) {
            assertTrue(lines.get(i).matches(patterns[i]), lines::toString);
        }
    }

    @Test
    void shouldGiveSpareRanksThePlacesOfTheRanksOfALostNode() throws Exception {
        start("a", "b", "c");
        final Job job = new Job(6, "--spares", "2");
        daemons.remove("c").kill();
        assertTrue(List.of("a", "b").contains(job.awaitLine("begin 2.1 of 6 on ")));
        assertTrue(List.of("a", "b").contains(job.awaitLine("begin 5.1 of 6 on ")));
        final String ps = CommandInJvm.run("ps", "--connect", daemons.get("a").address).out();
        assertTrue(ps.contains("6, failed: 2, 5, replaced: 2 by 6, 5 by 7"), ps);
        assertLines(job.end("0.0", "1.0", "2.1", "3.0", "4.0", "5.1"),
            "tutti: node c was lost: .*: ranks 2 and 5 have failed, the job goes on with 4 ranks",
            "tutti: ranks 6 and 7 take the places of ranks 2 and 5");
        awaitReleased();
    }

    @Test
    @Tag("nightly")
    void shouldReplaceTheRanksOfANodeByFurtherOnesOnANodeThatHasJoinedLater() throws Exception {
        start("a", "b");
        final Job job = new Job(4);
        start("c");
        daemons.remove("b").kill();
        assertEquals("c", job.awaitLine("begin 1.1 of 4 on "));
        job.awaitLine("begin 3.1 of 4 on ");
        assertLines(job.end("0.0", "1.1", "2.0", "3.1"), "tutti: node b was lost: .*: ranks 1 and 3 have failed, the job goes on with 2 ranks",
            "tutti: ranks 4 and 5 take the places of ranks 1 and 3");
        awaitReleased();
    }

    @Test
    @Tag("nightly")
    void shouldReplaceRanksThatEndByThemselvesAndThoseThatHaveReplacedThem() throws Exception {
        start("a", "b");
        final Job job = new Job(3, "--spares", "1");
        job.tell("die-1.0");
        job.awaitLine("begin 1.1 of 3 on ");
        job.tell("exit-1.1");
        job.awaitLine("begin 1.2 of 3 on ");
        job.tell("die-0.0");
        job.awaitLine("begin 0.1 of 3 on ");
        // the others learn by its links that a rank has ended, perhaps before its node reports how
        assertLines(job.end("0.1", "1.2", "2.0").stream().sorted().toList(),
            "tutti: rank 0 on node a failed: .*told to fail: the job goes on with [23] ranks",
            "tutti: rank 1 on node b failed: .*told to fail: the job goes on with [23] ranks",
            "tutti: rank 3 on node .* called System.exit: status=5: the job goes on with [23] ranks", "tutti: rank 3 takes the place of rank 1",
            "tutti: rank 4 takes the place of rank 1", "tutti: rank 5 takes the place of rank 0");
    }

    @Test
    @Tag("nightly")
    void shouldReplaceRanksOfAJobThatHasChangedItsModules() throws Exception {
        start("a", "b");
        final Job job = new Job(2, "--spares", "1", "-p", "coll.live=follow");
        final Path ring = new ModuleBundles(dir).ring("9.0.0");
        final TuttiScript.Result updated = CommandInJvm.run(ThreeNodeCluster.commandLine(daemons.get("b"), "install", ring.toString(), "--live"));
        assertEquals(0, updated.status(), updated::toString);
        final String ps = CommandInJvm.run("ps", "--connect", daemons.get("a").address).out();
        assertTrue(ps.contains("ring 9.0.0") && ps.contains("; changes: 1"), () -> ps + updated);
        job.tell("die-1.0");
        job.awaitLine("begin 1.1 of 2 on ");
        job.tell("die-1.1");
        job.awaitLine("begin 1.2 of 2 on ");
        assertEquals(4, job.end("0.0", "1.2").size());
    }

    @Test
    @Tag("nightly")
    void shouldEndASpareRankThatWaitsWithTheJobOrItsNode() throws Exception {
        start("a", "b", "c");
        final Job job = new Job(2, "--spares", "1");
        daemons.remove("c").kill();
        job.tell("die-1.0");
        job.awaitLine("begin 1.1 of 2 on ");
        final List<String> lines = job.end("0.0", "1.1");
        assertFalse(lines.stream().anyMatch(l -> l.contains("node c")), lines::toString);
        awaitReleased();
    }

    @Test
    @Tag("nightly")
    void shouldRefuseSpareRanksThatNoJobCanHave() {
        Stream.of(List.of("spare ranks are for a job that goes on when ranks fail: give --on-loss=report, too", "--spares", "1"),
            List.of("bad value: on.loss.spares=2000: no number from 0 to 1024", "--on-loss=report", "--spares", "2000"),
            List.of("bad value: on.loss.spares=-1", "--on-loss=report", "--spares", "-1"),
            List.of("Invalid value for option '--spares'", "--on-loss=report", "--spares", "some")).forEach(c -> {
                try {
                    final TuttiScript.Result r = TuttiScript.run(dir, Stream.concat(Stream.of("run", "-n", "2", "--nodes", "1"),
                        Stream.concat(c.stream().skip(1), Stream.of("--cp", programs.toString(), "Replaces", "none"))).toArray(String[]::new));
                    assertEquals(USAGE, r.status(), r::toString);
                    assertTrue(r.err().contains(c.getFirst()), r::toString);
                } catch (final Exception e) {
                    throw new IllegalStateException(e);
                }
            });
    }
}
