package tutti.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.monitor.LostNode;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeLoad;
import tutti.daemon.node.NodeReport;
import tutti.daemon.node.ProofCounts;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.module.Catalogue;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PageServerTest {
    private static final String TOKEN = "s3cret";
    private final HttpClient client = HttpClient.newHttpClient();
    private PageServer server;

    /** A cluster of one node with a job, and a lost one. */
    private static final class OneNode implements ClusterView {
        @Override
        public String name() {
            return "a";
        }

        @Override
        public List<NodeReport> reports() {
            return List.of(new NodeReport(new NodeInfo("a", "1", "127.0.0.1", 7001, 1, "25", 2, 3), 2, new Catalogue(1, List.of()), List.of("tcp"),
                List.of(new JobInfo("a-1-00", "running", 2, List.of("a"), List.of(), "<b>", 4, "u", "a")),
                new NodeLoad("0.1.0", 5, 6, new CacheStatistics(1, 2, 3, 0, 0), new ProofCounts(0, 0, 0, Map.of()),
                    new MessageStatistics(7, 8, 9, 10)), List.of("careful")));
        }

        @Override
        public List<LostNode> lost() {
            return List.of(new LostNode("b", "127.0.0.1:7002", 9, "killed"));
        }

        @Override
        public @Nullable String describeRanks(final String job) {
            return job.equals("a-1-00") ? "rank 0 on node a computes" : null;
        }

        @Override
        public boolean isPageToken(final String token) {
            return token.equals(TOKEN);
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = PageServer.start(0, new OneNode());
    }

    @AfterEach
    void stop() {
        server.close();
        client.close();
    }

    private HttpResponse<String> get(final String path, final String... headers) throws Exception {
        return request("GET", path, headers);
    }

    private HttpResponse<String> request(final String method, final String path, final String... headers) throws Exception {
        final HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create("http://" + server.address() + path)).method(method,
            HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            builder.headers(headers);
        }
        return client.send(builder.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> allowed(final String path) throws Exception {
        return get(path, "Authorization", "Bearer " + TOKEN);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"/", "/page.js", "/api/nodes", "/api/jobs/a-1-00/ranks", "/events", "/nowhere", "/?token=wrong", "/api/nodes?token=" + TOKEN})
    void shouldRefuseRequestsWithoutTheTokenInOneLine(final String path) throws Exception {
        final HttpResponse<String> r = get(path);
        assertEquals(401, r.statusCode());
        assertEquals(1, r.body().lines().count(), r.body());
        assertTrue(r.body().contains("tutti page --connect"), r.body());
    }

    @ParameterizedTest
    @CsvSource({"Authorization,Bearer wrong", "Authorization,Basic s3cret", "Authorization,s3cret", "Cookie,token=s3cret",
        "Cookie,tutti_page=s3cret"})
    void shouldRefuseOtherTokensAndOtherPlacesOfTheToken(final String header, final String value) throws Exception {
        assertEquals(401, get("/api/nodes", header, value).statusCode());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Host: evil.example", "Host: 127.0.0.1.evil.example", "Host: localhost:80@evil.example", "Host: ", "X: y",
        "Host: localhost\r\nHost: evil.example"})
    void shouldRefuseOtherHostsInOneLineEvenWithTheToken(final String lines) throws Exception {
        final String answer = raw("GET /api/nodes HTTP/1.1\r\n" + lines + "\r\nConnection: close\r\nAuthorization: Bearer " + TOKEN + "\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 421 "), answer);
        assertTrue(answer.endsWith("the host of the request is not this node: use http://" + server.address() + "/"), answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:9000", "127.0.0.1:1", "[::1]:8080"})
    void shouldAcceptTheLoopbackAddressWithAnyPort(final String host) throws Exception {
        final String answer =
            raw("GET /api/nodes HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\nAuthorization: Bearer " + TOKEN + "\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    }

    private String raw(final String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), Integer.parseInt(server.address().split(":")[1]))) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    @Test
    void shouldSetTheTokenAsACookieThatNoScriptReadsAndNoOtherSiteSends() throws Exception {
        final HttpResponse<String> r = get("/?token=" + TOKEN);
        assertEquals(200, r.statusCode());
        final String cookie = "tutti_page_" + server.address().split(":")[1] + "=" + TOKEN;
        assertEquals(cookie + "; Path=/; HttpOnly; SameSite=Strict", r.headers().firstValue("Set-Cookie").orElseThrow());
        assertEquals(200, get("/api/nodes", "Cookie", "other=1; " + cookie).statusCode());
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "HEAD"})
    void shouldOnlyRead(final String method) throws Exception {
        assertEquals(405, request(method, "/api/nodes", "Authorization", "Bearer " + TOKEN).statusCode());
    }

    @Test
    void shouldServeThePageUnderAPolicyThatLoadsNothingElse() throws Exception {
        for (final String path : List.of("/", "/page.js", "/page.css", "/icon.svg", "/api/openapi.json")) {
            final HttpResponse<String> r = allowed(path);
            assertEquals(200, r.statusCode(), path);
            assertTrue(r.headers().firstValue("Content-Security-Policy").orElseThrow().startsWith("default-src 'none'; script-src 'self'; "), path);
            assertEquals("no-store", r.headers().firstValue("Cache-Control").orElseThrow());
            assertTrue(Stream.of("innerHTML", "eval(", "style=\"", " onclick", "https://").noneMatch(r.body()::contains), path);
        }
    }

    @Test
    void shouldAnswerWithTheRowsOfTheCommands() throws Exception {
        assertTrue(allowed("/api/nodes").body().startsWith("[{\"name\":\"a\",\"address\":\"127.0.0.1:7001\",\"pid\":1,"),
            allowed("/api/nodes").body());
        assertEquals("[]", allowed("/api/modules").body());
        assertEquals("[{\"id\":\"a-1-00\",\"state\":\"running\",\"ranks\":2,\"nodes\":[\"a\"],\"modules\":[],\"program\":\"<b>\",\"since\":4,"
            + "\"launchedBy\":\"u\",\"launchedAt\":\"a\"}]", allowed("/api/jobs").body());
        assertEquals("[{\"name\":\"b\",\"address\":\"127.0.0.1:7002\",\"time\":9,\"reason\":\"killed\"}]", allowed("/api/lost").body());
        assertEquals("rank 0 on node a computes\n", allowed("/api/jobs/a-1-00/ranks").body());
    }

    @Test
    void shouldNameAJobOrResourceThatIsMissing() throws Exception {
        final HttpResponse<String> job = allowed("/api/jobs/a-9-00/ranks");
        assertEquals(404, job.statusCode());
        assertEquals("no such job: id=a-9-00; /api/jobs lists them\n", job.body());
        assertEquals(404, allowed("/api/../etc/passwd").statusCode());
    }

    @Test
    void shouldSendASnapshotEachSecondUntilItIsClosed() throws Exception {
        final HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + server.address() + "/events")).header("Authorization",
            "Bearer " + TOKEN).build();
        try (BufferedReader events = new BufferedReader(new InputStreamReader(
            client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body(), StandardCharsets.UTF_8))) {
            for (int i = 0; i < 2; i++) {
                assertEquals("event: snapshot", events.readLine());
                final String data = events.readLine();
                assertTrue(data.startsWith("data: {\"time\":") && data.contains("\"warnings\":{\"a\":[\"careful\"]}"), data);
                assertEquals("", events.readLine());
            }
        }
    }
}
