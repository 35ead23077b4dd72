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
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PageServerTest {
    private static final String OBSERVE = "observe";
    private static final String CHANGE = "change";
    private static final String JAR = "application/java-archive";
    private static final String PLAN = "{\"operation\":\"bcast\",\"bytes\":8,\"ranks\":1,\"root\":0,\"lanes\":false}";
    private final HttpClient client = HttpClient.newHttpClient();
    private final TestCluster cluster = new TestCluster();
    private PageServer server;

    @BeforeEach
    void start() throws IOException {
        server = PageServer.start(0, cluster);
    }

    @AfterEach
    void stop() {
        server.close();
        client.close();
    }

    private HttpResponse<String> request(final String method, final String path, final String body, final String... headers) throws Exception {
        final HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create("http://" + server.address() + path)).method(method,
            body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            builder.headers(headers);
        }
        return client.send(builder.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(final String path, final String... headers) throws Exception {
        return request("GET", path, "", headers);
    }

    private HttpResponse<String> allowed(final String path) throws Exception {
        return get(path, "Authorization", "Bearer " + OBSERVE);
    }

    private HttpResponse<String> post(final String token, final String path, final String type, final String body) throws Exception {
        return request("POST", path, body, "Authorization", "Bearer " + token, "Content-Type", type);
    }

    private static void assertLine(final int status, final String text, final HttpResponse<String> answer) {
        assertEquals(status, answer.statusCode(), answer.body());
        assertEquals(1, answer.body().lines().count(), answer.body());
        assertTrue(answer.body().contains(text), answer.body());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/nodes", "/api/jobs/a-1-00/ranks", "/events", "/nowhere", "/api/openapi.json", "/api/nodes?token=observe"})
    void shouldRefuseRequestsWithoutTheTokenInOneLine(final String path) throws Exception {
        assertLine(401, "tutti page --connect", get(path));
    }

    @ParameterizedTest
    @CsvSource({"Authorization,Bearer wrong", "Authorization,Basic observe", "Authorization,observe", "Cookie,token=observe",
        "Cookie,Authorization=Bearer observe"})
    void shouldRefuseOtherTokensAndOtherPlacesOfTheToken(final String header, final String value) throws Exception {
        assertEquals(401, get("/api/nodes", header, value).statusCode());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Host: evil.example", "Host: 127.0.0.1.evil.example", "Host: localhost:80@evil.example", "Host: ", "X: y",
        "Host: localhost\r\nHost: evil.example"})
    void shouldRefuseOtherHostsInOneLineEvenWithTheToken(final String lines) throws Exception {
        final String answer = raw("GET /api/nodes HTTP/1.1\r\n" + lines + "\r\nConnection: close\r\nAuthorization: Bearer " + OBSERVE + "\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 421 "), answer);
        assertTrue(answer.endsWith("the host of the request is not this node: use http://" + server.address() + "/"), answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:9000", "127.0.0.1:1", "[::1]:8080"})
    void shouldAcceptTheLoopbackAddressWithAnyPort(final String host) throws Exception {
        final String answer =
            raw("GET /api/nodes HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\nAuthorization: Bearer " + OBSERVE + "\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    }

    private String raw(final String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), Integer.parseInt(server.address().split(":")[1]))) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://evil.example", "null", "http://127.0.0.1:1", "https://"})
    void shouldRefuseRequestsOfPagesOfOtherSitesEvenWithTheToken(final String origin) throws Exception {
        final String sent = origin.equals("https://") ? origin + server.address() : origin;
        assertLine(403, "another site", request("POST", "/api/modules/rollback", "{\"module\":\"x\",\"force\":false}", "Origin", sent,
            "Authorization", "Bearer " + CHANGE, "Content-Type", "application/json"));
        assertEquals(List.of(), cluster.changes);
        assertEquals(200, get("/api/nodes", "Origin", "http://" + server.address(), "Authorization", "Bearer " + OBSERVE).statusCode());
    }

    @Test
    void shouldSetNoCookieSinceABrowserWouldSendItByItself() throws Exception {
        assertTrue(get("/").headers().firstValue("Set-Cookie").isEmpty());
        assertTrue(allowed("/api/nodes").headers().firstValue("Set-Cookie").isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"POST,/api/nodes", "HEAD,/api/nodes", "DELETE,/", "GET,/api/plans", "OPTIONS,/api/modules/install", "POST,/page.js"})
    void shouldRefuseOtherMethods(final String method, final String path) throws Exception {
        final HttpResponse<String> answer = request(method, path, "", "Authorization", "Bearer " + CHANGE);
        assertEquals(405, answer.statusCode());
        assertTrue(List.of("GET", "POST").contains(answer.headers().firstValue("Allow").orElseThrow()));
    }

    @Test
    void shouldServeThePageToEverybodyUnderAPolicyThatLoadsNothingElse() throws Exception {
        for (final String path : List.of("/", "/page.js", "/elements.js", "/server.js", "/cluster.js", "/jobs.js", "/measurements.js", "/modules.js",
            "/plans.js",
            "/page.css", "/icon.svg")) {
            final HttpResponse<String> r = get(path);
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
        assertEquals("[{\"name\":\"tutti.coll.x\",\"version\":\"1.0.0\",\"sha256\":\"ab\",\"nodes\":[\"a\"],\"missing\":[],\"quarantine\":null}]",
            allowed("/api/modules").body());
        assertEquals("[{\"id\":\"a-1-00\",\"state\":\"running\",\"ranks\":2,\"nodes\":[\"a\"],\"modules\":[\"tutti.coll.x 1.0.0\"],\"changes\":0,"
            + "\"tries\":\"\",\"program\":\"<b>\",\"since\":4,\"launchedBy\":\"u\",\"launchedAt\":\"a\",\"failed\":[],\"replaced\":{}}]",
            allowed("/api/jobs").body());
        assertEquals("[{\"name\":\"b\",\"address\":\"127.0.0.1:7002\",\"time\":9,\"reason\":\"killed\"}]", allowed("/api/lost").body());
        assertTrue(allowed("/api/history").body().startsWith("[{\"id\":\"a-1-00\","), "the newest first");
        assertEquals("{\"node\":\"a\",\"role\":\"observe\"}", allowed("/api/session").body());
    }

    @Test
    void shouldTellWhatTheRanksOfAJobDoAndWhichWaitForEachOther() throws Exception {
        assertEquals(
            "{\"size\":2,\"text\":\"text\",\"ranks\":[{\"rank\":0,\"node\":\"a\",\"activity\":\"waiting\",\"call\":\"recv\",\"line\":\"P.java:3\","
                + "\"waitedMillis\":5,\"waits\":[{\"text\":\"a message of rank 1\",\"ranks\":[1]}],\"unreceived\":[\"4 bytes of rank 1\"],"
                + "\"windows\":[],\"files\":[\"/data: mode=RDWR\"]}],"
                + "\"stuck\":[0,1],\"cycle\":[0,1,0]}",
            allowed("/api/jobs/a-1-00/ranks").body());
    }

    @Test
    void shouldServeTheTraceAndTheReportsOfAJob() throws Exception {
        assertEquals("{\"job\":\"a-2-00\",\"program\":\"P\",\"node\":\"a\",\"limit\":100,\"tracedRanks\":0,\"kept\":[]}",
            allowed("/api/jobs/a-2-00/measurements").body());
        assertTrue(allowed("/api/jobs/a-1-00/measurements").body().contains(
            "{\"name\":\"intercept.x\",\"mediaType\":\"text/plain\",\"bytes\":7,\"state\":\"KEPT\"}"));
        final HttpResponse<String> picture = allowed("/api/jobs/a-1-00/trace.svg");
        assertEquals("image/svg+xml", picture.headers().firstValue("Content-Type").orElseThrow());
        assertTrue(picture.body().contains("Trace of &lt;b&gt;, 1 rank") && picture.body().contains("rank 0: bcast"), picture.body());
        final HttpResponse<String> trace = allowed("/api/jobs/a-1-00/trace.json");
        assertEquals("application/json", trace.headers().firstValue("Content-Type").orElseThrow());
        assertTrue(trace.body().contains("\"name\":\"bcast linear\"") && trace.body().contains("\"events\":2"), trace.body());
        assertTrue(allowed("/api/jobs/a-1-00/profile").body().startsWith("{\"job\":\"a-1-00\",\"nanos\":9,"));
        final HttpResponse<String> report = allowed("/api/jobs/a-1-00/report?name=intercept.x");
        assertEquals("two chunks", report.body());
        assertEquals("text/plain; charset=utf-8", report.headers().firstValue("Content-Type").orElseThrow());
        assertEquals("attachment", report.headers().firstValue("Content-Disposition").orElseThrow());
    }

    @Test
    void shouldDrawTheFirstEventsOfALongTraceAndCountTheOthers() throws Exception {
        cluster.events = 400_000;
        final HttpResponse<String> trace = allowed("/api/jobs/a-1-00/trace.json");
        final Matcher counts = Pattern.compile("\"events\":(\\d+),\"notEnded\":0,\"dropped\":(\\d+)").matcher(trace.body());
        assertTrue(counts.find());
        final int events = Integer.parseInt(counts.group(1));
        assertTrue(events > 190_000 && events <= 200_000, () -> "events: " + events);
        assertEquals(400_000, events + Integer.parseInt(counts.group(2)));
        final String picture = allowed("/api/jobs/a-1-00/trace.svg").body();
        assertTrue(picture.contains(counts.group(2) + " later events were dropped"));
        assertTrue(picture.length() < 20_000, () -> "characters: " + picture.length());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"404 | no such job: id=a-9-00; /api/history lists them | a-9-00/measurements",
        "404 | no such job: id=a-9-00; /api/history lists them | a-9-00/trace.svg",
        "404 | the trace of job a-2-00 is not kept: start the job with -p trace=on | a-2-00/trace.svg",
        "404 | the trace of job a-2-00 is not kept: start the job with -p trace=on | a-2-00/trace.json",
        "404 | the report of intercept.profile of job a-2-00 is not kept: start the job with -p intercept=profile | a-2-00/profile",
        "404 | the report of intercept.x of job a-2-00 is not kept: start the job with -p intercept=x | a-2-00/report?name=intercept.x",
        "404 | longer than all that node a keeps, tutti.node.measurements=100; write it to a file with: tutti run --trace FILE | a-3-00/trace.svg",
        "404 | newer jobs needed its place on node a, tutti.node.measurements=100 | a-3-00/profile",
        "404 | it arrives when the ranks have ended | a-3-00/report?name=intercept.x",
        "404 | the trace of job a-4-00 is gone: node gone does not answer | a-4-00/trace.json",
        "422 | the trace of job a-5-00 cannot be read: not a trace: rank=-1 | a-5-00/trace.svg",
        "400 | not the name of an interceptor: name=, expected one such as intercept.profile | a-1-00/report",
        "400 | not the name of an interceptor: name=trace | a-1-00/report?name=trace"})
    void shouldSayInOneLineWhyATraceOrAReportIsNotThere(final int status, final String text, final String path) throws Exception {
        assertLine(status, text, allowed("/api/jobs/" + path));
    }

    @Test
    void shouldNameAJobOrResourceThatIsMissing() throws Exception {
        final HttpResponse<String> job = allowed("/api/jobs/a-9-00/ranks");
        assertEquals(404, job.statusCode());
        assertEquals("no such job: id=a-9-00; /api/jobs lists them\n", job.body());
        assertEquals(404, allowed("/api/../etc/passwd").statusCode());
        assertEquals(404, allowed("/api/jobs/a%20b/ranks").statusCode());
    }

    @Test
    void shouldSendASnapshotEachSecondUntilItIsClosed() throws Exception {
        final HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + server.address() + "/events")).header("Authorization",
            "Bearer " + OBSERVE).build();
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

    @Test
    void shouldDrawThePlanOfACallWithTheDecisionBehindIt() throws Exception {
        final HttpResponse<String> answer = post("run", "/api/plans", "application/json; charset=utf-8", PLAN);
        assertEquals(200, answer.statusCode(), answer.body());
        assertTrue(answer.body().startsWith("{\"module\":\"basic 1.0.0\",\"algorithm\":\"linear\",\"tasks\":1,"
            + "\"decision\":\"bcast: basic, since the others <refuse>\\n\",\"svg\":\"<?xml "), answer.body());
        assertEquals(
            List.of("tutti.mpi.programs.ExplainPlan [bcast, 8, 0, -1, 100000] 1 page", "tutti.mpi.programs.Explain [bcast, --bytes, 8] 1 page"),
            cluster.jobs);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "400 | no such operation: operation=cast | {\"operation\":\"cast\",\"bytes\":8,\"ranks\":1,\"root\":0,\"lanes\":false}",
        "400 | depends on the topology | {\"operation\":\"neighbor_alltoall\",\"bytes\":8,\"ranks\":1,\"root\":0,\"lanes\":false}",
        "400 | allreduce has no root | {\"operation\":\"allreduce\",\"bytes\":8,\"ranks\":2,\"root\":1,\"lanes\":false}",
        "400 | out of range: ranks=0 | {\"operation\":\"bcast\",\"bytes\":8,\"ranks\":0,\"root\":0,\"lanes\":false}",
        "400 | out of range: ranks=257 | {\"operation\":\"bcast\",\"bytes\":8,\"ranks\":257,\"root\":0,\"lanes\":false}",
        "400 | out of range: root=1 | {\"operation\":\"bcast\",\"bytes\":8,\"ranks\":1,\"root\":1,\"lanes\":false}",
        "400 | out of range: bytes=-1 | {\"operation\":\"bcast\",\"bytes\":-1,\"ranks\":1,\"root\":0,\"lanes\":false}",
        "400 | operation is missing | {\"bytes\":8,\"ranks\":1,\"root\":0,\"lanes\":false}", "400 | /api/openapi.json describes | {\"operation\":",
        "400 | /api/openapi.json describes | []", "400 | /api/openapi.json describes | null",
        "422 | too many ranks | {\"operation\":\"bcast\",\"bytes\":8,\"ranks\":101,\"root\":0,\"lanes\":false}"})
    void shouldRefusePlansOfOtherCallsInOneLine(final int status, final String text, final String body) throws Exception {
        assertLine(status, text, post("run", "/api/plans", "application/json", body));
    }

    @Test
    void shouldRefuseBodiesOfOtherTypesAndLengths() throws Exception {
        assertLine(415, "expected application/json", post("run", "/api/plans", "text/plain", PLAN));
        assertLine(415, "Content-Type=,", request("POST", "/api/plans", PLAN, "Authorization", "Bearer run"));
        assertLine(413, "max=65536", post("run", "/api/plans", "application/json", " ".repeat(PageExchange.MOST_JSON) + PLAN));
        assertLine(415, "expected application/java-archive", post(CHANGE, "/api/modules/install?file=m.jar", "multipart/form-data", "x"));
        assertEquals(List.of(), cluster.changes);
    }

    @Test
    void shouldRefuseWhatNeedsAHigherRoleInOneLine() throws Exception {
        assertLine(403, "role=observe, needed=run; open the address that 'tutti page --role run' prints",
            post(OBSERVE, "/api/plans", "application/json", PLAN));
        for (final String path : List.of("install?file=m.jar", "update?file=m.jar", "rollback", "uninstall")) {
            for (final String token : List.of(OBSERVE, "run")) {
                assertLine(403, "role=" + token + ", needed=change", post(token, "/api/modules/" + path, "application/json", "{}"));
            }
        }
        assertEquals(List.of(), cluster.changes);
        assertEquals(List.of(), cluster.jobs);
    }

    @Test
    void shouldChangeModulesAsTheCommandsDo() throws Exception {
        assertEquals("{\"text\":\"done on a\"}", post(CHANGE, "/api/modules/install?file=m-1.jar&verify=false&node=a&node=b", JAR, "bytes").body());
        assertEquals("{\"text\":\"done on a\"}",
            post(CHANGE, "/api/modules/update?file=m%2D2.jar&force=true", "application/octet-stream", "more").body());
        assertEquals(200, post(CHANGE, "/api/modules/rollback", "application/json", "{\"module\":\"m\",\"force\":false}").statusCode());
        assertEquals(200, post(CHANGE, "/api/modules/uninstall", "application/json",
            "{\"module\":\"m\",\"version\":\"1.0.0\",\"nodes\":[\"a\"],\"force\":true}").statusCode());
        assertEquals(List.of("INSTALL m-1.jar null [a, b] verify=false force=false bytes", "UPDATE m-2.jar null [] verify=true force=true more",
            "ROLLBACK m null [] verify=false force=false", "UNINSTALL m 1.0.0 [a] verify=false force=true"), cluster.changes);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
        value = {"400 | not the name of a jar: file=, | install | x", "400 | not the name of a jar: file=../m.jar | install?file=../m.jar | x",
            "400 | not the name of a jar: file=a.jar,b.jar | install?file=a.jar&file=b.jar | x",
            "400 | not true or false: verify=no | install?file=a.jar&verify=no | x",
            "400 | the body is empty | install?file=a.jar | ''", "400 | the query cannot be read | install?file=%zz | x"})
    void shouldRefuseFilesThatAreNoModulesInOneLine(final int status, final String text, final String path, final String body) throws Exception {
        final String uri = "/api/modules/" + path;
        if (path.contains("%zz")) {
            final String answer = raw("POST " + uri + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer change\r\n"
                + "Content-Type: " + JAR + "\r\nContent-Length: 1\r\n\r\nx");
            assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
            return;
        }
        assertLine(status, text, post(CHANGE, uri, JAR, body));
        assertEquals(List.of(), cluster.changes);
    }

    @Test
    void shouldSayInOneLineWhyTheClusterRefusesAChange() throws Exception {
        assertLine(409, "no such module: name=no.such",
            post(CHANGE, "/api/modules/uninstall", "application/json", "{\"module\":\"no.such\",\"force\":false}"));
        assertLine(400, "leave out version=1", post(CHANGE, "/api/modules/rollback", "application/json",
            "{\"module\":\"m\",\"version\":\"1\",\"force\":false}"));
        assertLine(400, "module is missing", post(CHANGE, "/api/modules/rollback", "application/json", "{\"force\":false}"));
    }
}
