package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code tutti tune} on a cluster of one node. */
@Tag("nightly")
@Timeout(value = 720, unit = TimeUnit.SECONDS)
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
    void shouldMeasureSeveralJvmsOfANodeAndWriteRulesThatOnlySuchJobsUse() throws Exception {
        final String table = dir.resolve("mine.json").toString();
        final TuttiScript.Result r = CommandInJvm.run("tune", "--connect", daemon.address, "-n", "2,3", "--ranks-per-jvm", "2", "--sizes", "64",
            "--millis", "0.2", "--rounds", "1", "--force", "--output", table, "allreduce");
        assertEquals(0, r.status(), r::toString);
        points().forEach(p -> assertEquals("3 1 2", p.at("/setting/ranks") + " " + p.at("/setting/nodes") + " " + p.at("/setting/ranksPerJvm")));
        final TuttiScript.Result within = CommandInJvm.run("explain", "--connect", daemon.address, "-n", "3", "-p", "coll.rules=" + table, "--json",
            "allreduce");
        assertTrue(within.out().contains("no rule of " + table + " matches"), within::toString);
        final TuttiScript.Result several = CommandInJvm.run("explain", "--connect", daemon.address, "-n", "3", "--ranks-per-jvm", "1", "-p",
            "coll.rules=" + table, "--json", "allreduce");
        assertTrue(several.out().contains(", nodes 2.., level cache or core or host"), several::toString);
    }

    @Test
    void shouldRefuseJvmsOfSeveralNodes() throws Exception {
        for (final List<String> line : List.of(List.of("--ranks-per-jvm", "0"), List.of("--ranks-per-jvm", "1", "--nodes", "1,2"),
            List.of("-p", "ranks.per.jvm=1"))) {
            final List<String> words = new ArrayList<>(List.of("tune", "--output", dir.resolve("mine.json").toString()));
            words.addAll(line);
            final TuttiScript.Result r = CommandInJvm.run(words.toArray(String[]::new));
            assertEquals(2, r.status(), r::toString);
            assertTrue(r.err().contains("--ranks-per-jvm"), r::toString);
        }
    }

    /** Replaces the points of a file by two rounds each: those of the first algorithm in each setting differ, and the others are between them. */
    static void writeNoise(final Path points) throws IOException {
        final List<String> lines = Files.readAllLines(points);
        final Set<String> algorithms = lines.stream().skip(1).map(l -> l.replaceFirst("\"micros\":[0-9.E-]+", "\"micros\":@"))
            .collect(Collectors.toCollection(LinkedHashSet::new));
        final Set<String> settings = new HashSet<>();
        final List<String> noise = new ArrayList<>(List.of(lines.getFirst()));
        for (final String line : algorithms) {
            final boolean first = settings.add(JSON.readTree(line.replace("@", "0")).get("setting").toString());
            noise.add(line.replace("@", first ? "0.001" : "5.0"));
            noise.add(line.replace("@", first ? "9.0" : "5.5"));
        }
        Files.write(points, noise);
    }

    @Test
    void shouldMarkNoiseAndWriteNoTableFromIt() throws Exception {
        final Path table = dir.resolve("mine.json");
        final Path plot = dir.resolve("mine.json.svg");
        assertEquals(0, tune("barrier").status());
        Files.delete(table);
        writeNoise(dir.resolve("mine.json.points"));
        final TuttiScript.Result refused = CommandInJvm.run("tune", "--connect", daemon.address, "-n", "4", "--sizes", "64,64K", "--millis", "0.2",
            "--rounds", "1", "--output", table.toString(), "barrier");
        assertEquals(1, refused.status(), refused::toString);
        assertEquals("", refused.out());
        assertTrue(refused.err().contains("tutti: no rule table is written: settings that noise decides: 1 of 1: barrier, 4 ranks on 1 node, "),
            refused::toString);
        assertTrue(Files.notExists(table), refused::toString);
        PictureChecks.legible(plot);
        assertTrue(Files.readString(plot).contains("0.001 to 9.00 µs, noise</title>"), refused::toString);
        final TuttiScript.Result forced = tune("barrier");
        assertEquals(0, forced.status(), forced::toString);
        assertTrue(forced.err().contains("tutti: settings that noise decides: 1 of 1: "), forced::toString);
        assertTrue(Files.exists(table), forced::toString);
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
