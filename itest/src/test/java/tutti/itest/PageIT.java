package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the live page of a node in a cluster of three with a running job: access, JSON, events, a lost node. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PageIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    @TempDir
    private Path dir;
    private final HttpClient client = HttpClient.newHttpClient();

    private HttpResponse<String> get(final String uri, final String... headers) throws Exception {
        final HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(uri));
        if (headers.length > 0) {
            builder.headers(headers);
        }
        return client.send(builder.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void shouldShowNodesModulesJobsAndALostNodeToWhoHasTheTokenAlone() throws Exception {
        TuttiScript.writeProgram(dir, "Waits", "System.out.println(\"up\"); MPI.COMM_WORLD.recv(new int[1], 1, MPI.INT, 0, 99);");
        TuttiScript.compile(dir, "Waits");
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a", "--page", "0");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
             TuttiScript.Daemon c = new TuttiScript.Daemon(dir, "--name", "c", "--join", a.address)) {
            final TuttiScript.Result none = CommandInJvm.run("page", "--connect", b.address);
            assertEquals(1, none.status(), none::toString);
            assertTrue(none.err().startsWith("tutti: node b serves no page: start it with --page 0, or set tutti.web.port"), none::toString);
            final String opened = CommandInJvm.run("page", "--connect", a.address).out().strip();
            assertTrue(opened.matches("http://127\\.0\\.0\\.1:\\d+/\\?token=[0-9a-f]{64}"), opened);
            final String page = opened.substring(0, opened.indexOf('?'));
            final String bearer = "Bearer " + opened.substring(opened.indexOf('=') + 1);
            assertEquals(401, get(page).statusCode());
            assertEquals(401, get(page + "api/nodes", "Authorization", "Bearer " + "0".repeat(64)).statusCode());
            final HttpResponse<String> html = get(opened);
            assertEquals(200, html.statusCode());
            final String cookie = html.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
            final CommandInJvm.Running job = CommandInJvm.start("run", "--connect", a.address, "-n", "2", "--map", "node", "-p", "stall=off", "--cp",
                dir.toString(), "Waits");
            assertEquals(List.of("up", "up"), job.lines(2));
            assertEquals(List.of("a", "b", "c"), JSON.readTree(get(page + "api/nodes", "Cookie", cookie).body()).findValuesAsText("name"));
            final JsonNode jobs = JSON.readTree(get(page + "api/jobs", "Authorization", bearer).body());
            assertEquals("Waits", jobs.get(0).get("program").asText());
            final String id = jobs.get(0).get("id").asText();
            await().atMost(Duration.ofSeconds(60)).until(() -> get(page + "api/jobs/" + id + "/ranks", "Cookie", cookie).body()
                .contains("rank 1 on node b waits in recv for a message of rank 0, tag 99"));
            assertEquals(JSON.readTree(CommandInJvm.run("modules", "--connect", a.address, "--json").out()),
                JSON.readTree(get(page + "api/modules", "Cookie", cookie).body()));
            c.process.toHandle().destroyForcibly();
            final HttpRequest events = HttpRequest.newBuilder(URI.create(page + "events")).header("Cookie", cookie).build();
            try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(client.send(events, HttpResponse.BodyHandlers.ofInputStream()).body(),
                    StandardCharsets.UTF_8))) {
                JsonNode snapshot;
                do {
                    assertEquals("event: snapshot", lines.readLine());
                    snapshot = JSON.readTree(lines.readLine().substring("data: ".length()));
                    assertEquals("", lines.readLine());
                } while (snapshot.get("lost").isEmpty());
                assertEquals("c", snapshot.get("lost").get(0).get("name").asText());
                assertEquals(List.of("a", "b"), snapshot.get("nodes").findValuesAsText("name"));
            }
            assertEquals(0, CommandInJvm.run("cancel", "--connect", a.address, id).status());
            assertEquals(7, job.end().status());
        } finally {
            client.shutdownNow();
        }
    }
}
