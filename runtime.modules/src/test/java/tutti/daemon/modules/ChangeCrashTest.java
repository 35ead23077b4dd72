package tutti.daemon.modules;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.protocol.ModuleChange;
import tutti.runtime.module.ModuleId;
import tutti.runtime.process.LogLines;

/**
 * Tests changes of modules on three nodes, of which one crashes before each step on its disk, or whose coordinator crashes before each message. When
 * the node is started again, all nodes have the old modules or all have the new ones, no change is left, and the next change is made.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ChangeCrashTest {
    private static final String FULL = "No space left on device";

    @TempDir
    private static Path bundles;
    @TempDir
    private Path dir;
    @RegisterExtension
    private final LogLines log = new LogLines("tutti.daemon.modules");
    private final Map<String, ChangeNode> nodes = new LinkedHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private static Path first;
    private static Path second;
    private static Path third;

    @BeforeAll
    static void write() throws IOException {
        // threads of nodes that have crashed end with an error
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
        first = ChangeNode.bundle(bundles, "1.0.0");
        second = ChangeNode.bundle(bundles, "1.1.0");
        third = ChangeNode.bundle(bundles, "1.2.0");
    }

    @AfterAll
    static void reset() {
        Awaitility.reset();
    }

    @BeforeEach
    void start() throws Exception {
        for (final String name : List.of("a", "b", "c")) {
            nodes.put(name, new ChangeNode(name, dir, nodes));
        }
        for (final ChangeNode n : nodes.values()) {
            n.start();
        }
    }

    @AfterEach
    void stop() throws Exception {
        for (final ChangeNode n : nodes.values()) {
            n.close();
        }
    }

    /** A change to which nodes crash, with what was and what is to be. */
    enum Kind {
        INSTALL(List.of(), List.of("1.1.0")),
        UPDATE(List.of("1.0.0"), List.of("1.1.0")),
        ROLLBACK(List.of("1.0.0"), List.of("1.1.0")),
        UNINSTALL(List.of("1.0.0"), List.of());

        private final List<String> before;
        private final List<String> after;

        Kind(final List<String> before, final List<String> after) {
            this.before = before;
            this.after = after;
        }

        private Path file() {
            return this == INSTALL || this == UPDATE ? second : null;
        }

        private ModuleChange change() throws IOException {
            return ChangeCrashTest.change(ModuleChange.Kind.valueOf(name()), file());
        }
    }

    private void setUp(final Kind kind) throws Exception {
        if (kind == Kind.ROLLBACK) {
            run(ModuleChange.Kind.INSTALL, second);
            run(ModuleChange.Kind.UPDATE, first);
        } else if (!kind.before.isEmpty()) {
            run(ModuleChange.Kind.INSTALL, first);
        }
        assertEverywhere(List.of(kind.before));
    }

    private static ModuleChange change(final ModuleChange.Kind kind, final Path file) throws IOException {
        return new ModuleChange(kind, file == null ? "probe" : null, null, file == null ? null : ChangeNode.describe(file), List.of(), false, false);
    }

    private List<ChangeParticipant> participants() {
        return nodes.values().stream().map(ChangeNode::participant).toList();
    }

    /** Leads a change to its end; returns why it failed, or null. */
    private String lead(final ModuleChange change, final Path file, final List<ChangeParticipant> participants)
        throws InterruptedException {
        return lead(change, file, participants, new CompletableFuture<>());
    }

    private String lead(final ModuleChange change, final Path file, final List<ChangeParticipant> participants, final CompletableFuture<?> withdrawn)
        throws InterruptedException {
        try {
            ChangeCoordinator.coordinate("test-" + ids.incrementAndGet(), change, file, participants, withdrawn);
            return null;
        } catch (final CallFailedException e) {
            return e.getMessage();
        } finally {
            participants.forEach(ChangeParticipant::close);
        }
    }

    private void run(final ModuleChange.Kind kind, final Path file) throws Exception {
        assertNull(lead(change(kind, file), file, participants()));
    }

    /** Asserts that soon all nodes have the same of some lists of versions, and no change that is not decided; returns which. */
    private List<String> assertEverywhere(final List<List<String>> expected) {
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).untilAsserted(() -> {
            final List<List<String>> found = nodes.values().stream().map(ChangeNode::versions).toList();
            final List<String> open =
                nodes.values().stream().map(n -> n.name + "=" + n.store().changes().unsettled()).filter(o -> !o.endsWith("=null")).toList();
            assertTrue(open.isEmpty() && found.stream().distinct().count() == 1 && expected.contains(found.getFirst()),
                () -> "versions=" + found + ", expected=" + expected + ", open=" + open);
        });
        return nodes.get("a").versions();
    }

    /** Removes all versions from the nodes, which shows that another change can be made. */
    private void tearDown() throws Exception {
        run(nodes.get("a").versions().isEmpty() ? ModuleChange.Kind.INSTALL : ModuleChange.Kind.UPDATE, third);
        assertEverywhere(List.of(List.of("1.2.0")));
        run(ModuleChange.Kind.UNINSTALL, null);
        assertEverywhere(List.of(List.of()));
    }

    private void restart(final String... names) throws Exception {
        for (final String name : names) {
            nodes.get(name).crash();
        }
        for (final String name : names) {
            nodes.get(name).start();
        }
        nodes.values().forEach(ChangeNode::wake);
    }

    /** Waits until the nodes that live have decided a change, or cannot without the others. */
    private void awaitSettled() {
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).until(() -> nodes.values().stream().filter(n -> !n.hasCrashed())
            .map(n -> n.store().changes().unsettled()).allMatch(u -> u == null || u.phase() != ChangePhase.PREPARED));
    }

    /** Lets a node fail at a step on its disk, counted from 0, and tells which one it is. */
    private static void failAt(final ChangeNode node, final int step, final StateFile.Steps failure, final CompletableFuture<String> failed) {
        final AtomicInteger steps = new AtomicInteger();
        node.steps(s -> {
            if (steps.getAndIncrement() == step) {
                failed.complete(s);
                failure.before(s);
            }
        });
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @EnumSource
    void shouldHaveOldOrNewModulesEverywhereWhereverANodeCrashes(final Kind kind) throws Exception {
        int crashes = 0;
        for (final String name : nodes.keySet()) {
            final ChangeNode node = nodes.get(name);
            CompletableFuture<String> crashed = new CompletableFuture<>();
            for (int step = 0; step == 0 || crashed.isDone(); step++) {
                setUp(kind);
                crashed = new CompletableFuture<>();
                failAt(node, step, s -> {
                    throw new ChangeNode.Crash(s);
                }, crashed);
                final String failure = lead(kind.change(), kind.file(), participants());
                node.steps(StateFile.Steps.ON_DISK);
                final String where = "kind=" + kind + ", node=" + name + ", step=" + step + " " + crashed.getNow("none");
                if (crashed.isDone()) {
                    crashes++;
                    assertNotNull(failure, where);
                    if (step % 2 == 0) {
                        awaitSettled();
                    }
                    restart(name);
                }
                final List<String> now = assertEverywhere(List.of(kind.before, kind.after));
                if (!crashed.isDone()) {
                    assertEquals(kind.after, now, where);
                } else if (failure.endsWith("nothing was changed")) {
                    assertEquals(kind.before, now, where);
                } else if (failure.contains("the change is made on the other nodes")) {
                    assertEquals(kind.after, now, where);
                }
                tearDown();
            }
        }
        assertTrue(crashes >= nodes.size() * 9, "a change has at least nine steps on each disk: crashes=" + crashes);
    }

    /** Target that lets the coordinator crash before one of its messages. */
    private record Counted(ChangeTarget target, AtomicInteger messages, int last) implements ChangeTarget {
        private void count() {
            if (messages.getAndIncrement() == last) {
                throw new ChangeNode.Crash("message " + last);
            }
        }

        @Override
        public CompletionStage<Void> reserve(final String id, final boolean force) {
            count();
            return target.reserve(id, force);
        }

        @Override
        public CompletionStage<PreparedChange> prepare(final String id, final List<String> on, final ModuleChange what, final InputStream file) {
            count();
            return target.prepare(id, on, what, file);
        }

        @Override
        public CompletionStage<Void> commit() {
            count();
            return target.commit();
        }

        @Override
        public CompletionStage<Void> finish() {
            count();
            return target.finish();
        }

        @Override
        public CompletionStage<Void> undo() {
            count();
            return target.undo();
        }
    }

    private boolean crashesAt(final Kind kind, final int message) throws Exception {
        final AtomicInteger messages = new AtomicInteger();
        final List<ChangeParticipant> counted = participants().stream()
            .map(p -> new ChangeParticipant(p.node(), new Counted(p.target(), messages, message), p.lead())).toList();
        try {
            return lead(kind.change(), kind.file(), counted) != null;
        } catch (final ChangeNode.Crash e) {
            return true;
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @EnumSource
    void shouldHaveOldOrNewModulesEverywhereWhereverTheCoordinatorCrashes(final Kind kind) throws Exception {
        final List<List<String>> outcomes = new ArrayList<>();
        for (int message = 0; message < 4 * nodes.size(); message++) {
            // it crashes alone, as on a node without a part in the change; with its own node, which comes back late or at once; with two nodes
            for (final List<String> victims : List.of(List.<String>of(), List.of("a"), List.of("b"), List.of("a", "c"))) {
                setUp(kind);
                assertTrue(crashesAt(kind, message), "message=" + message);
                for (final String victim : victims) {
                    nodes.get(victim).crash();
                }
                if (message % 2 == 0) {
                    awaitSettled();
                }
                restart(victims.toArray(String[]::new));
                outcomes.add(assertEverywhere(List.of(kind.before, kind.after)));
                tearDown();
            }
        }
        assertEquals(2, outcomes.stream().distinct().count(), "both outcomes are tested: " + outcomes);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldMakeChangesOfSeveralCoordinatorsOneAfterTheOther() throws Exception {
        run(ModuleChange.Kind.INSTALL, first);
        final List<FutureTask<String>> changes = new ArrayList<>();
        for (final List<String> on : List.of(List.of("a", "b", "c"), List.of("b", "c"), List.of("a", "c"), List.of("a", "b", "c"))) {
            final List<ChangeParticipant> participants = on.stream().map(n -> nodes.get(n).participant()).toList();
            final Path file = changes.size() % 2 == 0 ? second : third;
            final FutureTask<String> change = new FutureTask<>(() -> lead(change(ModuleChange.Kind.UPDATE, file), file, participants));
            changes.add(change);
            Thread.ofPlatform().daemon().start(change);
        }
        for (final FutureTask<String> c : changes) {
            final String failure = c.get();
            assertTrue(failure == null || failure.contains("is active already"), failure);
        }
        run(ModuleChange.Kind.UPDATE, first);
        assertEverywhere(List.of(List.of("1.0.0")));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldWaitForANodeThatDoesNotAnswerUntilItDoesOrItsLinkIsLost() throws Exception {
        for (final boolean answers : List.of(true, false)) {
            final CountDownLatch asked = new CountDownLatch(1);
            final CompletableFuture<Void> continued = new CompletableFuture<>();
            final List<ChangeParticipant> participants = participants().stream()
                .map(p -> p.node().equals("b") ? new ChangeParticipant(p.node(), new Stopped(p.target(), asked, continued), p.lead()) : p).toList();
            final FutureTask<String> change = new FutureTask<>(() -> lead(Kind.INSTALL.change(), second, participants));
            final Thread coordinator = Thread.ofPlatform().daemon().start(change);
            asked.await();
            await().atMost(Duration.ofSeconds(60)).until(() -> coordinator.getState() == Thread.State.TIMED_WAITING);
            assertEquals(List.of(), nodes.get("b").versions());
            if (answers) {
                continued.complete(null);
                assertNull(change.get());
                assertEverywhere(List.of(List.of("1.1.0")));
                run(ModuleChange.Kind.UNINSTALL, null);
            } else {
                continued.completeExceptionally(new IOException("closed"));
                assertEquals("node b: the node is gone: closed; nothing was changed", change.get());
                assertEverywhere(List.of(List.of()));
            }
        }
    }

    /** Target of a node that is stopped before it prepares a change, until a stage completes. */
    private record Stopped(ChangeTarget target, CountDownLatch asked, CompletionStage<Void> continued) implements ChangeTarget {
        @Override
        public CompletionStage<Void> reserve(final String id, final boolean force) {
            return target.reserve(id, force);
        }

        @Override
        public CompletionStage<PreparedChange> prepare(final String id, final List<String> on, final ModuleChange what, final InputStream file) {
            asked.countDown();
            return continued.thenCompose(v -> target.prepare(id, on, what, file));
        }

        @Override
        public CompletionStage<Void> commit() {
            return target.commit();
        }

        @Override
        public CompletionStage<Void> finish() {
            return target.finish();
        }

        @Override
        public CompletionStage<Void> undo() {
            return target.undo();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldUndoAChangeThatIsWithdrawnWhileANodeDoesNotAnswer() throws Exception {
        final CountDownLatch asked = new CountDownLatch(1);
        final CompletableFuture<Void> continued = new CompletableFuture<>();
        final CompletableFuture<Void> withdrawn = new CompletableFuture<>();
        final List<ChangeParticipant> participants = participants().stream()
            .map(p -> p.node().equals("b") ? new ChangeParticipant(p.node(), new Stopped(p.target(), asked, continued), p.lead()) : p).toList();
        final FutureTask<String> change = new FutureTask<>(() -> lead(Kind.INSTALL.change(), second, participants, withdrawn));
        Thread.ofPlatform().daemon().start(change);
        asked.await();
        withdrawn.complete(null);
        assertEquals("the change was withdrawn; nothing was changed", change.get());
        // which prepares it too late
        continued.complete(null);
        assertEverywhere(List.of(List.of()));
        run(ModuleChange.Kind.INSTALL, first);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldWithdrawAChangeThatWaitsForAnotherOne() throws Exception {
        final ChangeParticipant other = nodes.get("c").participant();
        other.target().reserve("other", false).toCompletableFuture().get();
        final CompletableFuture<Void> withdrawn = new CompletableFuture<>();
        final FutureTask<String> change = new FutureTask<>(() -> lead(Kind.INSTALL.change(), second, participants(), withdrawn));
        Thread.ofPlatform().daemon().start(change);
        await().atMost(Duration.ofSeconds(60)).until(() -> nodes.get("b").store().phase("test-" + ids.get()) == ChangePhase.LED);
        withdrawn.complete(null);
        assertEquals("the change was withdrawn; nothing was changed", change.get());
        other.close();
        run(ModuleChange.Kind.INSTALL, first);
        assertEverywhere(List.of(List.of("1.0.0")));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldCarryOutAChangeThatIsWithdrawnAfterItIsCommitted() throws Exception {
        final CompletableFuture<Void> withdrawn = new CompletableFuture<>();
        nodes.get("a").steps(step -> {
            if (step.startsWith("rename modules.json.reserved")) {
                withdrawn.complete(null);
            }
        });
        assertNull(lead(Kind.INSTALL.change(), second, participants(), withdrawn));
        assertTrue(withdrawn.isDone());
        assertEverywhere(List.of(List.of("1.1.0")));
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldSettleWhenAllNodesCrashTogether() throws Exception {
        for (int message = 0; message < 4 * nodes.size(); message++) {
            setUp(Kind.UPDATE);
            assertTrue(crashesAt(Kind.UPDATE, message));
            restart("a", "b", "c");
            assertEverywhere(List.of(Kind.UPDATE.before, Kind.UPDATE.after));
            tearDown();
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @EnumSource(names = {"UPDATE", "UNINSTALL"})
    void shouldChangeNothingAndNameNodeAndFileWhenADiskIsFull(final Kind kind) throws Exception {
        for (final String name : nodes.keySet()) {
            final ChangeNode node = nodes.get(name);
            CompletableFuture<String> failed = new CompletableFuture<>();
            for (int step = 0; step == 0 || failed.isDone(); step++) {
                setUp(kind);
                failed = new CompletableFuture<>();
                failAt(node, step, s -> {
                    throw new IOException(FULL);
                }, failed);
                final String failure = lead(kind.change(), kind.file(), participants());
                node.steps(StateFile.Steps.ON_DISK);
                final String where = "kind=" + kind + ", node=" + name + ", step=" + step + " " + failed.getNow("none") + ", failure=" + failure;
                final List<String> now = assertEverywhere(List.of(kind.before, kind.after));
                if (failed.getNow("none").startsWith("write")) {
                    assertNotNull(failure, where);
                    assertTrue(failure.startsWith("node " + name + ": state of the modules cannot be written: file="
                        + dir.resolve(name).resolve("modules.json")) && failure.endsWith(FULL + "; nothing was changed"), where);
                    assertEquals(kind.before, now, where);
                } else if (failure == null) {
                    assertEquals(kind.after, now, where);
                }
                tearDown();
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldServeTheOldModulesWhileAFullDiskKeepsAnUndoneChange() throws Exception {
        setUp(Kind.UPDATE);
        // node b prepares, then its disk is full; node c refuses
        final AtomicInteger writes = new AtomicInteger();
        nodes.get("b").steps(s -> {
            if (s.startsWith("write") && writes.getAndIncrement() >= 3) {
                throw new IOException(FULL);
            }
        });
        nodes.get("c").steps(s -> {
            throw new IOException(FULL);
        });
        final String failure = lead(Kind.UPDATE.change(), second, participants());
        assertTrue(failure.startsWith("node c: ") && failure.endsWith("nothing was changed"), failure);
        nodes.get("c").steps(StateFile.Steps.ON_DISK);
        await().atMost(Duration.ofSeconds(60)).until(() -> writes.get() > 5);
        assertEquals(List.of("1.0.0"), nodes.get("b").versions());
        assertNotNull(nodes.get("b").store().changes().unsettled());
        final String line =
            "change test-\\d+ of modules cannot be settled yet: state of the modules cannot be written: file=" + dir.resolve("b") + ".*";
        await().atMost(Duration.ofSeconds(60)).until(() -> log.lines().stream().anyMatch(l -> l.matches(line)));
        nodes.get("b").steps(StateFile.Steps.ON_DISK);
        assertEverywhere(List.of(List.of("1.0.0")));
        tearDown();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldLetForceDecideAChangeWhoseOtherNodesDoNotComeBack() throws Exception {
        for (int message = 2 * nodes.size(); message < 4 * nodes.size(); message += 4) {
            setUp(Kind.UPDATE);
            assertTrue(crashesAt(Kind.UPDATE, message));
            nodes.get("a").crash();
            nodes.get("c").crash();
            final ChangeNode b = nodes.get("b");
            final ModuleChange change = change(ModuleChange.Kind.UPDATE, third);
            final String refusal = lead(change, third, List.of(b.participant()));
            if (refusal != null) {
                assertTrue(
                    refusal.startsWith("node b: change test-") && refusal.contains("is not decided, since too few of its nodes answer: nodes=a,b,c")
                        && refusal.contains("--force"),
                    refusal);
                assertNull(lead(new ModuleChange(change.kind(), null, null, change.file(), List.of(), false, true), third, List.of(b.participant())));
            }
            assertEquals(List.of("1.2.0"), b.versions());
            nodes.get("a").start();
            nodes.get("c").start();
            await().atMost(Duration.ofSeconds(60)).until(() -> nodes.values().stream().noneMatch(n -> n.store().isUnsettled()));
            run(ModuleChange.Kind.INSTALL, third);
            tearDown();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldKeepNoFilesOfChangesThatAreOver() throws Exception {
        setUp(Kind.UPDATE);
        run(ModuleChange.Kind.UPDATE, second);
        tearDown();
        for (final ChangeNode n : nodes.values()) {
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                try (Stream<Path> files = Files.list(dir.resolve(n.name))) {
                    // that of the version that a rollback restores
                    assertEquals(2, files.count());
                }
            });
        }
    }

    private void assertOnTrial(final boolean isOnTrial) {
        for (final ChangeNode n : nodes.values()) {
            final ModuleId tried = n.modules().stream().filter(m -> m.version().toString().equals("1.1.0")).findFirst().orElseThrow();
            assertEquals(isOnTrial ? Quarantine.ON_TRIAL : null, n.store().quarantine().reason(tried), n.name);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldKeepAModuleOnTrialInQuarantineUntilItReplacesTheOneBeforeOrIsDropped() throws Exception {
        assertEquals("no version of module probe is installed: use install", lead(change(ModuleChange.Kind.TRY, second), second, participants())
            .replaceFirst("^nodes? [a-c, ]*: ", "").replaceFirst("; nothing was changed$", ""));
        run(ModuleChange.Kind.INSTALL, first);
        run(ModuleChange.Kind.TRY, second);
        assertEverywhere(List.of(List.of("1.0.0", "1.1.0")));
        assertOnTrial(true);
        final ModuleChange drop = new ModuleChange(ModuleChange.Kind.DROP, "probe", "1.1.0", null, List.of(), false, false);
        assertNull(lead(drop, null, participants()));
        assertEverywhere(List.of(List.of("1.0.0")));
        final String refused = lead(change(ModuleChange.Kind.ROLLBACK, null), null, participants());
        assertTrue(refused != null && refused.contains("no earlier version of module probe is kept"), refused);
        // as after a trial whose end did not reach the node
        run(ModuleChange.Kind.TRY, second);
        final String again = lead(change(ModuleChange.Kind.UPDATE, second), second, participants());
        assertTrue(again != null && again.contains("is quarantined: " + Quarantine.ON_TRIAL), again);
        assertNull(lead(new ModuleChange(ModuleChange.Kind.UPDATE, null, null, ChangeNode.describe(second), List.of(), false, true), second,
            participants()));
        assertEverywhere(List.of(List.of("1.1.0")));
        assertOnTrial(false);
        final String used = lead(change(ModuleChange.Kind.TRY, second), second, participants());
        assertTrue(used != null && used.contains("is in use already"), used);
        tearDown();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldSayWhichFileOfAModuleCannotBeDeleted() throws Exception {
        setUp(Kind.UPDATE);
        final Path file;
        try (Stream<Path> files = Files.list(dir.resolve("b"))) {
            file = files.filter(f -> f.toString().endsWith(".jar")).findAny().orElseThrow();
        }
        Files.delete(file);
        Files.createDirectories(file.resolve("full"));
        run(ModuleChange.Kind.UPDATE, second);
        tearDown();
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> log.assertLine("file of a module cannot be deleted: " + file));
    }
}
