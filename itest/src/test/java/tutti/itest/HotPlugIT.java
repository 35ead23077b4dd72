package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.jar.Attributes;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests install, update, rollback and uninstall on all nodes while daemons and jobs run; a change that fails leaves every node unchanged. */
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class HotPlugIT {
    private static final int FAILED = 1;
    private static final int SHORT_JOBS = 30;
    private static final String UNPROVED = "--no-verify";

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

    private static <T> FutureTask<T> async(final Callable<T> code) {
        final FutureTask<T> task = new FutureTask<>(code);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    /** Changes a module without its proof, which takes a JVM on every node and is tested by {@link VerifyIT}. */
    private static void change(final String command, final Object... args) throws Exception {
        cluster.run(command, Stream.concat(Stream.of(args), Stream.of(UNPROVED)).toArray());
    }

    @Tag("nightly")
    @Test
    void shouldUpdateModulesWithoutDisturbingJobs() throws Exception {
        cluster.run("install", modules.ring("1.0.0"));
        final ThreeNodeCluster.Job running = cluster.startJob();
        final AtomicBoolean over = new AtomicBoolean();
        final FutureTask<Integer> updates = async(() -> {
            int n = 0;
            while (!over.get()) {
                n++;
                cluster.run("update", modules.ring("1.0." + n));
            }
            return n;
        });
        final FutureTask<Void> shortJobs = async(() -> {
            for (int i = 0; i < SHORT_JOBS; i++) {
                cluster.runShortJob();
            }
            return null;
        });
        shortJobs.get(120, TimeUnit.SECONDS);
        over.set(true);
        final int last = updates.get(60, TimeUnit.SECONDS);
        assertTrue(last > 1);
        assertEquals(List.of("ring 1.0.0"), running.modules());
        running.end();
        assertEquals(List.of("ring 1.0." + last + " on a,b,c"), cluster.addedModules());
        final List<String> files = new ArrayList<>();
        for (int i = 0; i <= last; i++) {
            files.add(ThreeNodeCluster.storedName(modules.ring("1.0." + i)));
        }
        for (final String node : List.of("a", "b", "c")) {
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertEquals(1, cluster.installedFiles(node).size(), cluster.installedFiles(node)::toString);
                assertEquals(Set.of(files.get(last - 1), files.get(last)), cluster.storedFiles(node).stream().filter(files::contains)
                    .collect(Collectors.toSet()), "the version before the last is kept for a rollback");
            });
        }
    }

    @Test
    void shouldRollBackAndUninstallAModule() throws Exception {
        change("install", modules.ring("1.0.0"));
        change("update", modules.ring("1.1.0"));
        assertEquals(List.of("ring 1.1.0 on a,b,c"), cluster.addedModules());
        cluster.run("rollback", "ring");
        assertEquals(List.of("ring 1.0.0"), cluster.modulesOfJob());
        cluster.run("rollback", "ring");
        assertEquals(List.of("ring 1.1.0 on a,b,c"), cluster.addedModules());
        cluster.run("uninstall", "ring:1.1.0");
        assertEquals(List.of(), cluster.addedModules());
        assertEquals("tutti: node a: no such module: ring; nothing was changed",
            cluster.runFailing(FAILED, "uninstall", "ring"));
        cluster.run("rollback", "ring");
        assertEquals(List.of("ring 1.1.0 on a,b,c"), cluster.addedModules());
        assertEquals("tutti: node a: module basic cannot be removed: it is the fallback module; nothing was changed",
            cluster.runFailing(FAILED, "uninstall", "basic"));
        assertEquals("tutti: node a: no version of module probe is installed: use install; nothing was changed",
            cluster.runFailing(FAILED, "update", modules.withActivator("probe", "")));
    }

    @Test
    void shouldRollBackToAVersionThatARunningJobUses() throws Exception {
        change("install", modules.ring("1.0.0"));
        final ThreeNodeCluster.Job running = cluster.startJob();
        change("update", modules.ring("1.1.0"));
        cluster.run("rollback", "ring");
        assertEquals(List.of("ring 1.0.0"), running.modules());
        running.end();
        assertEquals(List.of("ring 1.0.0"), cluster.modulesOfJob());
    }

    /** Returns the versions of module hub. Node d brings module ring, which the others no longer have. */
    private List<String> hub() throws Exception {
        return cluster.addedModules().stream().filter(m -> m.startsWith("hub ")).toList();
    }

    @Tag("nightly")
    @Test
    void shouldWarnAJoiningNodeOfMissingModulesAndRestoreItsModulesOnRestart() throws Exception {
        final Path hub = modules.hub("1.0.0");
        change("install", hub);
        final String[] line = {"--name", "d", "--dir", cluster.folder("d"), "--join", cluster.a.address};
        final TuttiScript.Daemon first = new TuttiScript.Daemon(dir, line);
        try (first) {
            assertEquals(List.of("hub 1.0.0 on a,b,c"), hub());
            change("install", hub, "--node", "d");
            assertEquals(List.of("hub 1.0.0 on a,b,c,d"), hub());
        }
        final String message = first.err.get(60, TimeUnit.SECONDS);
        assertEquals(2, message.split("node d lacks hub 1.0.0, which the other nodes have: communicators with ranks on d cannot use them; "
            + "install them with: tutti install FILE --node d", -1).length, message);
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertEquals(List.of("hub 1.0.0 on a,b,c"), hub()));
        // a transfer that the end of the daemon may have interrupted
        final Path leftover = Files.writeString(Path.of(cluster.folder("d"), "work", "modules", "incoming-1"), "half");
        final TuttiScript.Daemon second = new TuttiScript.Daemon(dir, line);
        try (second) {
            assertEquals(List.of("hub 1.0.0 on a,b,c,d"), hub());
            assertTrue(Files.notExists(leftover));
        }
        assertEquals("", second.err.get(60, TimeUnit.SECONDS));
    }

    @Tag("nightly")
    @Test
    void shouldFetchModulesAgainWhenTheStoreOfANodeIsDamaged() throws Exception {
        change("install", modules.ring("1.0.0"));
        final String[] line = {"--name", "damaged", "--dir", cluster.folder("damaged"), "--join", cluster.a.address};
        final Path state = Path.of(cluster.folder("damaged"), "work", "modules", "modules.json");
        try (TuttiScript.Daemon d = new TuttiScript.Daemon(dir, line)) {
            assertTrue(d.process.isAlive());
            change("install", modules.ring("1.0.0"), "--node", "damaged");
        }
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertEquals(List.of("ring 1.0.0 on a,b,c"), cluster.addedModules()));
        final String whole = Files.readString(state);
        for (final String damaged : List.of(whole.substring(0, whole.length() / 2), "garbage")) {
            Files.writeString(state, damaged);
            final TuttiScript.Daemon again = new TuttiScript.Daemon(dir, line);
            try (again) {
                await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertEquals(List.of("ring 1.0.0 on a,b,c,damaged"), cluster.addedModules()));
                assertEquals(damaged, Files.readString(state.resolveSibling("modules.json.damaged")));
            }
            final List<String> lines = again.err.get(60, TimeUnit.SECONDS).lines().filter(l -> l.contains("module store is damaged")).toList();
            assertEquals(1, lines.size(), again.err.get()::toString);
            assertTrue(lines.getFirst().contains("file=" + state), lines.getFirst());
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertEquals(List.of("ring 1.0.0 on a,b,c"), cluster.addedModules()));
        }
    }

    @Tag("nightly")
    @Test
    void shouldRollBackOnAllNodesWhenTheDiskOfOneIsFull() throws Exception {
        change("install", modules.ring("1.0.0"));
        // limits each file of this daemon to a few megabytes
        final Process full = new ProcessBuilder("bash", "-c", "ulimit -f 4096; exec \"$@\"", "bash",
            ProjectPaths.DIR.resolve("tutti").toString(), "daemon", "--name", "full", "--dir", cluster.folder("full"), "--join", cluster.a.address)
            .directory(dir.toFile()).start();
        try (TuttiScript.Daemon d = new TuttiScript.Daemon(full)) {
            change("install", modules.ring("1.0.0"), "--node", "full");
            final String message = cluster.runFailing(FAILED, "update", modules.ring("1.1.0", "", 6 << 20), UNPROVED);
            assertTrue(message.startsWith("tutti: node full: ") && message.endsWith("; nothing was changed"), message);
            assertTrue(message.contains("File too large"), message);
            assertEquals(List.of("ring 1.0.0 on a,b,c,full"), cluster.addedModules());
            assertEquals(List.of(ThreeNodeCluster.storedName(modules.ring("1.0.0"))), cluster.storedFiles("full"));
            change("update", modules.ring("1.1.0"));
            assertEquals(List.of("ring 1.1.0 on a,b,c,full"), cluster.addedModules());
            assertTrue(d.process.isAlive());
        }
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertEquals(List.of("ring 1.1.0 on a,b,c"), cluster.addedModules()));
    }

    private static void assertRefused(final Path bundle, final String reason) throws Exception {
        final String message = cluster.runFailing(FAILED, "install", bundle);
        assertTrue(message.startsWith("tutti: node a: ") && message.endsWith("; nothing was changed"), message);
        assertTrue(message.contains(reason), message);
        assertTrue(!message.contains("/"), () -> "the message contains a path of the node: " + message);
    }

    @Tag("nightly")
    @Test
    void shouldRefuseInvalidModulesAndChangeNothing() throws Exception {
        cluster.run("install", modules.ring("1.0.0"));
        final List<String> kept = cluster.storedFiles("a");
        assertRefused(Files.createFile(dir.resolve("empty.jar")), "not a bundle: not a jar: zip file is empty");
        assertRefused(Files.writeString(dir.resolve("text.jar"), "Dear all,\n".repeat(1000)), "not a bundle: not a jar: ");
        assertRefused(modules.withManifest(modules.withActivator("nameless", ""), "nameless2",
            m -> m.remove(new Attributes.Name("Bundle-SymbolicName"))),
            "not a bundle: Bundle-SymbolicName or Bundle-ManifestVersion missing");
        assertRefused(modules.withManifest(modules.withActivator("lonely", ""), "lonely2",
            m -> m.putValue("Import-Package", "tutti.coll,org.nowhere")),
            "probe.lonely 1.0.0 needs org.nowhere, which no bundle of this node exports");
        assertRefused(modules.withManifest(modules.withActivator("plain", ""), "plain2", m -> m.remove(new Attributes.Name("Provide-Capability"))),
            "bundle probe.plain 1.0.0 is not a module: it has 0 capabilities tutti.coll, expected 1");
        assertRefused(modules.withOtherName("says", "does"), "bundle probe.says 1.0.0 declares module says, but its component publishes does");
        assertRefused(modules.withOtherName("bcast", "bcast"), "invalid module name: name=bcast");
        assertRefused(modules.withActivator("throws", "if (true) { throw new IllegalStateException(\"boom\"); }"),
            "start of bundle probe.throws 1.0.0 failed: ");
        assertRefused(modules.withActivator("sleeps", "Thread.sleep(100_000);"),
            "start of bundle probe.sleeps 1.0.0 did not end within 5000 ms of waiting");
        assertRefused(modules.ring("1.0.0", "other", 0), "a bundle of that name and version is installed already, with another digest");
        assertEquals(List.of("ring 1.0.0 on a,b,c"), cluster.addedModules());
        for (final String node : List.of("a", "b", "c")) {
            assertEquals(List.of(ThreeNodeCluster.storedName(modules.ring("1.0.0"))), cluster.installedFiles(node));
            assertEquals(kept, cluster.storedFiles(node));
        }
        assertEquals(List.of("ring 1.0.0"), cluster.modulesOfJob());
    }

    /** Creates module ring or basic in a version and with a list of operations, of the bundle of ring. */
    private static Path declaring(final Path bundle, final String name, final String version, final String operations) throws IOException {
        return modules.withManifest(bundle, name + version, m -> {
            m.putValue("Bundle-Version", version);
            m.putValue("Provide-Capability", "tutti.coll;tutti.coll=" + name + (operations.isEmpty() ? "" : ";operations:List<String>=\"" + operations
                + "\""));
        });
    }

    @Tag("nightly")
    @Test
    void shouldRefuseAModuleThatOffersLessThanTheOneItReplaces() throws Exception {
        change("install", modules.ring("1.0.0"));
        final Path less = declaring(modules.ring("1.5.0"), "ring", "1.5.0", "bcast");
        final String message = cluster.runFailing(FAILED, "update", less);
        assertTrue(message.startsWith("tutti: node a: module ring 1.5.0 does not offer all that the version it replaces offers: missing=")
            && message.endsWith("; give the module another name, or replace it with: --force; nothing was changed"), message);
        assertEquals(List.of("ring 1.0.0 on a,b,c"), cluster.addedModules());
        cluster.run("update", less, "--force");
        assertEquals(List.of("ring 1.5.0 on a,b,c"), cluster.addedModules());
        final Path basic = declaring(modules.withActivator("basic", ""), "basic", "99.0.0", "bcast");
        for (final String force : List.of("", "--force")) {
            final String refusal = force.isEmpty() ? cluster.runFailing(FAILED, "install", basic)
                : cluster.runFailing(FAILED, "install", basic, force);
            assertTrue(refusal.startsWith("tutti: node a: module basic 99.0.0 cannot be the fallback module, which offers every operation: "
                + "missing=allgather,"), refusal);
        }
        cluster.runShortJob();
    }

    @Tag("nightly")
    @Test
    void shouldContinueWhenAnActivatorNeverReturnsAndEndWhenStopped() throws Exception {
        try (TuttiScript.Daemon d = new TuttiScript.Daemon(dir, "--name", "lone")) {
            final Path waits = modules.withActivator("waits",
                "for (long x = 0; x >= 0; x++) { Thread.interrupted(); java.util.concurrent.locks.LockSupport.park(); }");
            final TuttiScript.Result r = CommandInJvm.run(ThreeNodeCluster.commandLine(d, "install", waits.toString()));
            assertEquals(FAILED, r.status(), r::toString);
            assertEquals(
                "tutti: node lone: start of bundle probe.waits 1.0.0 did not end within 5000 ms of waiting; it continues until the daemon is "
                    + "restarted; nothing was changed",
                r.err().strip());
            assertEquals(0, CommandInJvm.run(ThreeNodeCluster.commandLine(d, "install", modules.ring("1.0.0").toString(), UNPROVED)).status());
            assertEquals(0, CommandInJvm.run(ThreeNodeCluster.commandLine(d, "update", modules.ring("1.1.0").toString(), UNPROVED)).status());
            assertEquals(0,
                CommandInJvm.run(ThreeNodeCluster.commandLine(d, "run", "-n", "3", "--cp", cluster.programs.toString(), "Sums")).status());
            assertEquals(0, CommandInJvm.run(ThreeNodeCluster.commandLine(d, "stop")).status());
            assertTrue(d.process.waitFor(60, TimeUnit.SECONDS));
        }
    }

    @Tag("nightly")
    @Test
    void shouldSerializeConcurrentChanges() throws Exception {
        change("install", modules.ring("1.0.0"));
        final String next = modules.ring("1.1.0").toString();
        final String other = modules.ring("1.2.0").toString();
        for (int round = 0; round < 3; round++) {
            final FutureTask<TuttiScript.Result> byA =
                async(() -> CommandInJvm.run(ThreeNodeCluster.commandLine(cluster.a, "update", next, UNPROVED)));
            final FutureTask<TuttiScript.Result> byC =
                async(() -> CommandInJvm.run(ThreeNodeCluster.commandLine(cluster.c, "update", other, UNPROVED)));
            final List<TuttiScript.Result> results = List.of(byA.get(60, TimeUnit.SECONDS), byC.get(60, TimeUnit.SECONDS));
            assertEquals(List.of(0, 0), results.stream().map(TuttiScript.Result::status).toList(), results::toString);
            assertTrue(List.of(List.of("ring 1.1.0 on a,b,c"), List.of("ring 1.2.0 on a,b,c")).contains(cluster.addedModules()),
                cluster.addedModules()::toString);
        }
        cluster.runShortJob();
    }

    /** Creates a module whose bundle starts slowly and marks each process in which its start has begun. */
    private static Path slowModule(final String name, final Path marks) throws IOException {
        Files.createDirectories(marks);
        return modules.withActivator(name, "java.nio.file.Files.write(java.nio.file.Path.of(\"" + marks
            + "\", \"\" + ProcessHandle.current().pid()), new byte[0]); Thread.sleep(800);");
    }

    private static void awaitMark(final Path marks, final TuttiScript.Daemon d) {
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20))
            .until(() -> Files.exists(marks.resolve(Long.toString(d.process.pid()))));
    }

    @Tag("nightly")
    @Test
    void shouldChangeNothingWhenANodeIsKilledDuringAChange() throws Exception {
        final Path marks = dir.resolve("marks1");
        final Path slow = slowModule("slow1", marks);
        try (TuttiScript.Daemon d = new TuttiScript.Daemon(dir, "--name", "d", "--join", cluster.a.address)) {
            final FutureTask<TuttiScript.Result> change = async(
                () -> CommandInJvm.run(ThreeNodeCluster.commandLine(cluster.a, "install", slow.toString(), UNPROVED)));
            awaitMark(marks, d);
            d.kill();
            final TuttiScript.Result r = change.get(60, TimeUnit.SECONDS);
            assertEquals(FAILED, r.status(), r::toString);
            assertTrue(r.err().startsWith("tutti: node d: the node is gone: ") && r.err().strip().endsWith("; nothing was changed"), r::toString);
        }
        assertEquals(List.of(), cluster.addedModules());
        // the node is a member until the others have excluded it
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> change("install", modules.ring("1.0.0")));
        assertEquals(List.of("ring 1.0.0 on a,b,c"), cluster.addedModules());
    }

    @Tag("nightly")
    @Test
    void shouldChangeNothingWhenTheCoordinatorOfAChangeIsKilled() throws Exception {
        final Path marks = dir.resolve("marks2");
        final Path slow = slowModule("slow2", marks);
        try (TuttiScript.Daemon d = new TuttiScript.Daemon(dir, Map.of(), "--name", "d", "--join", cluster.a.address)) {
            final FutureTask<TuttiScript.Result> change =
                async(() -> CommandInJvm.run(ThreeNodeCluster.commandLine(d, "install", slow.toString(), UNPROVED)));
            awaitMark(marks, cluster.b);
            d.kill();
            final TuttiScript.Result r = change.get(60, TimeUnit.SECONDS);
            assertEquals(3, r.status(), r::toString);
        }
        assertEquals(List.of(), cluster.addedModules());
        // the node is a member until the others have excluded it
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> change("install", modules.ring("1.0.0")));
        assertEquals(List.of("ring 1.0.0 on a,b,c"), cluster.addedModules());
    }
}
