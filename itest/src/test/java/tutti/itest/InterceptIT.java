package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;

/**
 * Tests the interception of calls on two nodes: the interceptors of the distribution, and one of a third party, which is built outside the source
 * tree
 * and installed while the daemons run.
 */
@Timeout(value = 1_000, unit = TimeUnit.SECONDS)
class InterceptIT {
    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;

    @BeforeAll
    static void start() throws Exception {
        a = new TuttiScript.Daemon(dir, "--name", "a", "--page", "0");
        b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
        TuttiScript.writeProgram(dir, "Calls", """
            int[] data = {rank};
            MPI.pControl(0, null);
            MPI.COMM_WORLD.allReduce(data, 1, MPI.INT, MPI.SUM);
            MPI.pControl(1, null);
            if (rank == 0) {
                MPI.COMM_WORLD.send(new double[100], 100, MPI.DOUBLE, 1, 5);
            } else if (rank == 1) {
                MPI.COMM_WORLD.recv(new double[100], 100, MPI.DOUBLE, MPI.ANY_SOURCE, 5);
            }
            for (int i = 0; i < 3; i++) {
                MPI.COMM_WORLD.barrier();
            }""");
        TuttiScript.writeProgram(dir, "Spawns", """
            Intercomm parent = Intercomm.getParent();
            if (parent.isNull()) {
                Intercomm children = MPI.COMM_WORLD.spawn("Spawns", new String[0], 2, new Info(), 0, new int[2]);
                children.barrier();
                children.disconnect();
            } else {
                parent.barrier();
                parent.disconnect();
            }""");
        TuttiScript.writeProgram(dir, "Sums", "MPI.COMM_WORLD.allReduce(new int[] {rank}, new int[1], 1, MPI.INT, MPI.SUM);");
        TuttiScript.compile(dir, "Calls");
        TuttiScript.compile(dir, "Sums");
        TuttiScript.compile(dir, "Spawns");
    }

    @AfterAll
    static void stop() {
        b.close();
        a.close();
    }

    private static TuttiScript.Result job(final String program, final int ranks, final String... parameters) throws Exception {
        final List<String> line = new ArrayList<>(List.of("run", "--connect", a.address, "-n", Integer.toString(ranks), "--cp", dir.toString()));
        for (final String p : parameters) {
            line.addAll(List.of("-p", p));
        }
        line.add(program);
        return CommandInJvm.run(line.toArray(String[]::new));
    }

    private static String report(final String program, final int ranks, final String... parameters) throws Exception {
        final TuttiScript.Result r = job(program, ranks, parameters);
        assertEquals(0, r.status(), r::toString);
        return r.err();
    }

    @Test
    void shouldReportTheTimeOfEachRankAtEachLine() throws Exception {
        final String text = report("Calls", 3, "intercept=profile");
        assertTrue(text.startsWith("profile of job ") && text.contains(": 3 ranks, "), text);
        assertTrue(text.lines().anyMatch(l -> l.matches("barrier +9 .* Calls.main:\\d+")), text);
        assertTrue(text.lines().anyMatch(l -> l.matches("send +1 .* 800 B .* Calls.main:\\d+")), text);
        assertFalse(text.contains("allReduce"), text);
        final JsonNode json = new ObjectMapper().readTree(report("Calls", 2, "intercept=profile", "intercept.profile.format=json"));
        assertEquals(2, json.get("ranks").size());
        assertEquals("[a, b]", json.get("ranks").findValuesAsText("node").toString());
        final Path svg = dir.resolve("profile.svg");
        assertEquals("", report("Calls", 2, "intercept=profile", "intercept.profile.format=svg", "intercept.profile.file=" + svg));
        assertTrue(Files.readString(svg).startsWith("<svg "));
    }

    @Test
    void shouldTellOfNestedCollectivesWhenAskedTo() throws Exception {
        final String told = report("Sums", 4, "intercept=profile", "intercept.nested=true", "coll.select=smp");
        assertTrue(told.lines().anyMatch(l -> l.matches("allreduce > bcast +\\d+ .* MPI_COMM_WORLD/smp\\.[a-z0-9.]+")), told);
        assertFalse(report("Sums", 4, "intercept=profile", "coll.select=smp").contains(" > "));
    }

    @Test
    void shouldAddMessagesToTheTrace() throws Exception {
        final Path file = dir.resolve("trace.json");
        final TuttiScript.Result r = CommandInJvm.run("run", "--connect", a.address, "-n", "2", "--cp", dir.toString(), "--trace", file.toString(),
            "-p", "intercept=trace", "Calls");
        assertEquals(0, r.status(), r::toString);
        final List<String> names = new ObjectMapper().readTree(file.toFile()).get("traceEvents").findValuesAsText("name");
        assertTrue(names.containsAll(List.of("send to 1", "recv from 0")), names::toString);
    }

