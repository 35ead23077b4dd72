package tutti.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.protocol.MessageCodec;

/** Compares openapi.json with what the server serves. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OpenApiTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BODY = "requestBody";
    private final HttpClient client = HttpClient.newHttpClient();
    private PageServer server;
    private JsonNode api;

    @BeforeEach
    void start() throws IOException {
        server = PageServer.start(0, new TestCluster());
        try (InputStream in = Objects.requireNonNull(PageServer.class.getResourceAsStream("openapi.json"), "openapi.json")) {
            api = JSON.readTree(in);
        }
    }

    @AfterEach
    void stop() {
        server.close();
        client.close();
    }

    @Test
    void shouldDescribeWhatIsServedWithItsMethodsAndRoles() {
        final Map<String, String> described = new TreeMap<>();
        api.get("paths").properties().forEach(path -> path.getValue().properties().forEach(m -> described.put(
            m.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(), m.getValue().get("description").asText())));
        final Map<String, String> served = new TreeMap<>();
        server.routes().forEach(r -> served.put(r.method() + " " + r.path(), "Needs role " + r.role() + "."));
        assertEquals(served, described);
    }

    @Test
    void shouldDescribeTheAnswersToAllRequests() throws Exception {
        final Set<String> checked = new TreeSet<>();
        for (final PageRoute route : server.routes()) {
            final JsonNode content = operation(route).get("responses").get("200").get("content");
            if (content.has("text/event-stream")) {
                continue;
            }
            final HttpResponse<String> answer = ask(route);
            if (!content.has(PageExchange.JSON)) {
                assertEquals(200, answer.statusCode(), () -> route + ": " + answer.body());
                final String type = content.fieldNames().next();
                assertTrue(type.equals("*/*") || type.equals(answer.headers().firstValue("Content-Type").orElseThrow()), route::path);
                checked.add(route.path());
                continue;
            }
            assertEquals(200, answer.statusCode(), () -> route + ": " + answer.body());
            check(route.path(), content.get(PageExchange.JSON).get("schema"), JSON.readTree(answer.body()));
            checked.add(route.path());
        }
        assertEquals(server.routes().size() - 1, checked.size());
        check("snapshot", api.at("/components/schemas/Snapshot"),
            JSON.readTree(MessageCodec.write(ClusterSnapshot.of(new TestCluster()))));
    }

    private JsonNode operation(final PageRoute route) {
        return api.get("paths").get(route.path()).get(route.method().toLowerCase(Locale.ROOT));
    }

    private HttpResponse<String> ask(final PageRoute route) throws Exception {
        final String type = operation(route).has(BODY) ? operation(route).get(BODY).get("content").fieldNames().next() : "";
        final String body = switch (route.path()) {
            case "/api/plans" -> "{\"operation\":\"bcast\",\"bytes\":8,\"ranks\":1,\"root\":0,\"lanes\":true}";
            case "/api/modules/rollback", "/api/modules/uninstall" -> "{\"module\":\"m\",\"force\":false}";
            default -> "x";
        };
        final String uri = route.path().replace("{id}", "a-1-00") + (type.endsWith("archive") ? "?file=m.jar"
            : route.path().endsWith("/report") ? "?name=intercept.x" : "");
        final HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + server.address() + uri))
            .header("Authorization", "Bearer change");
        if (!type.isEmpty()) {
            request.header("Content-Type", type).POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void shouldDescribeTheBodiesOfRequests() {
        assertEquals(components(PlanPictures.Wanted.class), names(api.at("/components/schemas/PlanRequest/properties")));
        assertEquals(components(ModuleChanges.Named.class), names(api.at("/components/schemas/NamedChange/properties")));
        assertEquals(PlanPictures.MOST_RANKS, api.at("/components/schemas/PlanRequest/properties/ranks/maximum").asInt());
        assertEquals(PlanPictures.MOST_BYTES, api.at("/components/schemas/PlanRequest/properties/bytes/maximum").asLong());
    }

    private static Set<String> components(final Class<?> type) {
        return new TreeSet<>(Arrays.stream(type.getRecordComponents()).map(c -> c.getName()).toList());
    }

    private static Set<String> names(final JsonNode object) {
        final Set<String> names = new TreeSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Checks that a value is what a schema says: its type, all members of an object and no others. */
    private void check(final String where, final JsonNode schema, final JsonNode value) {
        if (schema.has("$ref")) {
            check(where, api.at(schema.get("$ref").asText().substring(1)), value);
            return;
        }
        if (schema.has("oneOf")) {
            if (!value.isNull()) {
                check(where, schema.get("oneOf").get(0), value);
            }
            return;
        }
        final List<String> types = schema.get("type").isArray() ? List.of(schema.get("type").get(0).asText(), schema.get("type").get(1).asText())
            : List.of(schema.get("type").asText());
        assertTrue(types.contains(typeOf(value)), () -> where + ": " + value + " is none of " + types);
        if (schema.has("enum")) {
            assertTrue(schema.get("enum").toString().contains("\"" + value.asText() + "\""), () -> where + ": " + value);
        }
        if (value.isArray()) {
            value.forEach(v -> check(where + "[]", schema.get("items"), v));
        } else if (value.isObject() && schema.has("properties")) {
            assertEquals(names(schema.get("properties")), names(value), where);
            value.properties().forEach(p -> check(where + "." + p.getKey(), schema.get("properties").get(p.getKey()), p.getValue()));
        } else if (value.isObject() && schema.has("additionalProperties")) {
            value.properties().forEach(p -> check(where + "." + p.getKey(), schema.get("additionalProperties"), p.getValue()));
        }
    }

    private static String typeOf(final JsonNode value) {
        return value.isIntegralNumber() ? "integer" : value.isTextual() ? "string" : value.getNodeType().name().toLowerCase(Locale.ROOT);
    }
}
