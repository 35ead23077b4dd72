package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a cluster of three containers, each in a JVM of its own, joined over real sockets. */
@Tag("nightly")
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class ForkedContainersIT {
    private static final List<ForkedNode> NODES = new ArrayList<>();

    @TempDir
    private static Path dir;
    private static Path reporter;

    @BeforeAll
    static void start() throws Exception {
        reporter = NodeReporter.bundle(dir.resolve("reporter.jar"));
        for (final String name : List.of("a", "b", "c")) {
            NODES.add(new ForkedNode(dir, reporter, name));
        }
        join(NODES.get(1), NODES.get(0));
        join(NODES.get(2), NODES.get(1));
    }

    @AfterAll
    static void stop() {
        NODES.forEach(ForkedNode::close);
    }

    /** Joins a node as a daemon does for {@code --join}: with the client of the distribution, on a class path of its own. */
    private static void join(final ForkedNode node, final ForkedNode seed) throws Exception {
        final List<URL> jars = new ArrayList<>();
        for (final Path jar : ProjectPaths.jars()) {
            jars.add(jar.toUri().toURL());
        }
        try (URLClassLoader tutti = new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            final Class<?> hostPort = tutti.loadClass("tutti.daemon.node.HostPort");
            final Class<?> client = tutti.loadClass("tutti.cli.Client");
            final Class<?> request = tutti.loadClass("tutti.cli.Client$Request");
            final Method parse = hostPort.getMethod("parse", String.class);
            final Object cluster = parse.invoke(null, seed.address);
            final Method join = tutti.loadClass("tutti.daemon.monitor.ClusterRequests").getMethod("join", hostPort);
            final Object joining = Proxy.newProxyInstance(tutti, new Class<?>[] {request}, (proxy, of, daemon) -> join.invoke(daemon[0], cluster));
            final Class<?> contact = tutti.loadClass("tutti.cli.Contact");
            final Method ofUser = contact.getDeclaredMethod("ofUser", hostPort);
            final Method connect = client.getDeclaredMethod("connect", contact);
            final Method ask = client.getDeclaredMethod("ask", request);
            ofUser.setAccessible(true);
            connect.setAccessible(true);
            ask.setAccessible(true);
            try (AutoCloseable connection = (AutoCloseable) connect.invoke(null,
                ofUser.invoke(null, parse.invoke(null, node.address)))) {
                ask.invoke(connection, joining);
            }
        }
    }

    /** Returns the process ids of the nodes by name, as one of them reports them. */
    private static Map<String, Long> pids(final ForkedNode asked) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run("nodes", "--json", "--connect", asked.address);
        assertEquals(0, r.status(), r::toString);
        final Map<String, Long> pids = new TreeMap<>();
        for (final JsonNode node : new ObjectMapper().readTree(r.out())) {
            pids.put(node.get("name").asText(), node.get("pid").asLong());
        }
        return pids;
    }

    @Test
    void shouldBeOneClusterOfThreeProcesses() throws Exception {
        final Map<String, Long> pids = pids(NODES.get(0));
        assertEquals(List.of("a", "b", "c"), List.copyOf(pids.keySet()));
        assertEquals(3, pids.values().stream().distinct().count(), pids::toString);
        assertFalse(pids.containsValue(ProcessHandle.current().pid()), pids::toString);
        assertEquals(pids, pids(NODES.get(1)));
        assertEquals(pids, pids(NODES.get(2)));
    }

    private static String example(final String name) {
        return ProjectPaths.DIR.resolve("examples").resolve(name).toString();
    }

    @Test
    void shouldRunAJobOnThreeNodes() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run("run", "--connect", NODES.get(2).address, "-n", "7", example("TwoGroups.java"));
        assertEquals(0, r.status(), r::toString);
        assertEquals("""
            rank 0 is 0 of all, its 3 partners have the sum 9, and it knows 4711
            rank 2 is 1 of all, its 3 partners have the sum 9, and it knows 0
            rank 4 is 2 of all, its 3 partners have the sum 9, and it knows 0
            rank 6 is 3 of all, its 3 partners have the sum 9, and it knows 0
            rank 1 is 4 of all, its 4 partners have the sum 12, and it knows 4711
            rank 3 is 5 of all, its 4 partners have the sum 12, and it knows 4711
            rank 5 is 6 of all, its 4 partners have the sum 12, and it knows 4711
            """, r.out());
    }

    private static String run(final String... command) throws Exception {
        final List<String> line = new ArrayList<>(List.of(command));
        line.addAll(List.of("--connect", NODES.get(0).address));
        final TuttiScript.Result r = CommandInJvm.run(line.toArray(String[]::new));
        assertEquals(0, r.status(), r::toString);
        return r.out().strip();
    }

    /** Returns which module serves allreduce in a job over all nodes, and why the others do not. */
    private static String explain() throws Exception {
        return run("explain", "allreduce", "-n", "3", "-p", "coll.select=^dissem,^recexch,^smp,^tree")
            .replaceAll("0\\.1\\.0\\.\\w+", "0.1.0").lines()
            .filter(l -> !l.contains("excluded by coll.select") && !l.contains("commutative, bytes") && !l.startsWith("  parameters"))
            .collect(Collectors.joining("\n"));
    }

    @Test
    void shouldAgreeOnInstalledAndRemovedModules() throws Exception {
        final ModuleBundles modules = new ModuleBundles(dir);
        final Map<String, Long> pids = pids(NODES.get(0));
        run("uninstall", "ring");
        run("install", modules.ring("1.0.0").toString());
        run("install", modules.ring("1.1.0").toString(), "--node", "a", "--node", "b");
        assertEquals("""
            allreduce  ring 1.0.0, algorithm ring, priority 40
              links between nodes: shm
              not basic 0.1.0: priority 10 is below 40 of ring
              not ring 1.1.0: missing on node c""", explain());
        assertEquals("ring 1.1.0 is active on c; ring 1.0.0 is removed when no job uses it",
            run("install", modules.ring("1.1.0").toString(), "--node", "c").lines().findFirst().orElseThrow());
        assertEquals("""
            allreduce  ring 1.1.0, algorithm ring, priority 40
              links between nodes: shm
              not basic 0.1.0: priority 10 is below 40 of ring""", explain());
        assertTrue(run("rollback", "ring").startsWith("ring 1.0.0 is active on a, b, c"));
        run("uninstall", "ring");
        assertEquals("allreduce  basic 0.1.0, algorithm recursive_doubling, priority 10\n  links between nodes: shm", explain());
        assertEquals(pids, pids(NODES.get(0)));
    }

    @Test
    void shouldContinueWithoutAStoppedContainer() throws Exception {
        final long pid;
        try (ForkedNode d = new ForkedNode(dir, reporter, "d")) {
            join(d, NODES.get(0));
            pid = pids(d).get("d");
            assertEquals(4, pids(NODES.get(1)).size());
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
        await().atMost(Duration.ofSeconds(60)).until(() -> pids(NODES.get(1)).keySet(), k -> k.equals(Set.of("a", "b", "c")));
        final TuttiScript.Result r = CommandInJvm.run("run", "--connect", NODES.get(1).address, "-n", "3", example("HelloWorld.java"));
        assertEquals(0, r.status(), r::toString);
        assertTrue(r.out().contains("rank 2 of 3 on node c"), r::toString);
    }
}
