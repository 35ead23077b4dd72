package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the live page of a node in a real cluster: access, JSON, events, a deadlock, a lost node, plans, changes of modules, traces, profiles. */
@Tag("nightly")
@Timeout(value = 960, unit = TimeUnit.SECONDS)
class PageIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PLAN = "{\"operation\":\"%s\",\"bytes\":1024,\"ranks\":%d,\"root\":%d,\"lanes\":false}";
    @TempDir
    private Path dir;

    private static void assertLine(final int status, final String text, final HttpResponse<String> answer) {
        assertEquals(status, answer.statusCode(), answer.body());
        assertEquals(1, answer.body().lines().count(), answer.body());
        assertTrue(answer.body().contains(text), answer.body());
    }

    private static List<String> names(final JsonNode rows) {
        return StreamSupport.stream(rows.spliterator(), false).map(r -> r.get("name").asText()).toList();
    }

    private static List<JsonNode> hubs(final JsonNode snapshot) {
        return StreamSupport.stream(snapshot.get("modules").spliterator(), false).filter(m -> m.get("name").asText().equals("hub")).toList();
    }

    private static List<String> versions(final JsonNode snapshot) {
        return hubs(snapshot).stream().map(m -> m.get("version").asText()).toList();
    }

    @Test
    void shouldShowNodesJobsADeadlockAndALostNodeToWhoHasTheTokenAlone() throws Exception {
        TuttiScript.writeProgram(dir, "Waits", "System.out.println(\"up\"); MPI.COMM_WORLD.recv(new int[1], 1, MPI.INT, (rank + 1) % size, 99);");
        TuttiScript.compile(dir, "Waits");
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a", "--page", "0");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
             TuttiScript.Daemon c = new TuttiScript.Daemon(dir, "--name", "c", "--join", a.address);
             PageClient page = PageClient.of(a, "--role", "observe")) {
            final TuttiScript.Result none = CommandInJvm.run("page", "--connect", b.address);
            assertEquals(1, none.status(), none::toString);
            assertTrue(none.err().startsWith("tutti: node b serves no page: start it with --page 0, or set tutti.web.port"), none::toString);
            assertTrue(CommandInJvm.run("page", "--connect", a.address).out().strip().matches("http://127\\.0\\.0\\.1:\\d+/#token=[0-9a-f]{64}"));
            assertEquals(2, CommandInJvm.run("page", "--connect", a.address, "--role", "node").status());
            assertEquals(200, page.anonymous("").statusCode());
            assertLine(401, "tutti page --connect", page.anonymous("api/nodes"));
            assertLine(401, "tutti page --connect", page.anonymous("api/nodes", "Authorization", "Bearer " + "0".repeat(64)));
            assertEquals("{\"node\":\"a\",\"role\":\"observe\"}", page.get("api/session").body());
            assertLine(403, "role=observe, needed=run", page.post("api/plans", PLAN.formatted("allreduce", 2, 0)));
            assertLine(403, "role=observe, needed=change", page.post("api/modules/uninstall", "{\"module\":\"tree\",\"force\":false}"));
            final CommandInJvm.Running job = CommandInJvm.start("run", "--connect", a.address, "-n", "2", "--map", "node", "-p", "stall=off", "--cp",
                dir.toString(), "Waits");
            assertEquals(List.of("up", "up"), job.lines(2));
            assertEquals(List.of("a", "b", "c"), names(page.json("api/nodes")));
            final JsonNode jobs = page.json("api/jobs");
            assertEquals("Waits", jobs.get(0).get("program").asText());
            final String id = jobs.get(0).get("id").asText();
            await().atMost(Duration.ofSeconds(60)).until(() -> page.json("api/jobs/" + id + "/ranks").get("cycle").size() == 3);
            final JsonNode ranks = page.json("api/jobs/" + id + "/ranks");
            assertEquals("[0,1]", ranks.get("stuck").toString());
            assertEquals("[0,1,0]", ranks.get("cycle").toString());
            assertEquals("{\"text\":\"a message of rank 1, tag 99, MPI_COMM_WORLD\",\"ranks\":[1]}",
                ranks.get("ranks").get(0).get("waits").get(0).toString());
            assertEquals("b", ranks.get("ranks").get(1).get("node").asText());
            assertEquals("recv", ranks.get("ranks").get(1).get("call").asText());
            assertTrue(ranks.get("text").asText().contains("rank 1 on node b waits in recv for a message of rank 0, tag 99"), ranks::toString);
            assertEquals(JSON.readTree(CommandInJvm.run("modules", "--connect", a.address, "--json").out()), page.json("api/modules"));
            c.process.toHandle().destroyForcibly();
            final JsonNode snapshot = page.snapshot(s -> !s.get("lost").isEmpty());
            assertEquals(List.of("c"), names(snapshot.get("lost")));
            assertEquals(List.of("a", "b"), names(snapshot.get("nodes")));
            assertEquals(0, CommandInJvm.run("cancel", "--connect", a.address, id).status());
            assertEquals(7, job.end().status());
            await().atMost(Duration.ofSeconds(60)).until(() -> page.json("api/history").get(0).get("end").path("status").asInt() == 7);
            assertLine(404, "no such job: id=" + id, page.get("api/jobs/" + id + "/ranks"));
        }
    }

    @Test
    void shouldPlanCallsAndChangeModulesAsTheCommandsDo() throws Exception {
        final ModuleBundles modules = new ModuleBundles(dir);
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a", "--page", "0");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
             PageClient page = PageClient.of(a); PageClient run = PageClient.of(a, "--role", "run")) {
            final JsonNode plan = JSON.readTree(run.post("api/plans", PLAN.formatted("bcast", 5, 3)).body());
            assertTrue(plan.get("svg").asText().contains("bcast, 1024 bytes") && plan.get("svg").asText().contains("root 3, 5 ranks"),
                plan::toString);
            assertEquals(CommandInJvm.run("explain", "--connect", a.address, "-n", "5", "--bytes", "1024", "bcast").out(),
                plan.get("decision").asText());
            assertLine(400, "out of range: ranks=0", run.post("api/plans", PLAN.formatted("bcast", 0, 0)));
            assertLine(400, "no such operation: operation=cast", run.post("api/plans", PLAN.formatted("cast", 2, 0)));
            assertLine(403, "role=run, needed=change", run.upload("api/modules/install?file=hub.jar", modules.hub("1.0.0")));
            assertLine(403, "another site",
                page.post("api/modules/uninstall", "{\"module\":\"tree\",\"force\":false}", "Origin", "http://evil.example"));
            final HttpResponse<String> installed = page.upload("api/modules/install?file=hub.jar", modules.hub("1.0.0"));
            assertEquals(200, installed.statusCode(), installed.body());
            assertTrue(installed.body().contains("hub serves "), installed.body());
            final JsonNode snapshot = page.snapshot(s -> names(s.get("modules")).contains("hub"));
            assertEquals("[\"a\",\"b\"]", hubs(snapshot).getFirst().get("nodes").toString());
            assertTrue(CommandInJvm.run("modules", "--connect", b.address).out().contains("hub "), "the other node has it");
            assertTrue(snapshot.get("agreed").toString().contains("\"hub 1.0.0\""), snapshot::toString);
            assertLine(409, "node ", page.upload("api/modules/install?file=x.jar", ProjectPaths.DIR.resolve("README.md")));
            assertLine(409, "no.such", page.post("api/modules/uninstall", "{\"module\":\"no.such\",\"force\":false}"));
            assertEquals(200, page.upload("api/modules/update?file=hub.jar&verify=false", modules.hub("1.0.1")).statusCode());
            page.snapshot(s -> versions(s).equals(List.of("1.0.1")));
            assertEquals(200, page.post("api/modules/rollback", "{\"module\":\"hub\",\"force\":false}").statusCode());
            page.snapshot(s -> versions(s).equals(List.of("1.0.0")));
            final HttpResponse<String> uninstalled = page.post("api/modules/uninstall", "{\"module\":\"hub\",\"force\":false}");
            assertEquals(200, uninstalled.statusCode(), uninstalled.body());
            page.snapshot(s -> !names(s.get("modules")).contains("hub"));
        }
    }

    /** Runs a program with parameters on three ranks, dealt out to the nodes, at a node; returns the id of its job. */
    private String measured(final PageClient page, final TuttiScript.Daemon at, final String... parameters) throws Exception {
        final List<String> line = new ArrayList<>(List.of("run", "--connect", at.address, "-n", "3", "--map", "node", "--cp", dir.toString()));
        for (final String p : parameters) {
            line.addAll(List.of("-p", p));
        }
        line.add("Measured");
        final TuttiScript.Result job = CommandInJvm.run(line.toArray(String[]::new));
        assertEquals(0, job.status(), job::toString);
        assertEquals(parameters.length > 1, job.err().startsWith("profile of job "), job::toString);
        return page.json("api/history").get(0).get("id").asText();
    }

    private void writeMeasured() throws Exception {
        TuttiScript.writeProgram(dir, "Measured", """
            int[] sum = {rank};
            for (int i = 0; i < 5; i++) { MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM); }
            if (rank == 2) { MPI.COMM_WORLD.send(sum, 1, MPI.INT, 0, 7); }
            if (rank == 0) { MPI.COMM_WORLD.recv(sum, 1, MPI.INT, 2, 7); }""");
        TuttiScript.compile(dir, "Measured");
    }

    private static void checkMeasured(final PageClient page, final String id, final String coordinator) throws Exception {
        final JsonNode all = page.json("api/jobs/" + id + "/measurements");
        assertEquals(List.of("Measured", coordinator, "3"), List.of(all.get("program").asText(), all.get("node").asText(),
            all.get("tracedRanks").asText()));
        assertEquals(Set.of("trace KEPT", "intercept.profile KEPT"), StreamSupport.stream(all.get("kept").spliterator(), false)
            .map(k -> k.get("name").asText() + " " + k.get("state").asText()).collect(Collectors.toSet()));
        final HttpResponse<String> picture = page.get("api/jobs/" + id + "/trace.svg");
        assertEquals(200, picture.statusCode(), picture.body());
        assertTrue(Stream.of("Trace of Measured, 3 ranks", "node a", "node b", "rank 2", "1 message from rank 2 to rank 0", "allreduce")
            .allMatch(picture.body()::contains), picture.body());
        final JsonNode trace = page.json("api/jobs/" + id + "/trace.json");
        assertEquals(3, trace.get("otherData").get("ranks").asInt());
        assertEquals(15, trace.get("traceEvents").findValuesAsText("name").stream().filter(n -> n.startsWith("allreduce ")).count());
        final JsonNode profile = page.json("api/jobs/" + id + "/profile");
        assertEquals(List.of("a", "b", "a"), profile.get("ranks").findValuesAsText("node"));
        final JsonNode reductions = StreamSupport.stream(profile.get("sites").spliterator(), false)
            .filter(s -> s.get("operation").asText().equals("allReduce")).findFirst().orElseThrow();
        assertEquals(15, reductions.get("calls").asInt());
        assertTrue(reductions.get("line").asText().startsWith("Measured.main:"), profile::toString);
        assertEquals(profile, JSON.readTree(page.get("api/jobs/" + id + "/report?name=intercept.profile").body()));
    }

    @Test
    void shouldShowTheTraceAndTheProfileOfAJobWhicheverNodeCoordinatedIt() throws Exception {
        writeMeasured();
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a", "--page", "0");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
             PageClient page = PageClient.of(a, "--role", "observe")) {
            final String atB = measured(page, b, "trace=on", "intercept=profile,trace");
            checkMeasured(page, atB, "b");
            checkMeasured(page, measured(page, a, "trace=on", "intercept=profile,trace"), "a");
            final String none = measured(page, b);
            assertEquals("[]", page.json("api/jobs/" + none + "/measurements").get("kept").toString());
            assertLine(404, "the trace of job " + none + " is not kept: start the job with -p trace=on", page.get("api/jobs/" + none + "/trace.svg"));
            assertLine(404, "start the job with -p intercept=profile", page.get("api/jobs/" + none + "/profile"));
            assertLine(404, "no such job: id=x-1-00", page.get("api/jobs/x-1-00/measurements"));
            assertLine(401, "tutti page --connect", page.anonymous("api/jobs/" + atB + "/trace.svg"));
            b.process.toHandle().destroyForcibly();
            page.snapshot(s -> !s.get("lost").isEmpty());
            assertLine(404, "no such job: id=" + atB, page.get("api/jobs/" + atB + "/trace.svg"));
        }
    }

    @Test
    void shouldSayThatANodeKeepsNoMeasurements() throws Exception {
        writeMeasured();
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a", "--page", "0");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, Map.of("TUTTI_DAEMON_OPTS", TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS")
                 + " -Dtutti.node.measurements=0"), "--name", "b", "--join", a.address);
             PageClient page = PageClient.of(a)) {
            final String none = measured(page, b, "trace=on", "intercept=profile");
            assertLine(404, "it is longer than all that node b keeps, tutti.node.measurements=0", page.get("api/jobs/" + none + "/trace.json"));
            assertLine(404, "it is longer than all that node b keeps, tutti.node.measurements=0", page.get("api/jobs/" + none + "/profile"));
        }
    }
}
