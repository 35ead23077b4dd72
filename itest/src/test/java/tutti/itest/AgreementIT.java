package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the modules that a job uses (of each name the highest version that all its nodes have with the same digest) and refused parameters. */
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class AgreementIT {
    private static final int USAGE = 2;
    private static final int NO_AGREEMENT = 4;

    @TempDir
    private static Path dir;
    private static ModuleBundles modules;
    private static ThreeNodeCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = ThreeNodeCluster.shared();
        modules = new ModuleBundles(dir);
    }

    @AfterEach
    void clear() throws Exception {
        cluster.uninstallAdded();
    }

    @Test
    void shouldUseTheHighestCommonVersionWhileRunningJobsKeepTheirs() throws Exception {
        final Path old = modules.ring("1.0.0");
        final Path next = modules.ring("1.1.0");
        cluster.run("install", old);
        assertEquals("ring 1.1.0 is active on a, b", cluster.run("install", next, "--node", "a", "--node", "b").lines().findFirst().orElseThrow());
        assertEquals(List.of("ring 1.0.0 on a,b,c", "ring 1.1.0 on a,b"), cluster.addedModules());

        final ThreeNodeCluster.Job running = cluster.startJob();
        assertEquals(List.of("ring 1.0.0"), running.modules());
        for (final JsonNode node : new ObjectMapper().readTree(cluster.run("info", "--json"))) {
            assertEquals(1, node.get("jobs").asInt(), node::toString);
            assertEquals(1, node.get("ranks").asInt(), node::toString);
        }
        assertEquals("ring 1.1.0 is active on a, b, c; ring 1.0.0 is removed when no job uses it",
            cluster.run("install", next).lines().findFirst().orElseThrow());
        assertEquals(List.of("ring 1.1.0 on a,b,c"), cluster.addedModules());
        assertEquals(List.of("ring 1.1.0"), cluster.modulesOfJob());
        assertEquals(List.of("ring 1.0.0"), running.modules());
        for (final String node : List.of("a", "b", "c")) {
            assertTrue(cluster.installedFiles(node).contains(ThreeNodeCluster.storedName(old)), node);
        }
        running.end();

        for (final String node : List.of("a", "b", "c")) {
            await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertEquals(List.of(ThreeNodeCluster.storedName(next)), cluster.installedFiles(node)));
            assertTrue(cluster.storedFiles(node).contains(ThreeNodeCluster.storedName(old)), "for a rollback");
        }
        for (final JsonNode node : new ObjectMapper().readTree(cluster.run("info", "--json"))) {
            assertEquals(0, node.get("jobs").asInt() + node.get("ranks").asInt() + node.get("schedules").get("entries").asInt(), node::toString);
            assertTrue(node.get("schedules").get("plans").asInt() > 0, node::toString);
        }
        for (final TuttiScript.Daemon d : List.of(cluster.a, cluster.b, cluster.c)) {
            assertTrue(d.process.isAlive());
        }
        await().atMost(Duration.ofSeconds(60))
            .untilAsserted(() -> assertEquals(1, DaemonInspector.countClassLoaders(cluster.c, "tutti.coll.ring.RingModule")));
    }

    @Test
    void shouldExcludeModulesWithAnotherDigestOrMissingOnANode() throws Exception {
        cluster.run("install", modules.ring("1.0.0"), "--node", "a", "--node", "b");
        assertEquals("tutti: module ring was requested by coll.bcast, but the nodes do not agree on it: ring 1.0.0: missing on node c",
            cluster.runFailing(NO_AGREEMENT, "run", "-n", "3", "-p", "coll.bcast=ring", "--cp", cluster.programs, "Sums"));

        cluster.run("install", modules.ring("1.0.0", "other", 0), "--node", "c");
        assertEquals(List.of("ring 1.0.0 on a,b", "ring 1.0.0 on c"), cluster.addedModules().stream().sorted().toList());
        assertEquals("tutti: module ring was requested by coll.select, but the nodes do not agree on it: ring 1.0.0: digest differs on node c",
            cluster.runFailing(NO_AGREEMENT, "run", "-n", "3", "-p", "coll.select=ring", "--cp", cluster.programs, "Sums"));
        assertEquals(List.of(), cluster.modulesOfJob(), "the job runs with the modules that nodes start with");

        assertEquals("ring 1.0.0 is removed when no job uses it", cluster.run("uninstall", "ring", "--node", "c"));
        assertEquals(List.of("ring 1.0.0 on a,b"), cluster.addedModules());
    }

    /**
     * Splits COMM_WORLD into the ranks of nodes a and b and that of node c, and prints what serves bcast: on COMM_WORLD, and on these communicators
     * before and after rank 0 read a line.
     */
    private static void writeSplits() throws Exception {
        TuttiScript.writeProgram(cluster.programs, "Splits", """
            Intracomm part = MPI.COMM_WORLD.split(rank < 4 ? 0 : 1, 0);
            String first = part.explain("bcast").module();
            if (rank == 0) {
                System.out.println("world " + MPI.COMM_WORLD.explain("bcast").module() + ", a and b " + first);
                System.in.read();
            }
            MPI.COMM_WORLD.barrier();
            Intracomm again = MPI.COMM_WORLD.split(rank < 4 ? 0 : 1, 0);
            int[] sum = {1};
            again.bcast(sum, 1, MPI.INT, 0);
            again.allReduce(sum, 1, MPI.INT, MPI.SUM);
            if (sum[0] != again.getSize()) { System.exit(9); }
            if (rank % 4 == 0) { System.out.println((rank == 0 ? "a and b " : "c ") + again.explain("bcast").module()); }
            part.free();
            again.free();""");
        TuttiScript.compile(cluster.programs, "Splits");
    }

    @Test
    void shouldServeOnTheNodesOfACommunicatorWithAModuleThatTheOtherNodesLack() throws Exception {
        writeSplits();
        final Path rules = Files.writeString(dir.resolve("ring-first.json"), "{\"rules\": [{\"use\": \"ring\"}]}");
        cluster.run("install", modules.ring("1.0.0"), "--node", "a", "--node", "b");
        final CommandInJvm.Running job = CommandInJvm.start(ThreeNodeCluster.commandLine(cluster.a, "run", "-n", "6", "-p", "coll.rules=" + rules,
            "--cp", cluster.programs.toString(), "Splits"));
        final String world = job.lines(1).getFirst();
        assertTrue(world.startsWith("world ") && !world.startsWith("world ring") && world.endsWith(", a and b ring 1.0.0"), world);

        assertEquals("ring 1.1.0 is active on a, b; ring 1.0.0 is removed when no job uses it",
            cluster.run("update", modules.ring("1.1.0"), "--node", "a", "--node", "b").lines().findFirst().orElseThrow());
        final String old = ThreeNodeCluster.storedName(modules.ring("1.0.0"));
        assertTrue(cluster.installedFiles("b").contains(old), "pinned by the job");
        job.in.write('\n');
        final TuttiScript.Result r = job.end();
        assertEquals(0, r.status(), r::toString);
        assertTrue(r.out().lines().anyMatch(l -> l.equals("a and b ring 1.0.0")), r::toString);
        assertTrue(r.out().lines().anyMatch(l -> l.startsWith("c ") && !l.contains("ring")), r::toString);
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertFalse(cluster.installedFiles("b").contains(old)));

        assertTrue(cluster.run("explain", "-n", "6", "-p", "coll.rules=" + rules, "bcast").contains("  not ring 1.1.0: missing on node c"));
        assertTrue(cluster.run("explain", "-n", "6", "--group", "0..3", "-p", "coll.rules=" + rules, "bcast").startsWith("bcast  ring 1.1.0, "));
    }

    @Test
    void shouldRefuseUnknownAndInvalidParametersAndSuggestTheNearest() throws Exception {
        cluster.run("install", modules.ring("1.0.0"));
        assertRefused("coll.ring.segmnt=100", "no such parameter: coll.ring.segmnt; did you mean coll.ring.segment?");
        assertRefused("coll.ring.segment=much", "bad value: coll.ring.segment=much: not a number of its type");
        assertRefused("coll.ring.segment=63", "bad value: coll.ring.segment=63: ");
        assertRefused("coll.select=ring,^rong", "no such module: coll.select=rong; did you mean ring?");
        assertRefused("coll.select=^basic", "coll.select: basic cannot be excluded: it is the fallback module");
        assertRefused("coll.bcast=rung", "no such module: coll.bcast=rung; did you mean ring?");
        assertEquals(List.of("ring 1.0.0"), cluster.modulesOfJob("-p", "coll.ring.segment=64", "-p", "coll.select=^ring", "-p", "coll.bcast=basic"));
    }

    private static void assertRefused(final String parameter, final String reason) throws Exception {
        final String line = cluster.runFailing(USAGE, "run", "-n", "3", "-p", parameter, "--cp", cluster.programs, "Sums");
        assertTrue(line.startsWith("tutti: " + reason), line);
        assertFalse(line.endsWith(": "), line);
    }
}
