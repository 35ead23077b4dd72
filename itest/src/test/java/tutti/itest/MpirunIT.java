package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what users of mpirun expect of a run: environment, files, working folder, output, and how it ends. */
@Tag("nightly")
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class MpirunIT {
    private static final int CANCELLED = 7;
    private static final int PIPE_CLOSED = 141;

    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;

    @BeforeAll
    static void start() throws Exception {
        a = new TuttiScript.Daemon(dir, "--name", "a", "--dir", dir.resolve("a").toString());
        b = new TuttiScript.Daemon(dir, "--name", "b", "--dir", dir.resolve("b").toString(), "--join", a.address);
        TuttiScript.writeProgram(dir, "Around", """
            java.nio.file.Path files = java.nio.file.Path.of(System.getenv("TUTTI_FILES"));
            System.out.println(System.getenv("GREETING") + " " + System.getenv().get("HOME")
                + " " + java.nio.file.Files.readString(files.resolve("grid data.txt")) + " " + java.nio.file.Files.exists(files.resolve("0.jar")));
            java.nio.file.Files.writeString(files.resolve("made-by-" + rank), "x");""");
        TuttiScript.compile(dir, "Around");
        TuttiScript.writeProgram(dir, "Folder", """
            System.out.println(java.nio.file.Path.of("").toAbsolutePath() + " " + new java.io.File("here.txt").exists());""");
        TuttiScript.compile(dir, "Folder");
        TuttiScript.writeProgram(dir, "Prints", """
            if (rank > 0) { System.out.println("out of " + rank); System.err.println("error of " + rank); }""");
        TuttiScript.compile(dir, "Prints");
        TuttiScript.writeProgram(dir, "Loud", """
            for (int i = 0; i >= 0; i++) { System.out.println("line " + i); }""");
        TuttiScript.compile(dir, "Loud");
        TuttiScript.writeProgram(dir, "Spawns", """
            Intercomm parent = Intercomm.getParent();
            System.out.println((parent.isNull() ? "parent: " : "child: ") + System.getenv("GREETING") + " " + System.getenv("TUTTI_FILES"));
            if (parent.isNull()) { MPI.COMM_WORLD.spawn("Spawns", new String[0], 1, MPI.INFO_NULL, 0, new int[1]); }""");
        TuttiScript.compile(dir, "Spawns");
        TuttiScript.writeProgram(dir, "Stays", """
            System.out.println("up");
            Thread.sleep(100_000);""");
        TuttiScript.compile(dir, "Stays");
    }

    @AfterAll
    static void stop() {
        b.close();
        a.close();
    }

    private static TuttiScript.Result run(final String... args) throws Exception {
        return CommandInJvm.run(ThreeNodeCluster.commandLine(a, "run",
            Stream.concat(Stream.of("--cp", dir.toString()), Stream.of(args)).toArray(String[]::new)));
    }

    private static List<Path> filesOfNodes(final String name) throws IOException {
        try (Stream<Path> all = Stream.of("a", "b").flatMap(n -> walk(dir.resolve(n)))) {
            return all.filter(p -> p.getFileName().toString().startsWith(name)).toList();
        }
    }

    private static Stream<Path> walk(final Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.toList().stream();
        } catch (final IOException e) {
            // files of a job that is ending
            return Stream.empty();
        }
    }

    @Test
    void shouldGiveEveryRankTheVariablesAndFilesOfTheCommandAndRemoveTheFilesAfterwards() throws Exception {
        final Path data = Files.writeString(dir.resolve("grid data.txt"), "1 2 3");
        final TuttiScript.Result r = run("-n", "3", "-x", "GREETING=good day", "-x", "HOME", "--file", data.toString(), "Around");
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of("good day " + System.getenv("HOME") + " 1 2 3 false").stream().flatMap(l -> Stream.of(l, l, l)).toList(),
            r.out().lines().toList());
        await().atMost(Duration.ofSeconds(60)).until(() -> filesOfNodes("grid data").isEmpty() && filesOfNodes("made-by").isEmpty());
    }

    @Test
    void shouldRunInTheWorkingFolderThatTheCommandNames() throws Exception {
        final Path folder = Files.createDirectory(dir.resolve("work folder"));
        Files.writeString(folder.resolve("here.txt"), "");
        final TuttiScript.Result r = TuttiScript.run(dir, "run", "-n", "2", "--wdir", "work folder", "--cp", dir.toString(), "Folder");
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of(folder + " true", folder + " true"), r.out().lines().toList());
    }

    @Test
    void shouldDisplayThePlacementAndWriteTheOutputOfEachRankToItsFile() throws Exception {
        final TuttiScript.Result r = run("-n", "3", "--map", "node", "--display", "map", "--output-filename", dir.resolve("rank").toString(),
            "Prints");
        assertEquals(0, r.status(), r::toString);
        assertEquals("", r.out());
        assertEquals("node a: 2 ranks: 0, 2\nnode b: 1 rank: 1\n", r.err());
        assertEquals("", Files.readString(dir.resolve("rank.0")));
        for (int rank = 1; rank < 3; rank++) {
            assertEquals(List.of("error of " + rank, "out of " + rank), Files.readAllLines(dir.resolve("rank." + rank)).stream().sorted().toList());
        }
    }

    @Test
    void shouldEndQuietlyWhenTheReaderOfItsOutputHasEnough() throws Exception {
        final ProcessBuilder shell = new ProcessBuilder("/bin/bash", "-c",
            "'" + ProjectPaths.DIR.resolve("tutti") + "' run --connect " + a.address + " -n 2 --cp . Loud | head -n 2; echo ${PIPESTATUS[0]}");
        shell.environment().putAll(TuttiScript.SHORT_LIVED);
        final TuttiScript.Result r = TuttiScript.finish(shell.directory(dir.toFile()).start(), System.nanoTime());
        assertEquals("", r.complaints());
        final List<String> lines = r.out().lines().toList();
        assertEquals(3, lines.size(), r::toString);
        assertEquals(Integer.toString(PIPE_CLOSED), lines.getLast());
        DaemonInspector.awaitJobsReleased(a);
    }

    @Test
    void shouldEndWithAStatusOfItsOwnWhenCancelled() throws Exception {
        final CommandInJvm.Running job = CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", "-n", "1", "--cp", dir.toString(), "Stays"));
        assertEquals(List.of("up"), job.lines(1));
        final String id = CommandInJvm.run(ThreeNodeCluster.commandLine(a, "ps")).out().lines().filter(l -> l.contains("Stays")).findFirst()
            .orElseThrow().split("\\s+")[0];
        assertEquals(0, CommandInJvm.run(ThreeNodeCluster.commandLine(a, "cancel", id)).status());
        final TuttiScript.Result r = job.end();
        assertEquals(CANCELLED, r.status(), r::toString);
        assertTrue(r.err().startsWith("tutti: job " + id + " was cancelled\nrank 0 on node a computes, at Stays.main(Stays.java:"), r::toString);
    }

    @Test
    void shouldListItsStatusesInTheHelp() throws Exception {
        final List<String> help = CommandInJvm.run("run", "--help").out().lines().map(String::strip).toList();
        assertTrue(help.contains("Exit status: that of the program, or"), help::toString);
        assertTrue(help.stream().anyMatch(l -> l.matches(CANCELLED + "\\s+the job was cancelled")), help::toString);
        assertTrue(help.stream().anyMatch(l -> l.matches(PIPE_CLOSED + "\\s+standard output was closed.*")), help::toString);
    }

    @Test
    void shouldGiveJobsThatItSpawnsItsVariables() throws Exception {
        final TuttiScript.Result r = run("-n", "1", "-x", "GREETING=good day", "Spawns");
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of("child: good day null", "parent: good day null"), r.out().lines().sorted().toList(), r::toString);
    }

    @Test
    void shouldRefuseAnUnknownAlgorithmInARunAndInAnExplanationAlike() throws Exception {
        final TuttiScript.Result run = run("-n", "2", "-p", "coll.bcast=tree/binomial", "Prints");
        final TuttiScript.Result explained = CommandInJvm.run(ThreeNodeCluster.commandLine(a, "explain", "-n", "2", "-p", "coll.bcast=tree/binomial",
            "bcast"));
        for (final TuttiScript.Result r : List.of(run, explained)) {
            assertEquals(2, r.status(), r::toString);
            assertEquals("tutti: no such algorithm: coll.bcast=tree/binomial; there are: tree/knomial, tree/kary\n", r.err());
        }
        final TuttiScript.Result operation = run("-n", "2", "-p", "coll.bcast=dissem", "Prints");
        assertEquals(2, operation.status());
        assertEquals("tutti: module dissem does not offer bcast: coll.bcast=dissem; it offers allgather, allgatherv, alltoall, barrier\n",
            operation.err());
    }

    @Test
    void shouldHaveEndedAllDaemonsWhenStopReturns() throws Exception {
        try (TuttiScript.Daemon first = new TuttiScript.Daemon(dir, "--name", "first");
             TuttiScript.Daemon second = new TuttiScript.Daemon(dir, Map.of(), "--name", "second", "--join", first.address)) {
            assertEquals(0, CommandInJvm.run(ThreeNodeCluster.commandLine(first, "stop")).status());
            assertFalse(first.process.isAlive());
            assertFalse(second.process.isAlive());
            final TuttiScript.Result again = CommandInJvm.run(ThreeNodeCluster.commandLine(first, "stop"));
            assertEquals(3, again.status());
            assertTrue(again.err().contains("is a daemon running there?"), again.err());
        }
    }
}
