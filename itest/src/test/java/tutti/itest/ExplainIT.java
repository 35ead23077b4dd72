package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code tutti explain}, without a cluster and on one. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ExplainIT {
    private static final String VERSION = "0\\.1\\.0\\S*";

    @TempDir
    private Path dir;

    @Test
    void shouldExplainAllOperationsWithoutACluster() throws Exception {
        final Cli.Result r = Cli.run(dir, "explain");
        assertEquals(0, r.status(), r::toString);
        assertEquals("", r.err());
        assertEquals(22, r.out().lines().count(), r::toString);
        assertTrue(r.out().lines().allMatch(l -> l.matches("[a-z_]+  basic " + VERSION + ", algorithm [a-z_]+, priority 10")), r::toString);
    }

    @Test
    void shouldPrintJson() throws Exception {
        final Cli.Result r = Cli.run(dir, "explain", "-n", "3", "--nodes", "1", "--map", "cyclic", "--json", "scan", "allreduce");
        assertEquals(0, r.status(), r::toString);
        final JsonNode json = new ObjectMapper().readTree(r.out());
        assertEquals(2, json.size(), r::toString);
        assertEquals("scan", json.get(0).get("operation").asText());
        assertEquals("allreduce", json.get(1).get("operation").asText());
        assertTrue(json.get(1).get("module").asText().matches("basic " + VERSION), r::toString);
        assertEquals("recursive_doubling", json.get(1).get("algorithm").asText());
        assertEquals(10, json.get(1).get("priority").asInt());
        assertTrue(json.get(1).get("others").isArray() && json.get(1).get("others").isEmpty(), r::toString);
    }

    @Test
    void shouldNameTheOperationsThatThereAre() throws Exception {
        final Cli.Result r = Cli.run(dir, "explain", "allreduce", "gossip");
        assertEquals(2, r.status(), r::toString);
        assertEquals("", r.out());
        assertEquals(1, r.err().lines().count(), r::toString);
        assertTrue(r.err().startsWith("tutti: no such operation: gossip, known: allgather, allgatherv, allreduce, "), r::toString);
    }

    @Test
    void shouldRefuseParametersAsRunDoes() throws Exception {
        final Cli.Result r = Cli.run(dir, "explain", "-n", "1", "-p", "coll.select=nothing");
        assertEquals(2, r.status(), r::toString);
        assertEquals("tutti: no such module: coll.select=nothing; did you mean basic?\n", r.err());
    }

    @Test
    void shouldSayWhatTheJvmOfANodeSaysOfItsOptions() throws Exception {
        final Cli.Result r = Cli.run(dir, Map.of("TUTTI_DAEMON_OPTS", "-Xmx1x"), "explain", "-n", "1");
        assertEquals(3, r.status(), r::toString);
        assertTrue(r.err().lines().anyMatch(l -> l.startsWith("tutti: cluster does not start: node n0 ended before it was ready")), r::toString);
    }

    @Test
    void shouldReachANodeWhoseJvmWarnsOfItsOptions() throws Exception {
        final Cli.Result r = Cli.run(dir, Map.of("TUTTI_DAEMON_OPTS", "-Xlog:gc*:stdout"), "explain", "-n", "1", "scan");
        assertEquals(0, r.status(), r::toString);
        assertEquals(1, r.out().lines().count(), r::toString);
    }

    @Test
    void shouldSayOnWhichNodeOfTheClusterAModuleIsMissing() throws Exception {
        final Path folder = Files.createDirectories(dir.resolve("load"));
        ModuleJar.put(folder, "0.2.0", Map.of());
        try (Cli.Daemon a = new Cli.Daemon(dir, "--name", "a", "--load", folder.toString());
             Cli.Daemon b = new Cli.Daemon(dir, "--name", "b", "--join", a.address)) {
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(300))
                .until(() -> Cli.run(dir, "modules", "--connect", a.address).out().contains("0.2.0"));
            final Cli.Result both = Cli.run(dir, "explain", "--connect", b.address, "-n", "2", "barrier");
            assertEquals(0, both.status(), both::toString);
            assertTrue(both.out().matches("barrier  basic " + VERSION + ", algorithm dissemination, priority 10\n"
                + "  not basic 0\\.2\\.0: missing on node b\n"), both::toString);
            final List<String> one = Cli.run(dir, "explain", "--connect", a.address, "-n", "1", "--map", "cyclic", "barrier").out().lines().toList();
            assertEquals("barrier  basic 0.2.0, algorithm dissemination, priority 10", one.getFirst());
            assertTrue(one.get(1).endsWith(": version 0.2.0 is higher"), one::toString);
            assertEquals(2, one.size());
            Inside.holdsNothing(a);
            Inside.holdsNothing(b);
        }
    }
}
