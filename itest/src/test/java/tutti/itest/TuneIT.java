package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code tutti tune} on a cluster of one node. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TuneIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path dir;

    private static TuttiScript.Daemon daemon;

    @BeforeAll
    static void start(@TempDir final Path shared) throws Exception {
        daemon = new TuttiScript.Daemon(shared, "--name", "a");
    }

    @AfterAll
    static void stop() {
        daemon.close();
    }

    private TuttiScript.Result tune(final String... operations) throws Exception {
        final List<String> line = new ArrayList<>(List.of("tune", "--connect", daemon.address, "-n", "4", "--sizes", "64,64K", "--millis", "0.2",
            "--rounds", "1", "--force", "--output", dir.resolve("mine.json").toString()));
        line.addAll(List.of(operations));
        return CommandInJvm.run(line.toArray(String[]::new));
    }

    private List<JsonNode> points() throws Exception {
        final List<JsonNode> points = new ArrayList<>();
        for (final String line : Files.readAllLines(dir.resolve("mine.json.points"))) {
            points.add(JSON.readTree(line));
        }
        return points.subList(1, points.size());
    }

    @Test
    void shouldMeasureAlgorithmsWithOtherParametersAndWriteRulesThatAJobUses() throws Exception {
        final TuttiScript.Result r = tune("bcast", "gatherv");
        assertEquals(0, r.status(), r::toString);
        assertTrue(r.err().startsWith("tutti: algorithms: measurements="), r::toString);
        assertTrue(r.err().contains("\ntutti: parameters, step 1 of 2: measurements="), r::toString);
        final Set<String> algorithms = new TreeSet<>();
        points().forEach(p -> algorithms.add(p.get("setting").get("operation").asText() + " " + p.get("algorithm").asText()));
        assertTrue(algorithms.containsAll(Set.of("bcast tree/kary", "gatherv tree/throttled", "gatherv basic/linear")), algorithms::toString);
        assertTrue(algorithms.stream().anyMatch(a -> a.matches("(bcast|gatherv) [a-z]+/[a-z_]+:[a-z]+=\\d+K?(,[a-z]+=\\d+K?)*")),
            algorithms::toString);
        final TuttiScript.Result explained = CommandInJvm.run("explain", "--connect", daemon.address, "-n", "4", "-p",
            "coll.rules=" + dir.resolve("mine.json"), "--json", "bcast", "gatherv");
        assertEquals(0, explained.status(), explained::toString);
        for (final JsonNode e : JSON.readTree(explained.out())) {
            assertTrue(e.get("rule").asText().startsWith("rule "), explained::toString);
            assertEquals(0, e.get("notes").size(), explained::toString);
        }
    }

    @Test
    void shouldMeasureBetweenTwoGroupsAndWriteRulesForThem() throws Exception {
        final String table = dir.resolve("mine.json").toString();
        final TuttiScript.Result r = CommandInJvm.run("tune", "--connect", daemon.address, "--groups", "3+2", "--sizes", "64,64K", "--millis", "0.2",
            "--rounds", "1", "--force", "--output", table, "allreduce", "barrier", "scan", "gatherv");
        assertEquals(0, r.status(), r::toString);
        final Set<String> algorithms = new TreeSet<>();
        points().forEach(p -> algorithms.add(p.get("setting").get("operation").asText() + " " + p.get("algorithm").asText()));
        assertTrue(algorithms.containsAll(Set.of("allreduce basic/pairs", "allreduce basic/slices", "allreduce basic/leaders",
            "allreduce smp/pipelined", "barrier basic/pairs", "barrier basic/leaders", "gatherv basic/direct")), algorithms::toString);
        assertTrue(algorithms.stream().noneMatch(a -> a.startsWith("scan")), algorithms::toString);
        final TuttiScript.Result explained = CommandInJvm.run("explain", "--connect", daemon.address, "--groups", "3+2", "--bytes", "64", "-p",
            "coll.rules=" + table, "--json", "allreduce", "gatherv");
        assertEquals(0, explained.status(), explained::toString);
        for (final JsonNode e : JSON.readTree(explained.out())) {
            assertTrue(e.get("rule").asText().contains(", groups 0.."), explained::toString);
            assertEquals(0, e.get("notes").size(), explained::toString);
        }
        final TuttiScript.Result within = CommandInJvm.run("explain", "--connect", daemon.address, "-n", "5", "-p", "coll.rules=" + table, "--json",
            "allreduce");
        assertTrue(within.out().contains("no rule of " + table + " matches"), within::toString);
    }

    @Test
    void shouldMeasureOperationsWhoseRulesKnowNoBytesWithSeveralSizesAndWriteOneRule() throws Exception {
        final TuttiScript.Result r = tune("alltoallv", "neighbor_alltoallw", "scatterv");
        assertEquals(0, r.status(), r::toString);
        final Set<String> measured = new TreeSet<>();
        points().forEach(p -> measured.add(p.get("setting").get("operation").asText() + " " + p.get("setting").get("bytes").asText()));
        assertEquals(Set.of("alltoallv 64", "alltoallv 65536", "neighbor_alltoallw 64", "neighbor_alltoallw 65536", "scatterv 64", "scatterv 65536"),
            measured);
        final JsonNode rules = JSON.readTree(dir.resolve("mine.json").toFile()).get("rules");
        assertEquals(3, rules.size(), rules::toString);
        rules.forEach(rule -> assertTrue(rule.get("bytes") == null, rule::toString));
    }

    @Test
    void shouldMeasureNothingAgainWhenItIsContinued() throws Exception {
        assertEquals(0, tune("gatherv").status());
        final List<JsonNode> before = points();
        final TuttiScript.Result again = tune("gatherv");
        assertEquals(0, again.status(), again::toString);
        assertEquals(before, points());
        assertTrue(again.err().matches("tutti: algorithms: measurements=(\\d+), made earlier=\\1\n(.*\n)*"), again::toString);
    }
}
