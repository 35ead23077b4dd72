package tutti.daemon.part;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.checkpoints.Restart;
import tutti.daemon.control.OneModule;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.part.RecordingListener.Report;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.PlanProver;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.process.owner.RankOutcome;

/** Tests of a part of a job in this JVM and the calls of its coordinator, over a scripted host. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LocalPartTest {
    private static final HostPort ADDRESS = new HostPort("h", 1);
    private static final PreparedPart PREPARED = new PreparedPart(new OneModule().catalogue(), List.of("tcp"), List.of(Endpoint.tcp("h", 1)));
    private static final AgreedModules NOTHING = new AgreedModules(List.of(), List.of(), Map.of(), Set.of(), RuleTable.NONE);
    private static final List<NodeAddress> NODES = List.of(new NodeAddress("a", "h", 1));
    private static final AgreedJob AGREED = new AgreedJob(NOTHING, NODES.stream().map(NodeEndpoints::tcp).toList(), List.of(), NODES);

    @TempDir
    private Path dir;
    private final ScriptedHost host = new ScriptedHost();
    private final RecordingListener listener = new RecordingListener();
    private final JobSpec spec = new JobSpec("job", new byte[32], List.of("a"), List.of(0, 0), 0, "M", List.of(), List.of());
    private Path folder;
    private final TransportRegistry registry = new TransportRegistry();
    private final JobTransports transports =
        new JobTransports(registry, UnaryOperator.identity(), new TestTransport(), new TestTransport(), ADDRESS, InetAddress.getLoopbackAddress(),
            host.acceptor(), host.acceptor());
    private final Support support = new Support();
    private LocalPart part;

    /** What the part finds on its node. */
    private static final class Support implements PartSupport {
        private final List<JobServices> made = new ArrayList<>();
        private final List<JobPart> ended = new ArrayList<>();
        private volatile IOException failure;

        @Override
        public int maxRanks() {
            return 7;
        }

        @Override
        public JobCheckpoints openCheckpoints(final JobSpec of, final Restart restart) throws IOException {
            if (failure != null) {
                throw failure;
            }
            return null;
        }

        @Override
        public List<String> switches() {
            return List.of("rack1");
        }

        @Override
        public JobServices services(final LocalPart of, final AgreedJob job) {
            made.add(
                new JobServices(new PartServices(of, new PublishedNames("a", name -> Map.of()), job.agreement()), of.transports(new TestTransport()),
                    job.reached(), job.localities(), 1, PlanProver.NONE, CheckpointStorage.NONE));
            return made.getLast();
        }

        @Override
        public void ended(final JobPart of) {
            ended.add(of);
        }

        @Override
        public JobSpawner spawner() {
            return (request, parent, owner, agreement, client) -> {
                throw new IOException("ranks of a test spawn nothing");
            };
        }
    }

    @BeforeEach
    void make() throws IOException {
        folder = Files.createDirectories(dir.resolve("part"));
        Files.write(folder.resolve("0.jar"), new byte[1]);
        part = new LocalPart(listener, new PartOutput(), support, host, transports, folder);
    }

    private static Preparation order(final String... transports) {
        return new Preparation("job", new byte[32], List.of(transports), List.of("a", "b"), List.of(0, 1), 0, List.of(), List.of(), null, Map.of(),
            null, null,
            null);
    }

    private ScriptedHost.Job prepared() throws Exception {
        assertEquals(PREPARED.at(NodeLocality.UNKNOWN.with(List.of("rack1"))), part.prepare(order("tcp"), spec));
        return host.next();
    }

    private void failsToPrepare(final JobSpec of, final String transport, final int status, final String text) {
        final CallFailedException e = assertThrows(CallFailedException.class, () -> part.prepare(order(transport), of));
        assertEquals(text, e.getMessage());
        assertEquals(status, e.status());
    }

    private static void succeeds(final CompletionStage<?> call) throws Exception {
        call.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static void fails(final CompletionStage<?> call, final int status, final String text) {
        final CallFailedException e = assertInstanceOf(CallFailedException.class,
            assertThrows(ExecutionException.class, () -> succeeds(call)).getCause());
        assertEquals(text, e.getMessage());
        assertEquals(status, e.status());
    }

    /** Checks that both ranks were cancelled, and the part has ended and left nothing. */
    private void awaitCancelled() throws InterruptedException {
        assertEquals(RankOutcome.Kind.CANCELLED, listener.next(Report.RankEnded.class).end().kind());
        assertEquals(RankOutcome.Kind.CANCELLED, listener.next(Report.RankEnded.class).end().kind());
        listener.awaitEnd();
        assertFalse(Files.exists(folder));
        assertTrue(listener.isEmpty());
    }

    /** Checks that the part has ended and left nothing; the coordinator learns from its call that it cannot connect. */
    private void awaitUnconnected() throws InterruptedException {
        assertEquals(new Report.OutputEnded(), listener.next());
        assertFalse(Files.exists(folder));
        assertTrue(listener.isEmpty());
    }

    @Test
    void shouldPassTheInputThatRankZeroRequests() throws Exception {
        final ScriptedHost.Job job = prepared();
        job.listener().inputWanted();
        assertEquals(1, listener.inputWanted());
        listener.provided().complete(new byte[] {1, 2});
        assertArrayEquals(new byte[] {1, 2}, job.input().poll(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldEndTheInputWhenTheCoordinatorCannotProvideIt() throws Exception {
        final ScriptedHost.Job job = prepared();
        job.listener().inputWanted();
        listener.provided().completeExceptionally(new IOException("closed"));
        assertArrayEquals(new byte[0], job.input().poll(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldPassWhatRanksPrintInItsOrderBeforeTheirEnds() throws Exception {
        final ScriptedHost.Job job = prepared();
        job.listener().output(1, true, "x\n".getBytes(StandardCharsets.UTF_8));
        job.listener().output(1, false, "y\n".getBytes(StandardCharsets.UTF_8));
        job.endWell();
        assertEquals("x\n", listener.next(Report.Put.class).text());
        assertEquals("y\n", listener.next(Report.Put.class).text());
        listener.next(Report.RankEnded.class);
        listener.next(Report.RankEnded.class);
        listener.awaitEnd();
    }

    @Test
    void shouldRefuseMoreRanksThanTheNodeAllows() throws Exception {
        failsToPrepare(new JobSpec("job", new byte[32], List.of("a"), Collections.nCopies(8, 0), 0, "M", List.of(), List.of()), "tcp",
            ExitStatus.FAILED, "too many ranks: ranks=8, max=7, limit=tutti.node.ranks; start fewer, use more nodes, or raise the limit in the "
                + "node's configuration");
        assertTrue(Files.notExists(folder));
        assertEquals(new Report.OutputEnded(), listener.next());
    }

    @Test
    void shouldGoThroughItsPhasesAndLeaveNothing() throws Exception {
        final ScriptedHost.Job job = prepared();
        final CompletionStage<Void> connected = part.connect(AGREED);
        assertSame(support.made.getFirst(), job.services());
        job.connected().complete(null);
        succeeds(connected);
        assertFalse(job.isStarted());
        part.start();
        job.awaitStart();
        job.end(1, new RankOutcome(RankOutcome.Kind.RETURNED, 0, ""));
        assertEquals(new Report.RankEnded(1, new RankOutcome(RankOutcome.Kind.RETURNED, 0, "")), listener.next());
        assertTrue(Files.exists(folder));
        job.end(0, new RankOutcome(RankOutcome.Kind.EXITED, 3, "x".repeat(Protocol.MAX_TEXT + 7)));
        assertEquals(new Report.RankEnded(0, new RankOutcome(RankOutcome.Kind.EXITED, 3, "x".repeat(Protocol.MAX_TEXT) + "... (7 more characters)")),
            listener.next());
        listener.awaitEnd();
        assertFalse(Files.exists(folder));
        assertEquals(List.of(part), support.ended);
        assertTrue(listener.isEmpty());
    }

    @Test
    void shouldEndAlthoughTheCoordinatorDoesNotReadWhatItPutsOut() throws Exception {
        final Runnable read = listener.hold();
        final ScriptedHost.Job job = prepared();
        job.listener().output(1, false, new byte[Protocol.OUTPUT]);
        job.endWell();
        assertFalse(Files.exists(folder));
        assertTrue(listener.isEmpty());
        read.run();
        int bytes = 0;
        while (bytes < Protocol.OUTPUT) {
            bytes += listener.next(Report.Put.class).piece().bytes().length;
        }
        listener.next(Report.RankEnded.class);
        listener.next(Report.RankEnded.class);
        listener.awaitEnd();
    }

    @Test
    void shouldFailWithTheReasonAndLeaveNothingWhenItCannotBePrepared() throws Exception {
        host.failToPrepare(new IOException("zip file is empty\n at line 7"));
        failsToPrepare(spec, "tcp", ExitStatus.FAILED, "zip file is empty");
        assertFalse(Files.exists(folder));
        assertEquals(new Report.OutputEnded(), listener.next());
        part.cancel("the other nodes wait for nobody");
        assertTrue(listener.isEmpty());
    }

    @Test
    void shouldFailWhenTheStatesOfItsRanksCannotBeFetched() throws Exception {
        support.failure = new IOException("no copy of checkpoint 3");
        failsToPrepare(spec, "tcp", ExitStatus.FAILED, "no copy of checkpoint 3");
        assertTrue(host.isEmpty());
        assertFalse(Files.exists(folder));
        assertEquals(new Report.OutputEnded(), listener.next());
    }

    @Test
    void shouldEndWithoutBeingStartedWhenCancelledBeforeItIsPrepared() throws Exception {
        part.cancel("no longer wanted");
        failsToPrepare(spec, "tcp", ExitStatus.CANCELLED, "the part was cancelled");
        final ScriptedHost.Job job = host.next();
        assertEquals("no longer wanted", job.cancelled().get(60, TimeUnit.SECONDS));
        assertFalse(job.isStarted());
        awaitCancelled();
    }

    @Test
    void shouldEndWithoutBeingStartedWhenCancelledWhileItIsPrepared() throws Exception {
        final Runnable open = host.hold();
        final FutureTask<PreparedPart> preparing = new FutureTask<>(() -> part.prepare(order("tcp"), spec));
        Thread.ofVirtual().start(preparing);
        host.awaitAsked();
        part.cancel("no longer wanted");
        open.run();
        final CallFailedException e = assertInstanceOf(CallFailedException.class,
            assertThrows(ExecutionException.class, () -> preparing.get(60, TimeUnit.SECONDS)).getCause());
        assertEquals(ExitStatus.CANCELLED, e.status());
        assertEquals("the part was cancelled", e.getMessage());
        final ScriptedHost.Job job = host.next();
        assertEquals("no longer wanted", job.cancelled().get(60, TimeUnit.SECONDS));
        assertFalse(job.isStarted());
        awaitCancelled();
    }

    @Test
    void shouldReleaseItsRanksAndTellNothingOfTheirEndsWhenItCannotConnect() throws Exception {
        final ScriptedHost.Job job = prepared();
        final CompletionStage<Void> connected = part.connect(AGREED);
        job.connected().completeExceptionally(new IOException("node b does not answer"));
        fails(connected, ExitStatus.NO_CLUSTER, "node b does not answer");
        assertEquals("node b does not answer", job.cancelled().get(60, TimeUnit.SECONDS));
        awaitUnconnected();
    }

    @Test
    void shouldRefuseAnAgreementBeforeItIsPrepared() {
        fails(part.connect(AGREED), ExitStatus.FAILED, "the part is not prepared");
    }

    /** Prepares a part that uses another transport than the node's own one. */
    private ScriptedHost.Job preparedOver(final TestTransport transport) throws Exception {
        transport.publish(registry, "uds");
        final PreparedPart prepared = part.prepare(order("uds"), spec);
        assertEquals(List.of("tcp", "uds"), prepared.transports());
        assertEquals(transport.listening(), Set.of(prepared.endpoints().getFirst().address()));
        assertEquals("uds", prepared.endpoints().getFirst().scheme());
        return host.next();
    }

    @Test
    void shouldListenOnTheTransportOfTheJobUntilItEnds() throws Exception {
        final TestTransport uds = new TestTransport();
        final ScriptedHost.Job job = preparedOver(uds);
        final CompletionStage<Void> connected = part.connect(AGREED);
        assertEquals(Map.of("uds", uds), job.transports());
        assertEquals(AGREED.nodes(), job.nodes());
        job.connected().complete(null);
        succeeds(connected);
        assertEquals(1, uds.listening().size(), "connected jobs use it, too");
        job.endWell();
        listener.next(Report.RankEnded.class);
        listener.next(Report.RankEnded.class);
        listener.awaitEnd();
        assertEquals(Set.of(), uds.listening());
        registry.removeTransport(uds);
        assertTrue(listener.isEmpty());
    }

    @Test
    void shouldNotListenAnyMoreWhenItEndsBeforeItIsConnected() throws Exception {
        final TestTransport uds = new TestTransport();
        preparedOver(uds);
        part.cancel("no longer wanted");
        awaitCancelled();
        assertEquals(Set.of(), uds.listening());
    }

    @Test
    void shouldNotListenAnyMoreWhenItCannotBePrepared() {
        final TestTransport uds = new TestTransport().publish(registry, "uds");
        host.failToPrepare(new IOException("no space left"));
        failsToPrepare(spec, "uds", ExitStatus.FAILED, "no space left");
        assertEquals(Set.of(), uds.listening());
    }

    @Test
    void shouldReportThatTheNodeDoesNotHaveTheTransport() throws Exception {
        assertEquals(new PreparedPart(new OneModule().catalogue(), List.of("tcp"), List.of()).at(NodeLocality.UNKNOWN.with(List.of("rack1"))),
            part.prepare(order("uds"), spec));
    }

    @Test
    void shouldReportTheEndpointsOfTheTransportsThatTheNodeHasInTheOrderOfTheJob() throws Exception {
        final TestTransport near = new TestTransport().reaching("here").publish(registry, "near");
        new TestTransport().publish(registry, "broken").failToListen(new IOException("no free port"));
        final PreparedPart prepared = part.prepare(order("near", "missing", "broken", "tcp"), spec);
        final int port = near.listening().iterator().next().getPort();
        assertEquals(List.of(new Endpoint("near", "here", "localhost", port), Endpoint.tcp("h", 1)), prepared.endpoints());
        part.connect(AGREED);
        assertEquals(Set.of("near", "tcp"), host.next().transports().keySet());
    }

    @Test
    void shouldFailWhenTheTransportCannotListen() {
        new TestTransport().publish(registry, "uds").failToListen(new IOException("no free port"));
        failsToPrepare(spec, "uds", ExitStatus.FAILED, "transport uds cannot listen: no free port");
        assertTrue(host.isEmpty());
        assertFalse(Files.exists(folder));
    }

    @Test
    void shouldEndItsRanksWhenTheTransportGoesAway() throws Exception {
        final TestTransport uds = new TestTransport();
        final ScriptedHost.Job job = preparedOver(uds);
        final CompletionStage<Void> connected = part.connect(AGREED);
        job.connected().complete(null);
        succeeds(connected);
        part.start();
        registry.removeTransport(uds);
        final String reason = "transport uds was stopped while the job used it";
        assertEquals(new Report.Failed(ExitStatus.NO_CLUSTER, reason), listener.next());
        assertEquals(reason, job.cancelled().get(60, TimeUnit.SECONDS));
        awaitCancelled();
    }

    @Test
    void shouldEndItsRanksWhenTheTransportGoesAwayWhileItIsPrepared() throws Exception {
        final TestTransport uds = new TestTransport().publish(registry, "uds");
        final Runnable open = host.hold();
        final FutureTask<PreparedPart> preparing = new FutureTask<>(() -> part.prepare(order("uds"), spec));
        Thread.ofVirtual().start(preparing);
        host.awaitAsked();
        final Thread removal = Thread.ofVirtual().start(() -> registry.removeTransport(uds));
        await().atMost(Duration.ofSeconds(60)).until(() -> removal.getState() == Thread.State.TIMED_WAITING);
        open.run();
        assertThrows(ExecutionException.class, () -> preparing.get(60, TimeUnit.SECONDS));
        final String reason = "transport uds was stopped while the job used it";
        assertEquals(reason, host.next().cancelled().get(60, TimeUnit.SECONDS));
        assertEquals(new Report.Failed(ExitStatus.NO_CLUSTER, reason), listener.next());
        awaitCancelled();
        assertTrue(removal.join(Duration.ofSeconds(60)));
    }

    @Test
    void shouldEndItsRanksWhenAPlanIsWrong() throws Exception {
        final ScriptedHost.Job job = prepared();
        part.wrong("plan of basic/ring is wrong");
        assertEquals(new Report.Failed(ExitStatus.FAILED, "plan of basic/ring is wrong"), listener.next());
        assertEquals("plan of basic/ring is wrong", job.cancelled().get(60, TimeUnit.SECONDS));
        awaitCancelled();
    }

    @Test
    void shouldReportALostNode() throws Exception {
        prepared().listener().nodeLost(4, "silence");
        assertEquals(new Report.NodeLost(4, "silence"), listener.next());
    }

    @Test
    void shouldPassThePointOfACheckpointToItsRanks() throws Exception {
        final ScriptedHost.Job job = prepared();
        job.reach(5);
        assertEquals(5, part.lastPoint().toCompletableFuture().get(60, TimeUnit.SECONDS));
        part.checkpointAt(6);
        assertEquals(6, job.pointWanted().get(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldTellTheRanksWhichOthersHaveFailed() throws Exception {
        part.lose(List.of(99), "it has no ranks yet");
        final ScriptedHost.Job job = prepared();
        part.lose(List.of(1, 0), "node b was lost");
        assertEquals("[1, 0]: node b was lost", job.nextLoss());
        for (final Integer odd : Arrays.asList(-1, job.spec().size(), null)) {
            assertThrows(IllegalArgumentException.class, () -> part.lose(Arrays.asList(0, odd), "odd"));
        }
        assertTrue(job.hasNoLoss());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAnswerQuestionsThatArriveBeforeItIsPrepared(final boolean isCancelled) throws Exception {
        if (isCancelled) {
            part.cancel("no longer wanted");
        }
        assertEquals(List.of(), part.inspect(0).toCompletableFuture().get(60, TimeUnit.SECONDS));
        assertEquals(0, part.lastPoint().toCompletableFuture().get(60, TimeUnit.SECONDS));
        part.checkpointAt(1);
        part.endSpawned("no longer wanted");
    }

    @Test
    void shouldNotBlockTheCallerWhileRanksAreInspected() throws Exception {
        final CountDownLatch held = new CountDownLatch(1);
        final ScriptedHost.Job job = prepared();
        job.holdInspection(held);
        final CompletionStage<?> inspected = part.inspect(0);
        assertFalse(inspected.toCompletableFuture().isDone());
        held.countDown();
        succeeds(inspected);
    }

    @Test
    void shouldTakeTheStepsOfAChangeOfModulesAndTellWhatIsReleased() throws Exception {
        assertEquals("the part is not prepared", refusal(part.lease(1)).getMessage());
        final ScriptedHost.Job job = prepared();
        assertEquals(new OneModule().catalogue(), part.lease(1).toCompletableFuture().get(60, TimeUnit.SECONDS));
        part.agree(1, NOTHING).toCompletableFuture().get(60, TimeUnit.SECONDS);
        final CompletableFuture<Void> changed = part.change(1).toCompletableFuture();
        assertEquals(List.of("lease 1", "agree 1 []", "change 1"), List.of(job.nextStep(), job.nextStep(), job.nextStep()));
        assertFalse(changed.isDone());
        job.changed().complete(null);
        changed.get(60, TimeUnit.SECONDS);
        job.refuse("module is not leased: x");
        assertEquals("module is not leased: x", refusal(part.agree(2, NOTHING)).getMessage());
        part.abandon(2);
        assertEquals(List.of("agree 2 []", "abandon 2"), List.of(job.nextStep(), job.nextStep()));
        job.listener().released(new OneModule().catalogue().modules());
        assertEquals(new OneModule().catalogue().modules(), listener.next(Report.Released.class).kept());
    }

    private static CallFailedException refusal(final CompletionStage<?> call) {
        return assertInstanceOf(CallFailedException.class,
            assertThrows(ExecutionException.class, () -> call.toCompletableFuture().get(60, TimeUnit.SECONDS)).getCause());
    }
}
