package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the modules that a job uses (of each name the highest version that all its nodes have with the same digest) and refused parameters. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class AgreementIT {
    private static final int USAGE = 2;
    private static final int NO_AGREEMENT = 4;

    @TempDir
    private static Path dir;
    private static Modules modules;
    private static Trio trio;

    @BeforeAll
    static void start() throws Exception {
        trio = new Trio(dir);
        modules = new Modules(dir);
        trio.onlyStarted();
    }

    @AfterAll
    static void stop() {
        trio.close();
    }

    @AfterEach
    void clear() throws Exception {
        trio.onlyStarted();
    }

    @Test
    void shouldUseTheHighestVersionThatAllNodesHoldWhileRunningJobsFinishOnTheirs() throws Exception {
        final Path old = modules.ring("1.0.0");
        final Path next = modules.ring("1.1.0");
        trio.does("install", old);
        assertEquals("ring 1.1.0 is active on a, b", trio.does("install", next, "--node", "a", "--node", "b"));
        assertEquals(List.of("ring 1.0.0 on a,b,c", "ring 1.1.0 on a,b"), trio.held());

        final Trio.Job running = trio.begin();
        assertEquals(List.of("ring 1.0.0"), running.modules());
        for (final JsonNode node : new ObjectMapper().readTree(trio.does("info", "--json"))) {
            assertEquals(1, node.get("jobs").asInt(), node::toString);
            assertEquals(1, node.get("ranks").asInt(), node::toString);
            assertTrue(node.get("schedules").get("entries").asInt() > 0, node::toString);
            assertTrue(node.get("schedules").get("plans").asInt() >= node.get("schedules").get("entries").asInt(), node::toString);
        }
        assertEquals("ring 1.1.0 is active on a, b, c; ring 1.0.0 is removed when no job uses it", trio.does("install", next));
        assertEquals(List.of("ring 1.1.0 on a,b,c"), trio.held());
        assertEquals(List.of("ring 1.1.0"), trio.used());
        assertEquals(List.of("ring 1.0.0"), running.modules());
        for (final String node : List.of("a", "b", "c")) {
            assertTrue(trio.installed(node).contains(Trio.stored(old)), node);
        }
        running.end();

        for (final String node : List.of("a", "b", "c")) {
            await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertEquals(List.of(Trio.stored(next)), trio.installed(node)));
            assertTrue(trio.kept(node).contains(Trio.stored(old)), "for a rollback");
        }
        for (final JsonNode node : new ObjectMapper().readTree(trio.does("info", "--json"))) {
            assertEquals(0, node.get("jobs").asInt() + node.get("ranks").asInt() + node.get("schedules").get("entries").asInt(), node::toString);
            assertTrue(node.get("schedules").get("plans").asInt() > 0, node::toString);
        }
        for (final Cli.Daemon d : List.of(trio.a, trio.b, trio.c)) {
            assertTrue(d.process.isAlive());
        }
        await().atMost(Duration.ofSeconds(60))
            .untilAsserted(() -> assertEquals(1, Inside.loaders(trio.c, "tutti.coll.ring.RingModule")));
    }

    @Test
    void shouldLeaveOutWhatHasAnotherDigestOnOneNodeOrIsMissingThere() throws Exception {
        trio.does("install", modules.ring("1.0.0"), "--node", "a", "--node", "b");
        assertEquals("tutti: module ring was requested by coll.bcast, but the nodes do not agree on it: ring 1.0.0: missing on node c",
            trio.fails(NO_AGREEMENT, "run", "-n", "3", "-p", "coll.bcast=ring", "--cp", trio.programs, "Sums"));

        trio.does("install", modules.ring("1.0.0", "other", 0), "--node", "c");
        assertEquals(List.of("ring 1.0.0 on a,b", "ring 1.0.0 on c"), trio.held().stream().sorted().toList());
        assertEquals("tutti: module ring was requested by coll.select, but the nodes do not agree on it: ring 1.0.0: digest differs on node c",
            trio.fails(NO_AGREEMENT, "run", "-n", "3", "-p", "coll.select=ring", "--cp", trio.programs, "Sums"));
        assertEquals(List.of(), trio.used(), "the job runs with the modules that nodes start with");

        assertEquals("ring 1.0.0 is removed when no job uses it", trio.does("uninstall", "ring", "--node", "c"));
        assertEquals(List.of("ring 1.0.0 on a,b"), trio.held());
    }

    @Test
    void shouldRefuseParametersThatAreNotKnownOrNotRightAndNameTheNearest() throws Exception {
        trio.does("install", modules.ring("1.0.0"));
        refuses("coll.ring.segmnt=100", "no such parameter: coll.ring.segmnt; did you mean coll.ring.segment?");
        refuses("coll.ring.segment=much", "bad value: coll.ring.segment=much: not a number of its type");
        refuses("coll.ring.segment=63", "bad value: coll.ring.segment=63: ");
        refuses("coll.select=ring,^rong", "no such module: coll.select=rong; did you mean ring?");
        refuses("coll.select=^basic", "coll.select: basic cannot be excluded: it is the fallback module");
        refuses("coll.bcast=rung", "no such module: coll.bcast=rung; did you mean ring?");
        assertEquals(List.of("ring 1.0.0"), trio.used("-p", "coll.ring.segment=64", "-p", "coll.select=^ring", "-p", "coll.bcast=basic"));
    }

    private static void refuses(final String parameter, final String reason) throws Exception {
        final String line = trio.fails(USAGE, "run", "-n", "3", "-p", parameter, "--cp", trio.programs, "Sums");
        assertTrue(line.startsWith("tutti: " + reason), line);
        assertFalse(line.endsWith(": "), line);
    }
}
