package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests changes of modules during which a daemon is killed and started again: all nodes have the old modules or all have the new ones. Profile
 * {@code soak} kills 200 times. Property {@code tutti.seed} repeats a sequence.
 */
@Tag("nightly")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChangeCrashIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int CRASHES = Integer.getInteger("tutti.crashes", 6);
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final List<String> NAMES = List.of("a", "b", "c");
    /** A client connects, and the nodes of its change are chosen, within that time. */
    private static final int MARGIN_MILLIS = 100;
    /** Most attempts to start a daemon. */
    private static final int STARTS = 3;

    @TempDir
    private static Path dir;
    private static final Map<String, TuttiScript.Daemon> NODES = new TreeMap<>();
    private static ModuleBundles modules;
    private static Path programs;

    @BeforeAll
    static void start() throws Exception {
        modules = new ModuleBundles(dir);
        programs = Files.createDirectory(dir.resolve("programs"));
        TuttiScript.writeProgram(programs, "Sums", """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            if (sum[0] != size * (size + 1) / 2) { System.exit(9); }""");
        TuttiScript.compile(programs, "Sums");
        for (final String name : NAMES) {
            NODES.put(name, daemon(name, "127.0.0.1:0"));
        }
        uninstall();
    }

    private static void uninstall() throws Exception {
        if (!versions("a").isEmpty()) {
            run("a", "uninstall", "ring");
        }
    }

    @AfterAll
    static void stop() {
        NODES.values().forEach(TuttiScript.Daemon::close);
    }

    @AfterEach
    void clear() throws Exception {
        uninstall();
    }

    private static Path folder(final String name) {
        return dir.resolve("node-" + name);
    }

    /** Starts a daemon on its folder, which joins another one. */
    private static TuttiScript.Daemon daemon(final String name, final String listen) throws Exception {
        final List<String> line = new ArrayList<>(List.of("--name", name, "--dir", folder(name).toString(), "--listen", listen));
        NODES.entrySet().stream().filter(n -> !n.getKey().equals(name)).findFirst()
            .ifPresent(n -> line.addAll(List.of("--join", n.getValue().address)));
        for (int i = 1;; i++) {
            try {
                return new TuttiScript.Daemon(dir, line.toArray(String[]::new));
            } catch (final IllegalStateException e) {
                // the others are busy with the loss of its predecessor
                if (i == STARTS || !e.getMessage().contains("does not answer") && !e.getMessage().contains("does not become a member")) {
                    throw e;
                }
            }
        }
    }

    private static TuttiScript.Result tutti(final String node, final String command, final String... args) throws Exception {
        return CommandInJvm.run(ThreeNodeCluster.commandLine(NODES.get(node), command, args));
    }

    private static String run(final String node, final String command, final String... args) throws Exception {
        final TuttiScript.Result r = tutti(node, command, args);
        assertEquals(0, r.status(), r::toString);
        return r.out().strip();
    }

    /** Returns the versions of module ring that a node sees, each with the nodes that have it unless all have it. */
    private static List<String> versions(final String node) throws Exception {
        final List<String> versions = new ArrayList<>();
        for (final JsonNode m : JSON.readTree(run(node, "modules", "--json"))) {
            if (m.get("name").asText().equals("ring")) {
                final List<String> nodes = StreamSupport.stream(m.get("nodes").spliterator(), false).map(JsonNode::asText).toList();
                versions.add("ring " + m.get("version").asText() + (nodes.equals(NAMES) ? "" : " on " + nodes));
            }
        }
        return versions;
    }

    private static JsonNode state(final String node) throws IOException {
        return JSON.readTree(Files.readAllBytes(folder(node).resolve("work/modules/modules.json")));
    }

    private static List<String> view(final String node) throws Exception {
        final List<String> names = new ArrayList<>();
        JSON.readTree(run(node, "nodes", "--json")).forEach(n -> names.add(n.get("name").asText()));
        return names;
    }

    /** Waits until all nodes see each other, have decided all changes, and have one of some lists of versions, which it returns. */
    private static List<String> awaitVersions(final List<List<String>> expected, final Duration limit) throws Exception {
        await().atMost(limit).pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
            for (final String name : NAMES) {
                assertEquals(NAMES, view(name), name);
                assertTrue(expected.contains(versions(name)), () -> {
                    try {
                        return "node " + name + ": versions=" + versions(name) + ", expected=" + expected;
                    } catch (final Exception e) {
                        return e.toString();
                    }
                });
                if (Files.exists(folder(name).resolve("work/modules/modules.json"))) {
                    assertTrue(state(name).path("change").isNull(), () -> "node " + name + " has not decided a change");
                }
            }
        });
        return versions("a");
    }

    private static void runJob() throws Exception {
        run("a", "run", "-n", "3", "--map", "node", "--cp", programs.toString(), "Sums");
    }

    /** A sequence of changes with a crash in each. */
    private static final class Crashes {
        private final Random random;
        private final Map<String, Integer> counts = new TreeMap<>();
        /** Longest duration of a change without a crash, by whether it proves the module. */
        private final long[] millis = {0, 0};
        private int version;

        Crashes(final long seed) {
            random = new Random(seed);
        }

        private String next() {
            return "1.0." + ++version;
        }

        private List<String> command(final List<String> before, final boolean proves) throws Exception {
            final int kind = before.isEmpty() ? 3 : random.nextInt(4);
            if (kind == 0) {
                return List.of("uninstall", "ring");
            }
            final List<String> line = new ArrayList<>(List.of(before.isEmpty() ? "install" : kind == 1 ? "install" : "update",
                modules.ring(next()).toString()));
            if (!proves) {
                line.add("--no-verify");
            }
            return line;
        }

        private List<String> after(final List<String> command) {
            return command.getFirst().equals("uninstall") ? List.of() : List.of("ring 1.0." + version);
        }

        private static CommandInJvm.Running begin(final String client, final List<String> command) throws Exception {
            return CommandInJvm.start(ThreeNodeCluster.commandLine(NODES.get(client), command.getFirst(),
                command.subList(1, command.size()).toArray(String[]::new)));
        }

        /** Measures how long changes take without a crash. */
        void measure() throws Exception {
            for (int i = 0; i < 4; i++) {
                final boolean proves = i % 2 == 1;
                final TuttiScript.Result r = begin("a", List.of(i == 0 ? "install" : "update", modules.ring(next()).toString(),
                    proves ? "--force" : "--no-verify")).end();
                assertEquals(0, r.status(), r::toString);
                // the first ones load classes
                millis[i % 2] = r.millis();
            }
        }

        void round(final int round) throws Exception {
            final List<String> before = versions("a");
            final boolean proves = random.nextInt(4) == 0;
            final List<String> command = command(before, proves);
            final List<String> after = after(command);
            final String client = NAMES.get(random.nextInt(3));
            final String victim = NAMES.get(random.nextInt(3));
            final long delay = random.nextLong(MARGIN_MILLIS + millis[proves ? 1 : 0] * 5 / 4);
            final int back = random.nextInt(3);
            final TuttiScript.Daemon killed = NODES.get(victim);
            final CommandInJvm.Running change = begin(client, command);
            TimeUnit.MILLISECONDS.sleep(delay);
            killed.process.destroyForcibly().waitFor();
            if (back > 0) {
                // after the end of the command, and perhaps after the others have settled
                change.end();
                TimeUnit.MILLISECONDS.sleep(back == 1 ? 0 : random.nextInt(5_000));
            }
            NODES.put(victim, daemon(victim, random.nextBoolean() ? killed.address : "127.0.0.1:0"));
            final TuttiScript.Result r = change.end();
            final String what =
                "round " + round + ": " + command.getFirst() + " by " + client + ", killed " + victim + " after " + delay + " ms: " + r;
            final boolean without = r.status() == 0 && wasLeftOut(victim, client);
            if (without) {
                // it was excluded before the nodes of the change were chosen: it is told what it missed, as any node that was away
                run("a", command.getFirst().equals("uninstall") ? "uninstall" : "install", command.get(1), "--node", victim);
            }
            final List<String> now;
            try {
                now = awaitVersions(List.of(before, after), LIMIT);
            } catch (final Throwable e) {
                throw new AssertionError(what + "\nbefore=" + before + ", after=" + after, e);
            }
            if (r.status() == 0) {
                assertEquals(after, now, what);
            } else if (r.err().contains("nothing was changed")) {
                assertEquals(before, now, what);
            } else if (r.err().contains("; the change is made on the other nodes, and on " + victim + " when it is back")) {
                assertEquals(after, now, what);
            } else {
                assertTrue(
                    r.status() == 3
                        || r.err().contains("; the nodes decide among themselves whether they undo the change; see the result with: tutti modules"),
                    what);
            }
            counts.merge((client.equals(victim) ? "coordinator" : "other node") + " killed, " + (without ? "before" : r.status() == 0 ? "after"
                : "during") + " the change: " + (now.equals(after) ? "new" : "old") + " everywhere", 1, Integer::sum);
        }

        /** Returns whether a node has no part in the last change of another one. */
        private static boolean wasLeftOut(final String node, final String other) throws Exception {
            final String one = node.equals(other) ? NAMES.get((NAMES.indexOf(other) + 1) % NAMES.size()) : other;
            final JsonNode last = state(one).get("finished");
            final JsonNode own = state(node);
            return StreamSupport.stream(own.get("finished").spliterator(), false).noneMatch(last.get(last.size() - 1)::equals)
                && !last.get(last.size() - 1).equals(own.path("change").path("id"));
        }
    }

    @Test
    @Order(1)
    void shouldHaveOldOrNewModulesEverywhereAfterADaemonIsKilledDuringAChange() throws Exception {
        final long seed = Long.getLong("tutti.seed", System.nanoTime());
        System.out.println("seed: tutti.seed=" + seed);
        final Crashes crashes = new Crashes(seed);
        crashes.measure();
        final long begin = System.nanoTime();
        for (int i = 1; i <= CRASHES; i++) {
            try {
                crashes.round(i);
                if (i % 10 == 0) {
                    System.out.println("crashes: " + i + " of " + CRASHES + ": " + crashes.counts);
                }
            } catch (final Exception | AssertionError e) {
                throw new AssertionError("tutti.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        System.out
            .println("timing: " + CRASHES + " crashes during changes of " + crashes.millis[0] + " ms, with proof " + crashes.millis[1] + " ms, took "
                + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) + " s: " + crashes.counts);
        runJob();
        // the last change may have been a removal
        run("a", versions("a").isEmpty() ? "install" : "update", modules.ring("2.0.0").toString(), "--no-verify");
        assertEquals(List.of("ring 2.0.0"), awaitVersions(List.of(List.of("ring 2.0.0")), LIMIT));
    }

    @Test
    @Order(2)
    void shouldSerializeChangesOfSeveralClients() throws Exception {
        run("a", "install", modules.ring("3.0.0").toString(), "--no-verify");
        final Map<String, CommandInJvm.Running> clients = new TreeMap<>();
        for (int i = 0; i < NAMES.size(); i++) {
            final String version = "3.1." + i;
            clients.put("ring " + version, CommandInJvm.start(ThreeNodeCluster.commandLine(NODES.get(NAMES.get(i)), "update",
                modules.ring(version).toString(), "--no-verify")));
        }
        final List<List<String>> done = new ArrayList<>();
        for (final Map.Entry<String, CommandInJvm.Running> c : clients.entrySet()) {
            final TuttiScript.Result r = c.getValue().end();
            assertTrue(r.status() == 0 && r.out().contains(c.getKey() + " is active on a, b, c"), r::toString);
            done.add(List.of(c.getKey()));
        }
        awaitVersions(done, LIMIT);
        runJob();
    }

    private static void limitFiles(final String node, final String bytes) throws Exception {
        final Process limit = new ProcessBuilder("prlimit", "--pid", Long.toString(NODES.get(node).process.pid()), "--fsize=" + bytes + ":")
            .redirectErrorStream(true).start();
        assertEquals("", new String(limit.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
        assertEquals(0, limit.waitFor());
    }

    @Test
    @Order(3)
    void shouldChangeNothingAndNameNodeAndFileWhenADiskIsFull() throws Exception {
        run("a", "install", modules.ring("4.0.0").toString(), "--no-verify");
        for (final String node : NAMES) {
            limitFiles(node, "128");
            try {
                final String full = "node " + node + ": ";
                for (final String client : NAMES) {
                    final TuttiScript.Result removal = tutti(client, "uninstall", "ring");
                    assertEquals(1, removal.status(), removal::toString);
                    assertTrue(removal.err().startsWith("tutti: " + full + "state of the modules cannot be written: file=" + folder(node)),
                        removal::toString);
                    assertTrue(removal.err().contains("File too large; nothing was changed"), removal::toString);
                    final TuttiScript.Result update = tutti(client, "update", modules.ring("4.1.0").toString(), "--no-verify");
                    assertEquals(1, update.status(), update::toString);
                    assertTrue(update.err().startsWith("tutti: " + full + "module cannot be stored: file=ring-4.1.0.jar, folder=" + folder(node)),
                        update::toString);
                    assertTrue(update.err().contains("File too large; nothing was changed"), update::toString);
                }
                assertEquals(List.of("ring 4.0.0"), awaitVersions(List.of(List.of("ring 4.0.0")), LIMIT));
            } finally {
                limitFiles(node, "unlimited");
            }
            runJob();
        }
        run("a", "update", modules.ring("4.2.0").toString(), "--no-verify");
        assertEquals(List.of("ring 4.2.0"), awaitVersions(List.of(List.of("ring 4.2.0")), LIMIT));
    }
}