    @Tag("nightly")
    @Test
    void shouldDrawMessagesAndWaitingTimeOfATraceAlsoAfterEventsWereDropped() throws Exception {
        for (final String events : List.of("1000", "12")) {
            final Path file = dir.resolve("trace" + events + ".svg");
            final TuttiScript.Result r = CommandInJvm.run("run", "--connect", a.address, "-n", "2", "--cp", dir.toString(), "--trace",
                file.toString(), "-p", "intercept=trace", "-p", "trace=" + events, "Calls");
            assertEquals(0, r.status(), r::toString);
            final Element picture = PictureChecks.legible(file);
            final List<String> texts = PictureChecks.texts(picture);
            assertTrue(texts.containsAll(List.of("Trace of Calls, 2 ranks", "node a", "node b", "rank 0", "rank 1")), texts::toString);
            assertEquals(2, texts.stream().filter(t -> t.matches("in MPI \\d+ %, waiting \\d+ %")).count(), texts::toString);
            assertTrue(PictureChecks.messages(picture).stream().mapToInt(n -> n).sum() >= 1, texts::toString);
            assertEquals(events.equals("12"), r.err().contains("more were dropped"), r::toString);
            assertEquals(events.equals("12"), texts.stream().anyMatch(t -> t.contains("later events were dropped")), texts::toString);
        }
        final Path png = dir.resolve("trace.png");
        assertEquals(0, CommandInJvm.run("run", "--connect", a.address, "-n", "2", "--cp", dir.toString(), "--trace", png.toString(), "-p",
            "intercept=trace", "Calls").status());
        PictureChecks.assertWhole(png);
    }

    @Test
    void shouldRefuseCallsBySeed() throws Exception {
        final TuttiScript.Result r =
            job("Calls", 2, "intercept=chaos", "intercept.chaos.errors=1000", "intercept.chaos.operation=barrier", "intercept.chaos.seed=7");
        assertEquals(1, r.status(), r::toString);
        assertTrue(r.err().contains("call refused by interceptor intercept.chaos") && r.err().contains("chaos: seed=7, operation=barrier"),
            r::toString);
        assertEquals(0, job("Calls", 3, "intercept=chaos", "intercept.chaos.delays=500").status());
    }

    @Test
    void shouldInterceptTheJobsThatAJobSpawns() throws Exception {
        final String text = report("Spawns", 1, "intercept=profile");
        assertTrue(text.contains(": 1 ranks, ") && text.contains(": 2 ranks, "), text);
    }

    @Test
    void shouldRefuseAJobWhoseInterceptorIsNotThere() throws Exception {
        final TuttiScript.Result none = job("Calls", 2, "intercept=tale");
        assertEquals(2, none.status(), none::toString);
        assertTrue(none.err().startsWith("tutti: no such interceptor: intercept=tale; there are: chaos, profile, trace"), none::toString);
        final TuttiScript.Result bad = job("Calls", 2, "intercept=profile", "intercept.profile.sites=0");
        assertEquals("tutti: bad value: intercept.profile.sites=0: less than the minimum, 1\n", bad.err());
    }

    @Tag("nightly")
    @Test
    void shouldUseAnInterceptorOfAThirdPartyInTheNextJob() throws Exception {
        try (TemplateBuild build = new TemplateBuild(dir)) {
            build.run(dir, """
                cp -r "$TUTTI"/examples/interceptor-template tally
                cd tally
                mvn -Dtutti.home="$TUTTI" clean verify
                """);
        }
        final String bundle = dir.resolve("tally/target/com.example.intercept.tally.jar").toString();
        assertEquals(0, CommandInJvm.run("install", "--connect", b.address, "--node", "b", bundle).status());
        final TuttiScript.Result missing = job("Calls", 2, "intercept=tally");
        assertEquals(4, missing.status(), missing::toString);
        assertTrue(missing.err().contains("module intercept.tally was requested by intercept, but the nodes do not agree on it: "
            + "intercept.tally 1.0.0: missing on node a"), missing::toString);
        assertEquals(0, CommandInJvm.run("install", "--connect", a.address, "--node", "a", bundle).status());
        final String text = report("Calls", 2, "intercept=tally,profile");
        assertTrue(text.contains("calls of 2 ranks: {Init=2, allReduce=2, barrier=6, getRank=2, getSize=2, pControl=4, recv=1, send=1}"), text);
        assertTrue(text.contains("profile of job "), text);
        try (PageClient page = PageClient.of(a)) {
            final String id = page.json("api/history").get(0).get("id").asText();
            assertEquals("calls of 2 ranks: {Init=2, allReduce=2, barrier=6, getRank=2, getSize=2, pControl=4, recv=1, send=1}",
                page.get("api/jobs/" + id + "/report?name=intercept.tally").body());
        }
        assertEquals(0, CommandInJvm.run("uninstall", "--connect", a.address, "intercept.tally").status());
        assertEquals(2, job("Calls", 2, "intercept=tally").status());
    }
}
