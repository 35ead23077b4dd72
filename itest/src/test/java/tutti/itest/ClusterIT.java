package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;

/** Tests the command against two daemons, in JVMs of their own, joined over real sockets. */
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class ClusterIT {
    @TempDir
    private static Path dir;
    private static Path programs;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;

    @BeforeAll
    static void start() throws Exception {
        a = new TuttiScript.Daemon(dir, "--name", "a");
        b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
        programs = Files.createDirectory(dir.resolve("programs"));
        TuttiScript.writeProgram(programs, "Hello", "System.out.println(\"rank \" + rank + \" of \" + size + \" on \" + MPI.getNodeName());");
        TuttiScript.compile(programs, "Hello");
        TuttiScript.writeProgram(programs, "Ends", """
            if (rank == 2) {
                switch (args[0]) {
                    case "throw" -> {
                        for (int i = 0; i < 3; i++) {
                            MPI.COMM_WORLD.recv(new byte[1], 1, MPI.BYTE, MPI.ANY_SOURCE, 0);
                        }
                        throw new IllegalStateException("boom");
                    }
                    case "exit" -> System.exit(5);
                    case "abort" -> MPI.COMM_WORLD.abort(7);
                    case "leave" -> { return; }
                    case "loop" -> { for (long x = 0; ; x++) { if (x < 0) { break; } } }
                    default -> Thread.sleep(100_000);
                }
            }
            System.out.println("rank " + rank + " waits");
            if (args[0].equals("throw")) {
                Request barrier = MPI.COMM_WORLD.iBarrier();
                MPI.COMM_WORLD.send(new byte[1], 1, MPI.BYTE, 2, 0);
                barrier.waitFor();
            }
            MPI.COMM_WORLD.barrier();""");
        TuttiScript.compile(programs, "Ends");
    }

    @AfterAll
    static void stop() throws Exception {
        a.close();
        b.close();
    }

    private static TuttiScript.Result run(final String... args) throws Exception {
        return CommandInJvm.run(commandLine(args));
    }

    private static String[] commandLine(final String... args) {
        return ThreeNodeCluster.commandLine(a, "run", Stream.concat(Stream.of("--cp", programs.toString()), Stream.of(args)).toArray(String[]::new));
    }

    private static void assertRunsJobs() throws Exception {
        final TuttiScript.Result r = run("-n", "4", "Hello");
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of("rank 0 of 4 on a", "rank 1 of 4 on a", "rank 2 of 4 on b", "rank 3 of 4 on b"), r.out().lines().sorted().toList());
        assertEquals("", r.complaints());
    }

    @Test
    void shouldListNodesAndModulesAsTextAndJson() throws Exception {
        final TuttiScript.Result nodes = TuttiScript.run(dir, "nodes", "--connect", b.address);
        assertTrue(nodes.out().contains(a.address) && nodes.out().contains(b.address), nodes::toString);
        final JsonNode json = new ObjectMapper().readTree(CommandInJvm.run("nodes", "--json", "--connect", a.address).out());
        assertEquals(2, json.size());
        assertEquals(a.process.pid(), json.get(0).get("pid").asLong());
        final JsonNode modules = new ObjectMapper().readTree(CommandInJvm.run("modules", "--json", "--connect", a.address).out());
        assertEquals("basic", modules.get(0).get("name").asText());
        assertEquals(64, modules.get(0).get("sha256").asText().length());
        assertEquals(2, modules.get(0).get("nodes").size());
        final JsonNode info = new ObjectMapper().readTree(CommandInJvm.run("info", "--json", "--connect", b.address).out());
        assertEquals(List.of("a", "b"), List.of(info.get(0).get("name").asText(), info.get(1).get("name").asText()));
        assertTrue(info.get(0).get("heapUsed").asLong() > 0 && info.get(0).get("heapMax").asLong() > 0, info::toString);
        assertTrue(info.get(1).get("modules").get(0).asText().startsWith("basic "), info::toString);
    }

    @Test
    void shouldShowThePlanOfACallAsTextGraphAndPicture() throws Exception {
        final String dot = dir.resolve("plan.dot").toString();
        final String svg = dir.resolve("plan.svg").toString();
        final String png = dir.resolve("plan.png").toString();
        final TuttiScript.Result r = CommandInJvm.run("explain", "--connect", a.address, "-n", "4", "--bytes", "64K", "--plan", "--dot", dot,
            "--svg", svg, "--png", png, "-p", "coll.allreduce=basic", "allreduce");
        assertEquals(0, r.status(), r::toString);
        final List<String> lines = r.out().lines().toList();
        assertTrue(lines.getFirst().matches("allreduce, 65536 bytes of DOUBLE SUM, 4 ranks: basic \\S+, algorithm \\w+ "
            + "\\(was picked by coll.allreduce\\)"), r::toString);
        assertEquals(List.of("0", "1", "2", "3"), lines.stream().filter(l -> l.startsWith("rank ")).map(l -> l.substring(5, 6)).toList());
        final long sends = lines.stream().filter(l -> l.matches(" +\\d+  send .*")).count();
        assertTrue(sends > 0, r::toString);
        assertEquals(sends, lines.stream().filter(l -> l.matches(" +\\d+  recv .*")).count(), r::toString);
        assertEquals(sends, Files.readString(Path.of(dot)).lines().filter(l -> l.contains("style=dashed")).count());
        final Element picture = PictureChecks.legible(Path.of(svg));
        assertEquals(sends, PictureChecks.messages(picture).stream().mapToInt(n -> n).sum());
        assertTrue(PictureChecks.texts(picture).containsAll(List.of("node a", "node b", "rank 0", "rank 1", "rank 2", "rank 3")), picture::toString);
        PictureChecks.assertWhole(Path.of(png));
        final TuttiScript.Result json = CommandInJvm.run("explain", "--connect", a.address, "-n", "3", "--plan", "--rank", "2", "--root", "1",
            "--json", "bcast");
        final JsonNode plans = new ObjectMapper().readTree(json.out());
        assertEquals(1, plans.size(), json::toString);
        assertEquals(2, plans.get(0).get("rank").asInt());
        assertEquals(1, plans.get(0).get("root").asInt());
    }

    @Tag("nightly")
    @Test
    void shouldTraceTheTasksOfCollectivesUpToTheLimit() throws Exception {
        final Path file = dir.resolve("trace.json");
        TuttiScript.writeProgram(dir, "Many", """
            double[] sum = {rank};
            for (int i = 0; i < 100; i++) {
                MPI.COMM_WORLD.allReduce(sum, 1, MPI.DOUBLE, MPI.MAX);
            }""");
        final TuttiScript.Result r = run("-n", "4", "--trace", file.toString(), "-p", "trace=60", "-p", "coll.allreduce=basic",
            dir.resolve("Many.java").toString());
        assertEquals(0, r.status(), r::toString);
        final JsonNode trace = new ObjectMapper().readTree(file.toFile());
        final long dropped = trace.get("otherData").get("dropped").asLong();
        assertTrue(dropped > 100, () -> trace.get("otherData").toString());
        assertEquals("tutti: trace " + file + " has the first events of each rank: " + dropped + " more were dropped; allow more with -p "
            + "trace=EVENTS\n", r.err());
        final Map<Integer, Integer> eventsOfRank = new TreeMap<>();
        for (final JsonNode e : trace.get("traceEvents")) {
            if (e.get("ph").asText().equals("X")) {
                assertTrue(e.get("ts").asDouble() >= 0 && e.get("dur").asDouble() >= 0, e::toString);
                assertEquals("allreduce", e.get("args").get("operation").asText());
                // ranks are placed in blocks
                assertEquals(e.get("tid").asInt() % 1_000_000 / 2, e.get("pid").asInt(), e::toString);
                eventsOfRank.merge(e.get("tid").asInt() % 1_000_000, 1, Integer::sum);
            }
        }
        assertEquals(Map.of(0, 60, 1, 60, 2, 60, 3, 60), eventsOfRank);
    }

    @Test
    void shouldLabelLinesAndPlaceRanksCyclically() throws Exception {
        final TuttiScript.Result r = run("-n", "3", "--label", "--map", "cyclic", "Hello");
        assertEquals(List.of("[0] rank 0 of 3 on a", "[1] rank 1 of 3 on b", "[2] rank 2 of 3 on a"), r.out().lines().sorted().toList());
    }

    @Test
    void shouldEndAJobWithTheStatusOfTheFailedRankAndNameIt() throws Exception {
        final Path trace = dir.resolve("failed.json");
        final TuttiScript.Result thrown = run("-n", "4", "--trace", trace.toString(), "Ends", "throw");
        final JsonNode traced = new ObjectMapper().readTree(trace.toFile());
        assertEquals(4, traced.get("otherData").get("ranks").asInt());
        assertEquals(3, traced.findValuesAsText("name").stream().filter(n -> n.startsWith("barrier ") && n.endsWith(", did not end")).count());
        assertEquals(1, thrown.status(), thrown::toString);
        assertTrue(thrown.err().contains("rank 2 on node b failed: java.lang.IllegalStateException: boom\n\tat Ends.main(Ends.java:"),
            thrown::toString);
        final TuttiScript.Result exited = TuttiScript.run(programs, ThreeNodeCluster.commandLine(a, "run", "-n", "4", "Ends.java", "exit"));
        assertEquals(5, exited.status(), exited::toString);
        final TuttiScript.Result aborted = run("-n", "4", "Ends", "abort");
        assertEquals(7, aborted.status(), aborted::toString);
        final TuttiScript.Result left = run("-n", "4", "Ends", "leave");
        assertEquals(1, left.status(), left::toString);
        assertTrue(left.err().contains("rank 2 on node b failed: main returned after MPI.Init and without MPI.Finalize"), left::toString);
        assertRunsJobs();
    }

    @Test
    void shouldEndARankThatNeverReturnsAtTheTimeout() throws Exception {
        final TuttiScript.Result r = run("-n", "4", "--timeout", "2", "Ends", "loop");
        assertEquals(124, r.status(), r::toString);
        assertTrue(r.err().contains("was ended by its timeout: limit=2.0 s"), r::toString);
        assertRunsJobs();
    }

    @Test
    void shouldDetectAKilledNodeAndContinueWithoutIt() throws Exception {
        try (TuttiScript.Daemon c = new TuttiScript.Daemon(dir, "--name", "c", "--join", b.address)) {
            final CommandInJvm.Running job = CommandInJvm.start(commandLine("-n", "3", "Ends", "sleep"));
            assertEquals(List.of("rank 0 waits", "rank 1 waits"), job.lines(2).stream().sorted().toList());
            c.process.destroyForcibly();
            final TuttiScript.Result r = job.end();
            assertEquals(3, r.status(), r::toString);
            assertTrue(r.err().contains("node c was lost"), r::toString);
        }
        assertRunsJobs();
    }

    @Tag("nightly")
    @Test
    void shouldRetainNothingOfEndedJobs() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertRunsJobs();
        }
        for (final TuttiScript.Daemon d : List.of(a, b)) {
            DaemonInspector.awaitJobsReleased(d);
        }
    }

    @Tag("nightly")
    @Test
    void shouldRefuseADaemonWhoseNameOrPortIsInUse() throws Exception {
        final TuttiScript.Result name = TuttiScript.run(dir, "daemon", "--name", "b", "--join", a.address);
        assertEquals(3, name.status(), name::toString);
        assertTrue(name.err().contains("name is taken in this cluster: name=b"), name::toString);
        final TuttiScript.Result port = TuttiScript.run(dir, "daemon", "--name", "d", "--listen", a.address);
        assertEquals(3, port.status(), port::toString);
        assertTrue(port.err().contains("cannot listen: address=" + a.address), port::toString);
    }
}
