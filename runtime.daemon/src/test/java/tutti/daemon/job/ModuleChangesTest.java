package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.osgi.framework.Version;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.modules.ModuleOffers;
import tutti.daemon.monitor.LiveChange;
import tutti.daemon.monitor.LiveChange.Outcome;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.Preparation;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.model.LossMode;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.CanaryTerms;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of the changes of modules of a job with parts on the nodes a and b, to which its coordinator has links. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ModuleChangesTest {
    private static final NodeInfo ME = new NodeInfo("me", "1", "127.0.0.1", 1, 1, "25", 1, 0);
    private static final ModuleId BASIC = new ModuleId("basic", new Version(1, 0, 0), "b");
    private static final ModuleId OLD = new ModuleId("tree", new Version(1, 0, 0), "t");
    private static final ModuleId NEW = new ModuleId("tree", new Version(1, 1, 0), "u");
    private static final CanaryTerms TRIAL = new CanaryTerms(NEW, 0.05, 0.03);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final MinaTransport transport = new MinaTransport();
    private final ScriptedNode a = new ScriptedNode();
    private final ScriptedNode b = new ScriptedNode();
    private final JobParts parts = new JobParts("job", "me", 0);
    private final BlockingQueue<String> printed = new LinkedBlockingQueue<>();
    private final AtomicInteger counted = new AtomicInteger();
    private final ModuleChanges changes = new ModuleChanges("job", parts,
        new JobAgreementResolver(m -> m.equals(OLD) ? List.of(parameter("k", "2"))
            : m.equals(NEW) ? List.of(parameter("k", "4"), parameter("depth", "3")) : List.of(), new NoOffers(), null),
        printed::add, () -> counted.incrementAndGet());

    /** Offers that nobody knows. */
    private static final class NoOffers implements ModuleOffers {
        @Override
        public Set<String> operations(final ModuleId module) {
            return Set.of();
        }

        @Override
        public SortedMap<String, List<String>> algorithms(final ModuleId module, final Map<String, String> parameters) {
            return new TreeMap<>();
        }
    }

    /** Coordinator that looks at the ends of parts alone. */
    private final class Coordinator implements CoordinatedPart.Coordinator {
        @Override
        public void add(final JobEvent event) {
            parts.add(event);
        }

        @Override
        public CompletionStage<byte[]> input() {
            return CompletableFuture.completedStage(new byte[0]);
        }

        @Override
        public void tuned(final List<CallTuning> found) {
            // nothing is tuned
        }

        @Override
        public void tried(final CanaryReport report) {
            // nothing is tried
        }

        @Override
        public void checkpointed(final CheckpointReport report) {
            throw new AssertionError("nothing is saved");
        }

        @Override
        public void print(final OutputPiece piece) {
            throw new AssertionError("nobody prints");
        }

        @Override
        public void keep(final InterceptorReport.Piece piece) {
            throw new AssertionError("nobody reports");
        }
    }

    private static Parameter parameter(final String name, final String value) {
        return new Parameter("coll.tree." + name, value, v -> v.matches("\\d") ? null : "not a digit");
    }

    @BeforeEach
    void link() throws IOException {
        int self = 0;
        final List<NodeAddress> nodes = List.of(a.listen("a"), b.listen("b"));
        parts.place(new Placement(nodes, List.of(0, 1)), 2, nodes.stream()
            .map(n -> new NodeInfo(n.name(), "1", n.host(), n.port(), 1, "25", 1, 0)).toList());
        for (final NodeAddress node : nodes) {
            final Preparation order = new Preparation("job", new byte[32], List.of("tcp"), List.of("a", "b"), List.of(0, 1), self++,
                List.of(new JobProgram("M", List.of(), 2)), List.of(), null, Map.of(), null, null, null);
            parts.add(CoordinatedPart.there(new Coordinator(), order, List.of(), node, ME, transport));
        }
        offer(new Catalogue(2, List.of(BASIC, NEW)));
    }

    @AfterEach
    void close() {
        changes.end();
        transport.close();
        a.close();
        b.close();
    }

    private void offer(final Catalogue catalogue) {
        a.part().offer(catalogue);
        b.part().offer(catalogue);
    }

    /** Begins a job with some parameters of the user, whose nodes have basic and tree 1.0.0. */
    private void begin(final String... given) {
        final Map<String, Catalogue> nodes = new LinkedHashMap<>();
        List.of("a", "b").forEach(n -> nodes.put(n, new Catalogue(1, List.of(BASIC, OLD))));
        final Map<String, String> parameters = new TreeMap<>(Map.of("coll.tree.k", "2"));
        final Map<String, String> ofUser = new TreeMap<>();
        for (final String g : given) {
            ofUser.put(g.substring(0, g.indexOf('=')), g.substring(g.indexOf('=') + 1));
        }
        parameters.putAll(ofUser);
        changes.begin(AgreedModules.between(nodes).with(parameters, ofUser.keySet(), RuleTable.NONE));
    }

    private LiveChange follow(final String module) throws Exception {
        return get(changes.follow(module, LIMIT));
    }

    private static <T> T get(final CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private void steps(final String... expected) throws InterruptedException {
        for (final ScriptedNode node : List.of(a, b)) {
            for (final String step : expected) {
                assertEquals(step, node.part().steps().poll(60, TimeUnit.SECONDS));
            }
        }
    }

    private void noMoreSteps() {
        assertTrue(a.part().steps().isEmpty());
        assertTrue(b.part().steps().isEmpty());
    }

    private static CompletableFuture<Void> refusal(final String text) {
        return CompletableFuture.failedFuture(new CallFailedException(1, text));
    }

    private static String without(final LiveChange change) {
        return change.text().replaceFirst("\\d+ ms", "N ms");
    }

    @Test
    void shouldTakeTheModuleThatTheNodesOfferNowWithTheDefaultsOfItsNewParameters() throws Exception {
        begin("coll.live=follow");
        assertEquals("job job uses tree 1.1.0 (u) from now on: change 1, N ms", without(follow("tree")));
        steps("lease 1", "agree 1", "change 1");
        assertEquals(List.of(BASIC, NEW), changes.modules());
        assertEquals(1, changes.changes());
        assertEquals(Map.of("coll.live", "follow", "coll.tree.k", "2", "coll.tree.depth", "3"), a.part().next().parameters());
        assertEquals(Set.of("coll.live"), b.part().next().given());
        assertEquals("job job goes on with tree 1.1.0 (u): its nodes agree on no other", follow("tree").text());
        steps("lease 2", "abandon 2");
        assertEquals(1, changes.changes());
        assertEquals(1, counted.get());
        noMoreSteps();
    }

    @Test
    void shouldGoOnWithoutAModuleThatTheNodesDoNotHaveAnyMore() throws Exception {
        begin("coll.live=follow");
        offer(new Catalogue(2, List.of(BASIC)));
        assertEquals("job job goes on without tree from now on: change 1, N ms", without(follow("tree")));
        assertEquals(List.of(BASIC), changes.modules());
    }

    @Test
    void shouldCarryOutOrdersThatCameBeforeTheRanksRun() throws Exception {
        final CompletionStage<LiveChange> order = changes.follow("tree", LIMIT);
        begin("coll.live=follow");
        assertEquals(Outcome.DONE, get(order).outcome());
    }

    @Test
    void shouldMakeOneChangeAfterTheOther() throws Exception {
        begin("coll.live=follow");
        final CompletableFuture<Void> changed = new CompletableFuture<>();
        b.part().change(changed);
        final CompletionStage<LiveChange> first = changes.follow("tree", LIMIT);
        final CompletionStage<LiveChange> second = changes.follow("tree", LIMIT);
        steps("lease 1", "agree 1", "change 1");
        noMoreSteps();
        changed.complete(null);
        assertEquals(1, get(first).number());
        assertEquals(Outcome.UNCHANGED, get(second).outcome());
        steps("lease 2", "abandon 2");
    }

    @Test
    void shouldAnswerWithinTheLimitWhileCommunicatorsHaveNoCalls() throws Exception {
        begin("coll.live=follow");
        b.part().change(new CompletableFuture<>());
        final CompletionStage<LiveChange> first = changes.follow("tree", Duration.ofSeconds(2));
        steps("lease 1", "agree 1", "change 1");
        assertEquals("job job uses tree 1.1.0 (u) from the next calls of each communicator on: change 1; not all had one within N ms",
            without(get(first)));
        assertEquals("job job keeps tree 1.1.0 (u): its ranks have not started, or an earlier change of it is not complete; try again",
            get(changes.follow("tree", Duration.ofMillis(1))).text());
        assertEquals(List.of(BASIC, NEW), changes.modules());
    }

    @Test
    void shouldAbandonTheChangeOnAllNodesWhenOneRefusesIt() throws Exception {
        begin("coll.live=follow");
        b.part().agree(refusal("module is not leased: tree 1.1.0"));
        assertEquals("job job keeps tree 1.0.0 (t): node b: module is not leased: tree 1.1.0", follow("tree").text());
        steps("lease 1", "agree 1", "abandon 1");
        a.part().lease(CompletableFuture.failedFuture(new CallFailedException(1, "no space left")));
        assertEquals("job job keeps tree 1.0.0 (t): node a: no space left", follow("tree").text());
        steps("lease 2", "abandon 2");
        assertEquals(List.of(BASIC, OLD), changes.modules());
        assertEquals(0, changes.changes());
        noMoreSteps();
    }

    @Test
    void shouldKeepModulesWithWhichTheJobCannotGoOnAsTheUserWantedIt() throws Exception {
        begin("coll.live=follow", "coll.bcast=tree", "coll.tree.k=x");
        assertEquals("job job keeps tree 1.0.0 (t): bad value: coll.tree.k=x: not a digit", follow("tree").text());
        offer(new Catalogue(2, List.of()));
        assertEquals("job job keeps tree 1.0.0 (t): module tree was requested by coll.bcast, but the nodes do not agree on it: no node has a module",
            follow("tree").text());
        assertEquals("job job keeps basic 1.0.0 (b): every job needs module basic, on which its nodes do not agree any more: no node has a module",
            follow("basic").text());
        assertEquals("job job goes on without intercept.x: interceptors of a job that runs are not changed", follow("intercept.x").text());
        steps("lease 1", "abandon 1", "lease 2", "abandon 2", "lease 3", "abandon 3", "lease 4", "abandon 4");
    }

    @Test
    void shouldFollowOnlyWhereTheUserWantsIt() throws Exception {
        begin();
        assertEquals("job job keeps its modules: coll.live=quarantine; start it with -p coll.live=follow", follow("tree").text());
        noMoreSteps();
    }

    @Test
    void shouldLeaveAModuleInQuarantine() throws Exception {
        begin();
        changes.quarantined(new QuarantinedModule(OLD, "bcast/tree: wrong", 1));
        assertEquals("tutti: module tree 1.0.0 is quarantined, and this job goes on without it (change 1): bcast/tree: wrong",
            printed.poll(60, TimeUnit.SECONDS));
        steps("lease 1", "agree 1", "change 1");
        assertNull(b.part().next().module("tree"));
        changes.quarantined(new QuarantinedModule(OLD, "bcast/tree: wrong", 1));
        changes.quarantined(new QuarantinedModule(NEW, "bcast/tree: wrong", 1));
        changes.quarantined(new QuarantinedModule(BASIC, "scan/x: wrong", 1));
        assertEquals("tutti: module basic 1.0.0 is quarantined, and this job goes on without it (change 2): scan/x: wrong",
            printed.poll(60, TimeUnit.SECONDS), "it does not use the others");
    }

    @Test
    void shouldSayThatAJobCannotLeaveAModuleInQuarantine() throws Exception {
        begin();
        a.part().agree(refusal("no"));
        changes.quarantined(new QuarantinedModule(OLD, "wrong", 1));
        assertEquals("tutti: module tree 1.0.0 is quarantined, which this job may use: wrong; it keeps it: node a: no",
            printed.poll(60, TimeUnit.SECONDS));
        steps("lease 1", "agree 1", "abandon 1");
    }

    @Test
    void shouldTellAJobThatDoesNotChangeOfAModuleInQuarantine() throws Exception {
        begin("coll.live=off");
        changes.quarantined(new QuarantinedModule(OLD, "wrong", 1));
        assertEquals("tutti: module tree 1.0.0 is quarantined, which this job may use: wrong", printed.poll(60, TimeUnit.SECONDS));
        noMoreSteps();
    }

    @Test
    void shouldLeaveOutWhatIsInQuarantineOnSomeNodeWhenItFollows() throws Exception {
        begin("coll.live=follow");
        b.part().offer(new Catalogue(2, List.of(BASIC, OLD, NEW), List.of(new QuarantinedModule(NEW, "wrong", 1))));
        a.part().offer(new Catalogue(2, List.of(BASIC, OLD, NEW)));
        assertEquals(Outcome.UNCHANGED, follow("tree").outcome());
    }

    private static Catalogue onTrial() {
        return new Catalogue(2, List.of(BASIC, OLD, NEW), List.of(new QuarantinedModule(NEW, "running jobs try it", 1)));
    }

    private static CanaryReport report(final int change, final CanaryReport.Verdict verdict) {
        return CanaryReport.of("MPI_COMM_WORLD", 2, change, verdict, "");
    }

    @Test
    void shouldTryAModuleBesideTheOneThatServesUntilItFollowsWhatTheNodesOffer() throws Exception {
        begin("coll.live=follow");
        final CompletableFuture<Void> changed = new CompletableFuture<>();
        b.part().change(changed);
        offer(onTrial());
        final CompletionStage<LiveChange> begun = changes.begin(TRIAL, LIMIT);
        steps("lease 1", "agree 1", "change 1");
        final AgreedModules agreed = b.part().next();
        assertEquals(TRIAL, agreed.canary());
        assertEquals(List.of(BASIC, OLD), agreed.modules());
        assertEquals(List.of(BASIC, NEW), agreed.candidate().modules());
        assertEquals(Set.of(BASIC, OLD, NEW), Set.copyOf(agreed.keptOn(1)), "each node keeps both");
        changes.tried(report(0, CanaryReport.Verdict.WRONG));
        assertFalse(changes.trial().isDecided(), "that is of an earlier trial");
        for (int i = 0; i < 4; i++) {
            changes.tried(report(1, CanaryReport.Verdict.RUNNING));
        }
        changed.complete(null);
        assertEquals("job job goes on with tree 1.0.0 (t) and tries the other: change 1", get(begun).text());
        changes.tried(report(1, CanaryReport.Verdict.ABANDONED));
        assertFalse(changes.trial().isDecided());
        changes.tried(report(1, CanaryReport.Verdict.EQUAL));
        assertTrue(changes.trial().isPromotable());
        changes.tried(report(1, CanaryReport.Verdict.SLOW));
        assertFalse(changes.trial().isPromotable(), "one communicator refuses it");
        offer(new Catalogue(2, List.of(BASIC, OLD)));
        assertEquals("job job uses tree 1.0.0 (t) from now on: change 2, N ms", without(follow("tree")));
        assertNull(b.part().next().canary());
        assertTrue(changes.trial().isOver());
        assertEquals(3, changes.trial().reports().size());
    }

    @Test
    void shouldEndATrialThatAllCommunicatorsHaveAbandoned() throws Exception {
        begin("coll.live=follow");
        offer(onTrial());
        final CompletableFuture<Void> changed = new CompletableFuture<>();
        b.part().change(changed);
        final CompletionStage<LiveChange> begun = changes.begin(TRIAL, LIMIT);
        steps("lease 1", "agree 1", "change 1");
        changes.tried(report(1, CanaryReport.Verdict.RUNNING));
        changes.tried(report(1, CanaryReport.Verdict.ABANDONED));
        assertFalse(changes.trial().isOver(), "others may begin it");
        changes.tried(report(1, CanaryReport.Verdict.RUNNING));
        changed.complete(null);
        get(begun);
        assertFalse(changes.trial().isDecided());
        assertEquals("tree 1.1.0", changes.tries());
        changes.tried(new CanaryReport("MPI_COMM_WORLD", 2, 1, CanaryReport.Verdict.RUNNING, "", List.of(
            new CanaryReport.CanaryClass("bcast", 8, 30, 5, 0, 0, 1.25, 1, 2, null),
            new CanaryReport.CanaryClass("barrier", 0, 9, 2, 0, 0, Double.NaN,
                Double.NaN, Double.NaN, null)),
            null, 7, 1, 2));
        assertEquals("tree 1.1.0 (7 calls compared, 0 different, 1.25 to 1.25 times the time)", changes.tries());
        assertFalse(changes.trial().isDecided());
        changes.tried(report(1, CanaryReport.Verdict.ABANDONED));
        assertTrue(changes.trial().isDecided());
        assertFalse(changes.trial().isPromotable());
        assertEquals("", changes.tries());
    }

    @Test
    void shouldGoOnTryingWhenAnotherModuleChanges() throws Exception {
        begin("coll.live=follow");
        offer(onTrial());
        get(changes.begin(TRIAL, LIMIT));
        changes.quarantined(new QuarantinedModule(OLD, "wrong", 1));
        assertEquals("tutti: module tree 1.0.0 is quarantined, and this job goes on without it (change 2): wrong",
            printed.poll(60, TimeUnit.SECONDS));
        assertEquals(TRIAL, a.part().next().canary());
        assertEquals(List.of(BASIC), a.part().next().modules());
        assertEquals("tree 1.0.0", changes.trial().served());
    }

    @Test
    void shouldRefuseATrialOfAModuleThatANodeLacks() throws Exception {
        begin("coll.live=follow");
        a.part().offer(onTrial());
        b.part().offer(new Catalogue(1, List.of(BASIC, OLD)));
        assertEquals("job job keeps tree 1.0.0 (t): tree 1.1.0 cannot be tried: missing on node b", get(changes.begin(TRIAL, LIMIT)).text());
        steps("lease 1", "abandon 1");
        assertNull(changes.trial());
        noMoreSteps();
    }

    @Test
    void shouldGoOnWithoutAPartThatEndsMeanwhile() throws Exception {
        begin("coll.live=follow");
        b.part().agree(new CompletableFuture<>());
        final CompletionStage<LiveChange> order = changes.follow("tree", LIMIT);
        steps("lease 1", "agree 1");
        parts.all().getLast().markEnded();
        assertEquals(Outcome.DONE, get(order).outcome());
        assertEquals("change 1", a.part().steps().poll(60, TimeUnit.SECONDS));
        noMoreSteps();
        offer(new Catalogue(2, List.of(BASIC, OLD)));
        assertEquals(OLD, follow("tree").after(), "the node of the part that has ended counts as a holder");
        assertTrue(b.part().steps().isEmpty());
    }

    @Test
    void shouldEndWithTheJob() throws Exception {
        begin("coll.live=follow");
        final CompletableFuture<Catalogue> leased = new CompletableFuture<>();
        b.part().lease(leased);
        final CompletionStage<LiveChange> running = changes.follow("tree", LIMIT);
        final CompletionStage<LiveChange> waiting = changes.follow("tree", LIMIT);
        steps("lease 1");
        assertFalse(running.toCompletableFuture().isDone());
        changes.end();
        assertEquals("job job has ended", get(running).text());
        assertEquals("job job has ended", get(waiting).text());
        assertEquals(Outcome.ENDED, follow("tree").outcome());
    }

    /** Goes on without ranks that fail. */
    private void reportLosses() {
        parts.losses().begin(LossMode.REPORT, () -> {
            // no checkpoints
        }, printed::add);
    }

    /** Closes the link to node b, and has the coordinator apply the loss. */
    private void loseNodeB() throws Exception {
        b.close();
        while (!parts.all().getLast().isEnded()) {
            parts.next(Long.MAX_VALUE);
        }
        parts.losses().tell(true);
    }

    @Test
    void shouldCompleteAChangeWithoutANodeThatIsLostAfterAllHaveAccepted() throws Exception {
        reportLosses();
        begin("coll.live=follow");
        final CompletableFuture<Void> changed = new CompletableFuture<>();
        a.part().change(changed);
        b.part().change(new CompletableFuture<>());
        final CompletionStage<LiveChange> followed = changes.follow("tree", LIMIT);
        steps("lease 1", "agree 1", "change 1");
        loseNodeB();
        assertTrue(printed.remove().endsWith(": rank 1 has failed, the job goes on with 1 rank"));
        assertTrue(a.part().steps().poll(60, TimeUnit.SECONDS).startsWith("lose [1]: node b was lost: "));
        changed.complete(null);
        assertEquals(Outcome.DONE, get(followed).outcome());
        noMoreSteps();
    }

    @Test
    void shouldCompleteAChangeThatANodeCannotMakeSinceItsRanksHaveFailed() throws Exception {
        reportLosses();
        begin("coll.live=follow");
        b.part().change(refusal("a rank has failed"));
        assertEquals(Outcome.DONE, follow("tree").outcome());
        steps("lease 1", "agree 1", "change 1");
        noMoreSteps();
    }

    @Test
    void shouldMakeAChangeWithTheNodesThatAreLeftWhenOneIsLostBeforeItLeases() throws Exception {
        reportLosses();
        begin("coll.live=follow");
        b.part().lease(new CompletableFuture<>());
        final CompletionStage<LiveChange> followed = changes.follow("tree", LIMIT);
        steps("lease 1");
        loseNodeB();
        assertEquals(Outcome.DONE, get(followed).outcome());
        assertEquals(List.of(BASIC, NEW), changes.modules());
    }
}
