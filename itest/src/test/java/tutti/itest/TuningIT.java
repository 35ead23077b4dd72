package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that jobs begin with what earlier jobs of the cluster have found out on their calls. */
@Tag("nightly")
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class TuningIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RANKS = "5";
    /** A broadcast that sends the data to each rank and back many times: it is slower than others also where threads wait for cores. */
    private static final String REPEATING = """
        public QueryResult query(CollComm comm) {
            return QueryResult.usable(1, AlgorithmTable.builder().intra(Operation.BCAST, "linear", (call, plan) -> {
                BufferRange data = Buffer.RECV.at(0, call.bytes());
                for (int i = 0; i < 20; i++) {
                    for (int r = 0; r < plan.size(); r++) {
                        if (plan.rank() == call.root() && r != call.root()) {
                            plan.send(data, r);
                            plan.recv(data, r);
                        } else if (plan.rank() == r && r != call.root()) {
                            plan.recv(data, call.root());
                            plan.send(data, call.root());
                        }
                    }
                }
            }).build());
        }
        """;

    private static ThreeNodeCluster cluster;
    private static Path dir;
    private static Path bad;

    @BeforeAll
    static void start(@TempDir final Path folder) throws Exception {
        dir = folder;
        cluster = new ThreeNodeCluster(Files.createDirectory(dir.resolve("cluster")));
        cluster.run("install", "--no-verify", new ModuleBundles(dir).withMembers("repeating", REPEATING));
        bad = Files.writeString(dir.resolve("bad.json"), "{\"rules\": [{\"operation\": \"bcast\", \"use\": \"repeating/linear\"}]}");
        TuttiScript.writeProgram(dir, "Spreads", """
            byte[] data = new byte[4096];
            for (int n = 0; n < 400; n++) {
                if (rank == n % size) { java.util.Arrays.fill(data, (byte) n); }
                MPI.COMM_WORLD.bcast(data, data.length, MPI.BYTE, n % size);
                for (byte b : data) { if (b != (byte) n) { throw new AssertionError("call " + n + ": " + b); } }
            }""");
        TuttiScript.compile(dir, "Spreads");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void spread(final String... parameters) throws Exception {
        final List<Object> line = new ArrayList<>(List.of("-n", RANKS));
        line.addAll(List.of(parameters));
        line.addAll(List.of("--cp", dir, "Spreads"));
        cluster.run("run", line.toArray());
    }

    /** Returns the explanation of broadcasts of 4096 bytes in a job that a node launches. */
    private static JsonNode explain(final TuttiScript.Daemon node, final String... parameters) throws Exception {
        final List<String> line = new ArrayList<>(List.of("-n", RANKS, "--json", "--bytes", "4K"));
        line.addAll(List.of(parameters));
        line.add("bcast");
        final TuttiScript.Result r = CommandInJvm.run(ThreeNodeCluster.commandLine(node, "explain", line.toArray(String[]::new)));
        assertEquals(0, r.status(), r::toString);
        return JSON.readTree(r.out()).get(0);
    }

    private static TuttiScript.Result learnt(final TuttiScript.Daemon node, final Path file) throws Exception {
        return CommandInJvm.run(ThreeNodeCluster.commandLine(node, "tune", "--learnt", file.toString()));
    }

    private static void assertMatches(final String regex, final String text) {
        assertTrue(text.matches(regex), () -> "expected " + regex + " but was " + text);
    }

    @Test
    void shouldBeginJobsWithWhatEarlierJobsHaveFoundOut() throws Exception {
        final Path file = dir.resolve("rules").resolve("learnt.json");
        final TuttiScript.Result none = learnt(cluster.b, file);
        assertEquals(1, none.status(), none::toString);
        assertEquals("tutti: no rule table is written: the node at " + cluster.b.address
            + " knows of no job that has tuned its calls; run one with -p coll.tune=online", none.err().strip());
        assertFalse(Files.exists(file));
        final String[] online = {"-p", "coll.tune=online", "-p", "coll.rules=" + bad};
        assertMatches("rule 1 of .*bad.json: bcast: repeating/linear", explain(cluster.a, online).get("rule").asText());
        spread(online);

        final JsonNode first = explain(cluster.a, online);
        assertFalse(first.get("module").asText().startsWith("repeating"), first::toString);
        assertMatches("measured on \\d+ calls of 1 job: [a-z]+/\\S+ [0-9.]+ times faster than repeating/linear: bcast, ranks 5, .*",
            first.get("rule").asText());
        assertEquals("rule 1 of " + bad + ": bcast: repeating/linear", explain(cluster.a, "-p", "coll.rules=" + bad).get("rule").asText(),
            "a job that does not tune its calls is served by its rules");

        // the other nodes are told when the job has ended
        TuttiScript.Result told = learnt(cluster.b, file);
        for (final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90); told.status() != 0 && System.nanoTime() < end;) {
            told = learnt(cluster.b, file);
        }
        assertEquals(0, told.status(), told::toString);
        assertMatches("1 rule, measured on \\d+ calls, each rule in 1 job: .*learnt.json", told.out().strip());
        assertMatches("measured on .*", explain(cluster.b, online).get("rule").asText());
        final JsonNode byFile = explain(cluster.c, "-p", "coll.rules=" + file);
        assertMatches("rule 1 of .*learnt.json: bcast, ranks 5, .*", byFile.get("rule").asText());
        assertEquals(first.get("module"), byFile.get("module"));
        assertEquals(first.get("algorithm"), byFile.get("algorithm"));
        spread("-p", "coll.rules=" + file);

        spread(online);
        assertMatches("measured on \\d+ calls of [12] jobs?: [a-z]+/\\S+ [0-9.]+ times faster than .*: bcast, ranks 5, .*",
            explain(cluster.a, online).get("rule").asText());

        // what is known of a module that is gone is of no use, the winner still is
        cluster.run("uninstall", "repeating");
        assertMatches("measured on .*", explain(cluster.a, "-p", "coll.tune=online").get("rule").asText());
    }
}
