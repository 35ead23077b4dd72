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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code tutti explain}, without a cluster and on one. */
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class ExplainIT {
    private static final String VERSION = "0\\.1\\.0\\S*";

    @TempDir
    private Path dir;

    private static TuttiScript.Daemon daemon;

    @BeforeAll
    static void start(@TempDir final Path shared) throws Exception {
        daemon = new TuttiScript.Daemon(shared, "--name", "b");
    }

    @AfterAll
    static void stop() {
        daemon.close();
    }

    /** Runs {@code explain} on the cluster of this test. */
    private static TuttiScript.Result explain(final String... args) throws Exception {
        return CommandInJvm.run(ThreeNodeCluster.commandLine(daemon, "explain", args));
    }

    @Tag("nightly")
    @Test
    void shouldExplainAllOperationsWithoutACluster() throws Exception {
        final TuttiScript.Result r = TuttiScript.run(dir, "explain");
        assertEquals(0, r.status(), r::toString);
        assertEquals("", r.complaints());
        final List<String> served = r.out().lines().filter(l -> !l.startsWith(" ")).toList();
        assertEquals(22, served.size(), r::toString);
        assertTrue(served.stream().allMatch(l -> l.matches("[a-z_]+  [a-z]+ " + VERSION + ", algorithm [a-z_]+, priority [1-9][0-9]")), r::toString);
    }

    @Test
    void shouldPrintJson() throws Exception {
        final TuttiScript.Result r = explain("-n", "3", "--map", "cyclic", "-p", "coll.select=basic", "--json", "scan", "allreduce");
        assertEquals(0, r.status(), r::toString);
        final JsonNode json = new ObjectMapper().readTree(r.out());
        assertEquals(2, json.size(), r::toString);
        assertEquals("scan", json.get(0).get("operation").asText());
        assertEquals("allreduce", json.get(1).get("operation").asText());
        assertTrue(json.get(1).get("module").asText().matches("basic " + VERSION), r::toString);
        assertEquals("recursive_doubling", json.get(1).get("algorithm").asText());
        assertEquals(10, json.get(1).get("priority").asInt());
        assertEquals(ProjectPaths.DEFAULT_COLLECTIVES.size() - 1, json.get(1).get("others").size(), r::toString);
        assertEquals(1, json.get(1).get("choices").size(), r::toString);
        assertTrue(json.get(1).get("rule").isNull() && json.get(1).get("notes").isEmpty(), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldNameWhoServesEachPartOfAHierarchicalPlan() throws Exception {
        final String[] job = {"-n", "5", "--nodes", "2", "-p", "coll.rules=none", "-p", "coll.select=tree", "-p", "coll.allreduce=smp/hierarchical"};
        final TuttiScript.Result lines =
            TuttiScript.run(dir, Stream.concat(Stream.of("explain", "allreduce"), Stream.of(job)).toArray(String[]::new));
        assertEquals(0, lines.status(), lines::toString);
        assertTrue(lines.out().matches("(?s)allreduce  smp " + VERSION + ", algorithm hierarchical, .*\n  parts of a call of 1024 bytes:\n"
            + "    reduce, 1K bytes, on MPI_COMM_WORLD/smp.node.0 \\(ranks 0-2\\), MPI_COMM_WORLD/smp.node.1 \\(ranks 3-4\\): tree " + VERSION
            + ", algorithm knomial \\(comes first in coll.select\\)\n"
            + "    allreduce, 1K bytes, on MPI_COMM_WORLD/smp.leaders \\(ranks 0, 3\\): [a-z]+ " + VERSION + ", algorithm [a-z_]+ \\([^\n]+\\)\n"
            + "    bcast, .*"), lines::toString);
        final TuttiScript.Result plan = TuttiScript.run(dir, Stream.concat(Stream.of("explain", "allreduce", "--plan"), Stream.of(job))
            .toArray(String[]::new));
        assertTrue(plan.out().contains("  in reduce on MPI_COMM_WORLD/smp.node.1"), plan::toString);
    }

    /** A job that names it is told of algorithms that do not exist, and one that takes it by default is not. */
    @Test
    void shouldAcceptTheTableOfTheDistributionAndAlgorithmsForNodesInBlocks() throws Exception {
        final String table = ProjectPaths.BOOT.resolveSibling("conf").resolve("rules.json").toString();
        final TuttiScript.Result named = explain("-n", "3", "-p", "coll.rules=" + table, "exscan");
        assertEquals(0, named.status(), named::toString);
        final TuttiScript.Result blocks = explain("-n", "3", "-p", "coll.exscan=smp/hierarchical", "exscan");
        assertEquals(0, blocks.status(), blocks::toString);
    }

    @Test
    void shouldListTheOperationsWhenOneIsUnknown() throws Exception {
        final TuttiScript.Result r = TuttiScript.run(dir, "explain", "allreduce", "gossip");
        assertEquals(2, r.status(), r::toString);
        assertEquals("", r.out());
        assertEquals(1, r.err().lines().count(), r::toString);
        assertTrue(r.err().startsWith("tutti: no such operation: gossip; there are: allgather, allgatherv, allreduce, "), r::toString);
    }

    @Test
    void shouldRefuseParametersAsRunDoes() throws Exception {
        final TuttiScript.Result r = explain("-n", "1", "-p", "coll.select=bacis");
        assertEquals(2, r.status(), r::toString);
        assertEquals("tutti: no such module: coll.select=bacis; did you mean basic?\n", r.err());
    }

    @Test
    void shouldReportInvalidJvmOptionsOfANode() throws Exception {
        final TuttiScript.Result r = TuttiScript.run(dir, Map.of("TUTTI_DAEMON_OPTS", "-Xmx1x"), "explain", "-n", "1");
        assertEquals(3, r.status(), r::toString);
        assertTrue(r.err().lines().anyMatch(l -> l.startsWith("tutti: cluster does not start: node n0 ended before it was ready")), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldReachANodeWhoseJvmLogsToStandardOutput() throws Exception {
        final TuttiScript.Result r = TuttiScript.run(dir, Map.of("TUTTI_DAEMON_OPTS", "-Xlog:gc*:stdout"), "explain", "-n", "1", "scan");
        assertEquals(0, r.status(), r::toString);
        assertEquals(1, r.out().lines().filter(l -> l.startsWith("scan  ")).count(), r::toString);
    }

    @Test
    void shouldApplyTheRulesOfAFileAndNameTheDecidingRule() throws Exception {
        final Path rules = Files.writeString(dir.resolve("mine.json"), """
            {"rules": [
              {"operation": "allreduce", "bytes": "64K..", "use": "basic/direct"},
              {"operation": "allreduce", "ranks": "2..4", "use": "basic/reduce_bcast"},
              {"operation": "allreduce", "ranks": "3", "use": "basic"}
            ]}
            """);
        final TuttiScript.Result r = explain("-n", "3", "-p", "coll.rules=" + rules, "allreduce");
        assertEquals(0, r.status(), r::toString);
        assertEquals("tutti: rule 3 of " + rules + " never matches while rule 2 can serve, which covers it (allreduce, ranks 3: basic; "
            + "rule 2: allreduce, ranks 2..4: basic/reduce_bcast)\n", r.err());
        final List<String> lines = r.out().lines().toList();
        assertTrue(lines.get(0).matches("allreduce  basic " + VERSION + ", algorithm reduce_bcast, priority 10"), r::toString);
        assertEquals("  rule 2 of " + rules + ": allreduce, ranks 2..4: basic/reduce_bcast", lines.get(1));
        assertTrue(lines.get(2).matches("  bytes \\.\\.65535: basic " + VERSION + ", algorithm reduce_bcast \\(rule 2 of .*\\)"), r::toString);
        assertTrue(lines.get(3).matches("  bytes 64K\\.\\.: basic " + VERSION + ", algorithm direct \\(rule 1 of .*\\)"), r::toString);
        final TuttiScript.Result large = explain("-n", "3", "-p", "coll.rules=" + rules, "--bytes", "1M", "allreduce");
        assertTrue(large.out().contains("algorithm direct, priority 10\n  rule 1 of " + rules + ": allreduce, bytes 64K..: basic/direct\n"),
            large::toString);
    }

    @Test
    void shouldRefuseAnInvalidTableInOneLine() throws Exception {
        final Path rules = Files.writeString(dir.resolve("bad.json"), "{\"rules\": [{\"use\": \"basic\", \"bytes\": \"many\"}]}");
        final TuttiScript.Result r = explain("-n", "1", "-p", "coll.rules=" + rules);
        assertEquals(2, r.status(), r::toString);
        assertEquals("tutti: coll.rules: " + rules + ": rule 1: bytes: \"many\" (not a range); allowed: 2..8, 2.., ..64K or 7, with K, M, G "
            + "for powers of 1024\n", r.err());
    }

    @Test
    void shouldShowTheParametersThatServeACallAndWhereTheyComeFrom() throws Exception {
        final Path rules = Files.writeString(dir.resolve("mine.json"), """
            {"rules": [
              {"operation": "bcast", "bytes": "..4K", "use": "tree/kary:branches=4"},
              {"operation": "bcast", "use": "tree/kary:branches=3,segment=8K"}
            ]}
            """);
        final TuttiScript.Result small = explain("-n", "3", "-p", "coll.rules=" + rules, "bcast");
        assertEquals(0, small.status(), small::toString);
        final List<String> lines = small.out().lines().toList();
        assertEquals("  rule 1 of " + rules + ": bcast, bytes ..4K: tree/kary:branches=4", lines.get(1));
        assertEquals("  parameters branches=4 (rule 1 of " + rules + "), segment=32768 (default)", lines.get(2));
        assertTrue(lines.get(3).matches("  bytes \\.\\.4K: tree " + VERSION + ", algorithm kary:branches=4 \\(rule 1 of .*\\)"), small::toString);
        assertTrue(lines.get(4).matches("  bytes 4097\\.\\.: tree " + VERSION + ", algorithm kary:branches=3,segment=8K \\(rule 2 of .*\\)"),
            small::toString);
        final TuttiScript.Result large = explain("-n", "3", "-p", "coll.rules=" + rules, "-p", "coll.tree.branches=5", "--bytes", "1M", "bcast");
        assertEquals("  parameters branches=5 (-p coll.tree.branches), segment=8192 (rule 2 of " + rules + ")", large.out().lines().toList().get(2));
        final TuttiScript.Result picked =
            explain("-n", "3", "-p", "coll.bcast=tree/kary:branches=6", "-p", "coll.tree.branches=5", "--json", "bcast");
        final JsonNode json = new ObjectMapper().readTree(picked.out()).get(0);
        assertEquals("{\"name\":\"branches\",\"value\":\"6\",\"origin\":\"coll.bcast\"}", json.get("parameters").get(0).toString());
        assertTrue(json.get("tunables").toString().contains(
            "{\"algorithm\":\"tree/kary\",\"parameter\":\"branches\",\"value\":\"5\",\"limit\":\"ranks\",\"candidates\":["), picked::toString);
    }

    @Test
    void shouldRefuseARuleWithAParameterThatTheModuleDoesNotHaveOrAllow() throws Exception {
        final Path rules = Files.writeString(dir.resolve("bad.json"),
            "{\"rules\": [{\"operation\": \"scan\", \"use\": \"basic\"}, {\"use\": \"tree/kary:branch=4\"}]}");
        final TuttiScript.Result name = explain("-n", "2", "-p", "coll.rules=" + rules, "bcast");
        assertEquals(2, name.status(), name::toString);
        assertEquals("tutti: " + rules + ": rule 2: use: \"tree/kary:branch=4\": module tree has no parameter branch; allowed: branches, k, segment, "
            + "throttle\n", name.err());
        Files.writeString(rules, "{\"rules\": [{\"operation\": \"bcast\", \"use\": [\"absent/x\", \"tree/binomial\"]}]}");
        assertEquals("tutti: " + rules + ": rule 1: use: \"tree/binomial\": no such algorithm; there are: tree/knomial, tree/kary\n",
            explain("-n", "2", "-p", "coll.rules=" + rules, "bcast").err());
        Files.writeString(rules, "{\"rules\": [{\"use\": \"tree/kary:branches=1\"}]}");
        assertEquals("tutti: " + rules + ": rule 1: use: \"tree/kary:branches=1\": bad value: branches=1: less than the minimum, 2\n",
            explain("-n", "2", "-p", "coll.rules=" + rules, "bcast").err());
    }

    @Tag("nightly")
    @Test
    void shouldReportTheNodeOnWhichAModuleIsMissing() throws Exception {
        final Path folder = Files.createDirectories(dir.resolve("load"));
        BasicModuleJar.put(folder, "0.2.0", Map.of());
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a", "--load", folder.toString(), "--join", daemon.address)) {
            await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100))
                .until(() -> CommandInJvm.run("modules", "--connect", a.address).out().contains("0.2.0"));
            final TuttiScript.Result both = explain("-n", "2", "-p", "coll.select=basic", "barrier");
            assertEquals(0, both.status(), both::toString);
            assertTrue(both.out().matches("(?s)barrier  basic " + VERSION + ", algorithm dissemination, priority 10\n.*"
                + "  not basic 0\\.2\\.0: missing on node b\n"), both::toString);
            final List<String> onOneNode = CommandInJvm.run("explain", "--connect", a.address, "-n", "1", "--map", "cyclic",
                "-p", "coll.select=basic", "barrier").out().lines().filter(l -> !l.startsWith("  not ") || l.startsWith("  not basic ")).toList();
            assertEquals("barrier  basic 0.2.0, algorithm dissemination, priority 10", onOneNode.getFirst());
            assertTrue(onOneNode.get(1).endsWith(": version 0.2.0 is higher"), onOneNode::toString);
            assertEquals(2, onOneNode.size());
            DaemonInspector.awaitJobsReleased(a);
            DaemonInspector.awaitJobsReleased(daemon);
        }
    }

    /** The module prints wherever it is called, and ends no line. */
    @Tag("nightly")
    @Test
    void shouldKeepResultsApartFromWhatModulesPrint() throws Exception {
        final Path module = new ModuleBundles(dir).withMembers("loud", """
            public Probe() { System.out.print("made "); }
            public QueryResult query(CollComm comm) {
                System.out.print("asked ");
                return new QueryResult.Usable(90, new CollInstance() {
                    public AlgorithmTable table() {
                        return AlgorithmTable.builder().intra(Operation.BARRIER, "loud", (call, plan) -> {
                            System.out.print("plans ");
                            for (int round = 1; round < plan.size(); round *= 2) {
                                int to = (plan.rank() + round) % plan.size();
                                int from = (plan.rank() - round + plan.size()) % plan.size();
                                BufferRange nothing = plan.scratch(0);
                                plan.send(nothing, to);
                                plan.recv(nothing, from);
                                plan.fence();
                            }
                        }).build();
                    }
                    public AlgorithmTable init() { System.out.print("initialized "); return table(); }
                    public void dispose() { System.out.print("disposed "); }
                });
            }
            """);
        assertEquals(0, CommandInJvm.run("install", "--connect", daemon.address, module.toString()).status());
        try {
            final TuttiScript.Result plan = explain("-n", "3", "--plan", "--json", "barrier");
            assertEquals(0, plan.status(), plan::toString);
            assertEquals(3, new ObjectMapper().readTree(plan.out()).size(), plan::toString);
            assertTrue(plan.err().contains("asked initialized plans "), plan::toString);
            final TuttiScript.Result json = explain("-n", "3", "--json", "barrier");
            assertEquals("loud", new ObjectMapper().readTree(json.out()).get(0).get("algorithm").asText(), json::toString);
            assertTrue(json.err().contains("asked initialized "), json::toString);
            final TuttiScript.Result bench = CommandInJvm.run("bench", "--connect", daemon.address, "-n", "2", "--calls", "2", "barrier");
            assertEquals(0, bench.status(), bench::toString);
            assertEquals(3, bench.out().lines().count(), bench::toString);
            assertTrue(bench.err().contains("asked initialized "), bench::toString);
            final Path rules = dir.resolve("loud.json");
            final TuttiScript.Result tune = CommandInJvm.run("tune", "--connect", daemon.address, "-n", "2", "--sizes", "8", "--millis", "0.1",
                "--rounds", "1", "--force", "-o", rules.toString(), "barrier");
            assertEquals(0, tune.status(), tune::toString);
            assertTrue(Files.readString(dir.resolve("loud.json.points")).contains("loud/loud"), tune::toString);
            assertTrue(tune.err().contains("asked initialized "), tune::toString);
        } finally {
            assertEquals(0, CommandInJvm.run("uninstall", "--connect", daemon.address, "loud").status());
        }
    }
}
