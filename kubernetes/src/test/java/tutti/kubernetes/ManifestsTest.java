package tutti.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Tests the manifests and the chart against the schemas of Kubernetes, since the build has no cluster. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ManifestsTest {
    private static final Path CHART = Path.of("chart");
    /** The types that the manifests use, by API and kind. */
    private static final Map<String, Schema> SCHEMAS = Map.of(
        "v1 Service", V1Service::validateJsonElement,
        "v1 ConfigMap", V1ConfigMap::validateJsonElement,
        "apps/v1 StatefulSet", V1StatefulSet::validateJsonElement,
        "networking.k8s.io/v1 NetworkPolicy", V1NetworkPolicy::validateJsonElement,
        "batch/v1 Job", V1Job::validateJsonElement);

    /** Checks an object: names and kinds of its fields, and that none is missing. */
    private interface Schema {
        void check(JsonElement object) throws IOException;
    }

    /** Returns the objects of a text, by kind and name. */
    private static Map<String, JsonObject> objects(final String text) {
        final Map<String, JsonObject> objects = new TreeMap<>();
        for (final Object document : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(text)) {
            if (document != null) {
                final JsonObject object = new Gson().toJsonTree(document).getAsJsonObject();
                objects.put(object.get("kind").getAsString() + " " + object.getAsJsonObject("metadata").get("name").getAsString(), object);
            }
        }
        return objects;
    }

    private static void check(final JsonObject object) throws IOException {
        final String type = object.get("apiVersion").getAsString() + " " + object.get("kind").getAsString();
        assertTrue(SCHEMAS.containsKey(type), type);
        SCHEMAS.get(type).check(object);
    }

    private static Map<String, JsonObject> template(final String... values) {
        final TemplateCommand command = new Helm(CHART).template().withName("tutti");
        for (final String value : values) {
            command.set(value.substring(0, value.indexOf('=')), value.substring(value.indexOf('=') + 1));
        }
        return objects(command.call());
    }

    private static String text(final JsonObject object, final UnaryOperator<JsonElement> path) {
        return path.apply(object).getAsString();
    }

    private static JsonObject node(final JsonObject statefulSet) {
        return statefulSet.getAsJsonObject("spec").getAsJsonObject("template").getAsJsonObject("spec").getAsJsonArray("containers").get(0)
            .getAsJsonObject();
    }

    private static String options(final JsonObject statefulSet) {
        for (final JsonElement variable : node(statefulSet).getAsJsonArray("env")) {
            if (variable.getAsJsonObject().get("name").getAsString().equals("TUTTI_DAEMON_OPTS")) {
                return variable.getAsJsonObject().get("value").getAsString();
            }
        }
        throw new AssertionError("no TUTTI_DAEMON_OPTS");
    }

    @Test
    void shouldHaveOnlyFieldsThatTheSchemasHave() throws IOException {
        final List<String> names = new ArrayList<>();
        for (final String file : List.of("tutti.yaml", "job.yaml")) {
            for (final Map.Entry<String, JsonObject> object : objects(Files.readString(Path.of(file))).entrySet()) {
                check(object.getValue());
                names.add(object.getKey());
            }
        }
        assertEquals(List.of("NetworkPolicy tutti", "Service tutti", "StatefulSet tutti", "ConfigMap tutti-program", "Job tutti-sum"), names);
    }

    @Test
    void shouldNoticeAFieldThatTheSchemasDoNotHaveAtAnyDepth() throws IOException {
        final JsonObject set = objects(Files.readString(Path.of("tutti.yaml"))).get("StatefulSet tutti");
        node(set).getAsJsonObject("startupProbe").addProperty("failureTreshold", 60);
        assertTrue(assertThrows(IllegalArgumentException.class, () -> check(set)).getMessage().contains("failureTreshold"));
        final JsonObject policy = objects(Files.readString(Path.of("tutti.yaml"))).get("NetworkPolicy tutti");
        policy.getAsJsonObject("spec").addProperty("ingress", "all");
        // the generated code casts before it checks
        assertThrows(RuntimeException.class, () -> check(policy));
    }

    @Test
    void shouldHaveAChartWithoutFlaws() {
        final LintResult lint = new Helm(CHART).lint().strict().call();
        assertFalse(lint.isFailed(), () -> lint.getMessages().toString());
    }

    @Test
    void shouldHaveTheManifestsThatTheChartMakesByDefault() throws IOException {
        assertEquals(template(), objects(Files.readString(Path.of("tutti.yaml"))),
            "tutti.yaml is not what the chart makes: write it again with: helm template tutti kubernetes/chart > kubernetes/tutti.yaml");
    }

    @Test
    void shouldMakeValidManifestsOfOtherValues() throws IOException {
        final Map<String, JsonObject> objects = template("replicas=5", "port=7100", "slots=4", "persistence.enabled=true",
            "persistence.storageClass=fast", "networkPolicy.enabled=false", "image.tag=2", "nodeSelector.zone=a");
        assertEquals(List.of("Service tutti", "StatefulSet tutti"), List.copyOf(objects.keySet()));
        for (final JsonObject object : objects.values()) {
            check(object);
        }
        final JsonObject set = objects.get("StatefulSet tutti");
        assertEquals("tutti:2", text(node(set), o -> o.getAsJsonObject().get("image")));
        assertEquals(
            "-XX:MaxRAMPercentage=60 -Dtutti.node.jvms=1 -Dtutti.cores=4 -Dtutti.node.join=tutti-0.tutti:7100,tutti-1.tutti:7100,tutti-2.tutti:7100,"
                + "tutti-3.tutti:7100,tutti-4.tutti:7100",
            options(set));
        assertEquals(JsonParser.parseString("[\"daemon\",\"--name\",\"$(POD_NAME)\",\"--listen\",\"$(POD_IP):7100\",\"--dir\",\"/var/lib/tutti\"]"),
            node(set).get("args"));
    }
}
