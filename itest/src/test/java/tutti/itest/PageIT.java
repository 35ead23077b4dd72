package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the live page of a node in a real cluster: access, JSON, events, a deadlock, a lost node, plans of calls, changes of modules. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
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

    private static List<JsonNode> rings(final JsonNode snapshot) {
        return StreamSupport.stream(snapshot.get("modules").spliterator(), false).filter(m -> m.get("name").asText().equals("ring")).toList();
    }

    private static List<String> versions(final JsonNode snapshot) {
        return rings(snapshot).stream().map(m -> m.get("version").asText()).toList();
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
            assertLine(403, "role=run, needed=change", run.upload("api/modules/install?file=ring.jar", modules.ring("1.0.0")));
            assertLine(403, "another site",
                page.post("api/modules/uninstall", "{\"module\":\"tree\",\"force\":false}", "Origin", "http://evil.example"));
            final HttpResponse<String> installed = page.upload("api/modules/install?file=ring.jar", modules.ring("1.0.0"));
            assertEquals(200, installed.statusCode(), installed.body());
            assertTrue(installed.body().contains("ring serves "), installed.body());
            final JsonNode snapshot = page.snapshot(s -> names(s.get("modules")).contains("ring"));
            assertEquals("[\"a\",\"b\"]", rings(snapshot).getFirst().get("nodes").toString());
            assertTrue(CommandInJvm.run("modules", "--connect", b.address).out().contains("ring "), "the other node has it");
            assertTrue(snapshot.get("agreed").toString().contains("\"ring 1.0.0\""), snapshot::toString);
            assertLine(409, "node ", page.upload("api/modules/install?file=x.jar", ProjectPaths.DIR.resolve("README.md")));
            assertLine(409, "no.such", page.post("api/modules/uninstall", "{\"module\":\"no.such\",\"force\":false}"));
            assertEquals(200, page.upload("api/modules/update?file=ring.jar&verify=false", modules.ring("1.0.1")).statusCode());
            page.snapshot(s -> versions(s).equals(List.of("1.0.1")));
            assertEquals(200, page.post("api/modules/rollback", "{\"module\":\"ring\",\"force\":false}").statusCode());
            page.snapshot(s -> versions(s).equals(List.of("1.0.0")));
            assertEquals(200, page.post("api/modules/uninstall", "{\"module\":\"ring\",\"force\":false}").statusCode());
            page.snapshot(s -> !names(s.get("modules")).contains("ring"));
        }
    }
}
