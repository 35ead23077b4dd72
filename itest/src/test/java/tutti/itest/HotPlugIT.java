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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests install, update, rollback and uninstall on all nodes while daemons and jobs run; a change that fails leaves every node unchanged. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class HotPlugIT {
    private static final int FAILED = 1;
    private static final int SHORT_JOBS = 30;

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

    private static <T> FutureTask<T> async(final Callable<T> code) {
        final FutureTask<T> task = new FutureTask<>(code);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    @Test
    void shouldHarmNoJobWhenUpdatesComeWhileALongOneRunsAndShortOnesComeAndGo() throws Exception {
        trio.does("install", modules.ring("1.0.0"));
        final Trio.Job running = trio.begin();
        final AtomicBoolean over = new AtomicBoolean();
        final FutureTask<Integer> updates = async(() -> {
            int n = 0;
            while (!over.get()) {
                n++;
                trio.does("update", modules.ring("1.0." + n));
            }
            return n;
        });
        final FutureTask<Void> shortJobs = async(() -> {
            for (int i = 0; i < SHORT_JOBS; i++) {
                trio.works();
            }
            return null;
        });
        shortJobs.get(120, TimeUnit.SECONDS);
        over.set(true);
        final int last = updates.get(60, TimeUnit.SECONDS);
        assertTrue(last > 1);
        assertEquals(List.of("ring 1.0.0"), running.modules());
        running.end();
        assertEquals(List.of("ring 1.0." + last + " on a,b,c"), trio.held());
        final List<String> files = new ArrayList<>();
        for (int i = 0; i <= last; i++) {
            files.add(Trio.stored(modules.ring("1.0." + i)));
        }
        for (final String node : List.of("a", "b", "c")) {
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertEquals(1, trio.installed(node).size(), trio.installed(node)::toString);
                assertEquals(Set.of(files.get(last - 1), files.get(last)), trio.kept(node).stream().filter(files::contains)
                    .collect(Collectors.toSet()), "the version before the last is kept for a rollback");
            });
        }
    }

    @Test
    void shouldServeTheNextJobSoonAfterAnUpdate() throws Exception {
        trio.does("install", modules.ring("1.0.0"));
        trio.works();
        final Path next = modules.ring("1.1.0");
        final long begin = System.nanoTime();
        trio.does("update", next);
        final long updated = System.nanoTime();
        trio.works();
        System.out.printf("timing: update on three nodes %d ms, the next job %d ms%n", (updated - begin) / 1_000_000,
            (System.nanoTime() - updated) / 1_000_000);
    }

    @Test
    void shouldBringTheVersionBeforeBackAndTakeAModuleAway() throws Exception {
        trio.does("install", modules.ring("1.0.0"));
        trio.does("update", modules.ring("1.1.0"));
        assertEquals(List.of("ring 1.1.0 on a,b,c"), trio.held());
        trio.does("rollback", "ring");
        assertEquals(List.of("ring 1.0.0"), trio.used());
        trio.does("rollback", "ring");
        assertEquals(List.of("ring 1.1.0 on a,b,c"), trio.held());
        trio.does("uninstall", "ring:1.1.0");
        assertEquals(List.of(), trio.held());
        assertEquals("tutti: node a: no such module: ring; nothing was changed",
            trio.fails(FAILED, "uninstall", "ring"));
        trio.does("rollback", "ring");
        assertEquals(List.of("ring 1.1.0 on a,b,c"), trio.held());
        assertEquals("tutti: node a: module basic cannot be removed: it is the fallback module; nothing was changed",
            trio.fails(FAILED, "uninstall", "basic"));
        assertEquals("tutti: node a: no version of module probe is installed: use install; nothing was changed",
            trio.fails(FAILED, "update", modules.starting("probe", "")));
    }

    @Test
    void shouldBringBackTheVersionThatARunningJobStillHoldsWithoutHarmToIt() throws Exception {
        trio.does("install", modules.ring("1.0.0"));
        final Trio.Job running = trio.begin();
        trio.does("update", modules.ring("1.1.0"));
        trio.does("rollback", "ring");
        assertEquals(List.of("ring 1.0.0"), running.modules());
        running.end();
        assertEquals(List.of("ring 1.0.0"), trio.used());
    }

    @Test
    void shouldTellANodeThatJoinsLaterWhatItLacksAndBringItsModulesBackWhenItIsRestarted() throws Exception {
        final Path ring = modules.ring("1.0.0");
        trio.does("install", ring);
        final String[] line = {"--name", "d", "--dir", trio.folder("d"), "--join", trio.a.address};
        final Cli.Daemon first = new Cli.Daemon(dir, line);
        try (first) {
            assertEquals(List.of("ring 1.0.0 on a,b,c"), trio.held());
            trio.does("install", ring, "--node", "d");
            assertEquals(List.of("ring 1.0.0 on a,b,c,d"), trio.held());
        }
        final String message = first.err.get(60, TimeUnit.SECONDS);
        assertTrue(message.contains("tutti: node d lacks ring 1.0.0, which the other nodes have: jobs with ranks on d cannot use them; "
            + "install them with: tutti install FILE --node d"), message);
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertEquals(List.of("ring 1.0.0 on a,b,c"), trio.held()));
        // a transfer that the end of the daemon may have interrupted
        final Path leftover = Files.writeString(Path.of(trio.folder("d"), "work", "modules", "incoming-1"), "half");
        final Cli.Daemon second = new Cli.Daemon(dir, line);
        try (second) {
            assertEquals(List.of("ring 1.0.0 on a,b,c,d"), trio.held());
            assertTrue(Files.notExists(leftover));
        }
        assertEquals("", second.err.get(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldRollBackOnAllNodesWhenTheDiskOfOneIsFull() throws Exception {
        trio.does("install", modules.ring("1.0.0"));
        // limits each file of this daemon to a few megabytes
        final Process full = new ProcessBuilder("bash", "-c", "ulimit -f $((4096 * 2)); exec \"$@\"", "bash",
            Home.DIR.resolve("tutti").toString(), "daemon", "--name", "full", "--dir", trio.folder("full"), "--join", trio.a.address)
            .directory(dir.toFile()).start();
        try (Cli.Daemon d = new Cli.Daemon(full)) {
            trio.does("install", modules.ring("1.0.0"), "--node", "full");
            final String message = trio.fails(FAILED, "update", modules.ring("1.1.0", "", 16 << 20));
            assertTrue(message.startsWith("tutti: node full: ") && message.endsWith("; nothing was changed"), message);
            assertTrue(message.contains("File too large"), message);
            assertEquals(List.of("ring 1.0.0 on a,b,c,full"), trio.held());
            assertEquals(List.of(Trio.stored(modules.ring("1.0.0"))), trio.kept("full"));
            trio.does("update", modules.ring("1.1.0"));
            assertEquals(List.of("ring 1.1.0 on a,b,c,full"), trio.held());
            assertTrue(d.process.isAlive());
        }
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertEquals(List.of("ring 1.1.0 on a,b,c"), trio.held()));
    }

    private static void refused(final Path bundle, final String reason) throws Exception {
        final String message = trio.fails(FAILED, "install", bundle);
        assertTrue(message.startsWith("tutti: node a: ") && message.endsWith("; nothing was changed"), message);
        assertTrue(message.contains(reason), message);
        assertTrue(!message.contains("/"), () -> "the message contains a path of the node: " + message);
    }

    @Test
    void shouldRefuseWhatIsNoWorkingModuleAndLeaveEverythingAsItWas() throws Exception {
        trio.does("install", modules.ring("1.0.0"));
        final List<String> kept = trio.kept("a");
        refused(Files.createFile(dir.resolve("empty.jar")), "not a bundle: not a jar: zip file is empty");
        refused(Files.writeString(dir.resolve("text.jar"), "Dear all,\n".repeat(1000)), "not a bundle: not a jar: ");
        refused(modules.changed(modules.starting("nameless", ""), "nameless2",
            m -> m.remove(new Attributes.Name("Bundle-SymbolicName"))),
            "not a bundle: Bundle-SymbolicName or Bundle-ManifestVersion missing");
        refused(modules.changed(modules.starting("lonely", ""), "lonely2",
            m -> m.putValue("Import-Package", "tutti.coll,org.nowhere")),
            "start of bundle probe.lonely 1.0.0 failed: ");
        refused(modules.changed(modules.starting("plain", ""), "plain2", m -> m.remove(new Attributes.Name("Provide-Capability"))),
            "bundle probe.plain 1.0.0 is not a module: it has 0 capabilities tutti.coll, expected 1");
        refused(modules.lying("says", "does"), "bundle probe.says 1.0.0 declares module says but publishes [does 1.0.0]");
        refused(modules.lying("bcast", "bcast"), "invalid module name: name=bcast");
        refused(modules.starting("throws", "if (true) { throw new IllegalStateException(\"boom\"); }"),
            "start of bundle probe.throws 1.0.0 failed: ");
        refused(modules.starting("sleeps", "Thread.sleep(100_000);"), "start of bundle probe.sleeps 1.0.0 did not end within 5 s");
        refused(modules.ring("1.0.0", "other", 0), "a bundle of that name and version is installed already, with another digest");
        assertEquals(List.of("ring 1.0.0 on a,b,c"), trio.held());
        for (final String node : List.of("a", "b", "c")) {
            assertEquals(List.of(Trio.stored(modules.ring("1.0.0"))), trio.installed(node));
            assertEquals(kept, trio.kept(node));
        }
        assertEquals(List.of("ring 1.0.0"), trio.used());
    }

    @Test
    void shouldGoOnBesideABundleThatNeverReturnsFromItsActivatorAndStillEndWhenStopped() throws Exception {
        try (Cli.Daemon d = new Cli.Daemon(dir, "--name", "lone")) {
            final Path spins = modules.starting("spins", "for (long x = 0; ; x++) { if (x < 0) { break; } }");
            final Cli.Result r = Here.run(Trio.line(d, "install", spins.toString()));
            assertEquals(FAILED, r.status(), r::toString);
            assertEquals("tutti: node lone: start of bundle probe.spins 1.0.0 did not end within 5 s; it continues until the daemon is restarted; "
                + "nothing was changed", r.err().strip());
            assertEquals(0, Here.run(Trio.line(d, "install", modules.ring("1.0.0").toString())).status());
            assertEquals(0, Here.run(Trio.line(d, "update", modules.ring("1.1.0").toString())).status());
            assertEquals(0,
                Here.run(Trio.line(d, "run", "-n", "3", "--cp", trio.programs.toString(), "Sums")).status());
            assertEquals(0, Here.run(Trio.line(d, "stop")).status());
            assertTrue(d.process.waitFor(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldMakeTwoChangesAtOnceOneAfterTheOther() throws Exception {
        trio.does("install", modules.ring("1.0.0"));
        final String next = modules.ring("1.1.0").toString();
        final String other = modules.ring("1.2.0").toString();
        for (int round = 0; round < 3; round++) {
            final FutureTask<Cli.Result> byA = async(() -> Here.run(Trio.line(trio.a, "update", next)));
            final FutureTask<Cli.Result> byC = async(() -> Here.run(Trio.line(trio.c, "update", other)));
            final List<Cli.Result> results = List.of(byA.get(60, TimeUnit.SECONDS), byC.get(60, TimeUnit.SECONDS));
            assertEquals(List.of(0, 0), results.stream().map(Cli.Result::status).toList(), results::toString);
            assertTrue(List.of(List.of("ring 1.1.0 on a,b,c"), List.of("ring 1.2.0 on a,b,c")).contains(trio.held()),
                trio.held()::toString);
        }
        trio.works();
    }

    /** Creates a module whose bundle starts slowly and marks each process in which its start has begun. */
    private static Path slow(final String name, final Path marks) throws IOException {
        Files.createDirectories(marks);
        return modules.starting(name, "java.nio.file.Files.write(java.nio.file.Path.of(\"" + marks
            + "\", \"\" + ProcessHandle.current().pid()), new byte[0]); Thread.sleep(800);");
    }

    private static void awaitMark(final Path marks, final Cli.Daemon d) {
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20))
            .until(() -> Files.exists(marks.resolve(Long.toString(d.process.pid()))));
    }

    @Test
    void shouldLeaveNothingHalfDoneWhenANodeIsKilledDuringAChange() throws Exception {
        final Path marks = dir.resolve("marks1");
        final Path slow = slow("slow1", marks);
        try (Cli.Daemon d = new Cli.Daemon(dir, "--name", "d", "--join", trio.a.address)) {
            final FutureTask<Cli.Result> change = async(
                () -> Here.run(Trio.line(trio.a, "install", slow.toString())));
            awaitMark(marks, d);
            d.process.destroyForcibly();
            final Cli.Result r = change.get(60, TimeUnit.SECONDS);
            assertEquals(FAILED, r.status(), r::toString);
            assertTrue(r.err().startsWith("tutti: node d: the node is gone: ") && r.err().strip().endsWith("; nothing was changed"), r::toString);
        }
        assertEquals(List.of(), trio.held());
        trio.does("install", modules.ring("1.0.0"));
        assertEquals(List.of("ring 1.0.0 on a,b,c"), trio.held());
    }

    @Test
    void shouldLeaveNothingHalfDoneWhenTheNodeThatLeadsAChangeIsKilled() throws Exception {
        final Path marks = dir.resolve("marks2");
        final Path slow = slow("slow2", marks);
        try (Cli.Daemon d = new Cli.Daemon(dir, Map.of(), "--name", "d", "--join", trio.a.address)) {
            final FutureTask<Cli.Result> change = async(() -> Here.run(Trio.line(d, "install", slow.toString())));
            awaitMark(marks, trio.b);
            d.process.destroyForcibly();
            final Cli.Result r = change.get(60, TimeUnit.SECONDS);
            assertEquals(3, r.status(), r::toString);
        }
        assertEquals(List.of(), trio.held());
        trio.does("install", modules.ring("1.0.0"));
        assertEquals(List.of("ring 1.0.0 on a,b,c"), trio.held());
    }
}
