package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.Preparation;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of the checkpoints of a job with parts on the nodes a and b, to which its coordinator has links. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CheckpointOrdersTest {
    private static final NodeInfo ME = new NodeInfo("me", "1", "127.0.0.1", 1, 1, "25", 1, 0);

    private final MinaTransport transport = new MinaTransport();
    private final ScriptedNode a = new ScriptedNode();
    private final ScriptedNode b = new ScriptedNode();
    private final JobParts parts = new JobParts("job", "me", 0);
    private final CheckpointOrders orders = new CheckpointOrders(parts);

    /** Coordinator that looks at nothing. */
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
            orders.checkpointed(report);
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

    @BeforeEach
    void link() throws IOException {
        int self = 0;
        for (final NodeAddress node : List.of(a.listen("a"), b.listen("b"))) {
            final Preparation order = new Preparation("job", new byte[32], List.of("tcp"), List.of("a", "b"), List.of(0, 1), self++,
                List.of(new JobProgram("M", List.of(), 2)), List.of(), null, Map.of(), null, null, null);
            parts.add(CoordinatedPart.there(new Coordinator(), order, List.of(), node, ME, transport));
        }
    }

    @AfterEach
    void close() {
        transport.close();
        a.close();
        b.close();
    }

    private static <T> T get(final CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static String failure(final CompletionStage<?> stage) {
        return assertThrows(ExecutionException.class, () -> get(stage)).getCause().getMessage();
    }

    private static CompletableFuture<Long> point(final long number) {
        return CompletableFuture.completedFuture(number);
    }

    private static CheckpointReport report(final long point) {
        return new CheckpointReport(1, point, 10, 20, null);
    }

    private void bothAreToldOf(final long point) throws Exception {
        assertEquals(point, get(a.part().checkpoint()));
        assertEquals(point, get(b.part().checkpoint()));
    }

    @Test
    void shouldTellAllPartsThePointAfterTheLastOneOfAnyAndReturnTheReport() throws Exception {
        a.part().answer(point(3));
        b.part().answer(point(5));
        orders.begin();
        final CompletionStage<CheckpointReport> ordered = orders.order();
        bothAreToldOf(6);
        assertFalse(ordered.toCompletableFuture().isDone());
        orders.checkpointed(report(6));
        assertEquals(report(6), get(ordered));
    }

    @Test
    void shouldTellNoPartBeforeAllHaveAnswered() throws Exception {
        final CompletableFuture<Long> late = new CompletableFuture<>();
        a.part().answer(point(3));
        b.part().answer(late);
        orders.begin();
        orders.order();
        get(a.part().asked());
        get(b.part().asked());
        assertFalse(a.part().checkpoint().isDone());
        late.complete(4L);
        bothAreToldOf(5);
    }

    @Test
    void shouldGoOnWithoutTheAnswerOfAPartThatFails() throws Exception {
        a.part().answer(CompletableFuture.failedFuture(new CallFailedException(ExitStatus.FAILED, "no answer")));
        b.part().answer(point(5));
        orders.begin();
        orders.order();
        bothAreToldOf(6);
    }

    @Test
    void shouldGoOnWithoutTheAnswerOfAPartThatIsLost() throws Exception {
        a.part().answer(new CompletableFuture<>());
        b.part().answer(point(5));
        orders.begin();
        orders.order();
        get(a.part().asked());
        a.close();
        assertEquals(6, get(b.part().checkpoint()));
    }

    @Test
    void shouldNotAskPartsThatHaveEnded() throws Exception {
        b.part().answer(point(5));
        parts.all().getFirst().markEnded();
        orders.begin();
        orders.order();
        assertEquals(6, get(b.part().checkpoint()));
        assertFalse(a.part().asked().isDone());
    }

    @Test
    void shouldCarryOutAnOrderOfATimeBeforeTheRanksHaveStartedWhenTheyHave() throws Exception {
        final CompletionStage<CheckpointReport> ordered = orders.order();
        assertFalse(a.part().asked().isDone());
        orders.begin();
        bothAreToldOf(1);
        orders.checkpointed(report(1));
        assertEquals(report(1), get(ordered));
    }

    @Test
    void shouldGiveWhoOrdersMeanwhileTheSameResult() throws Exception {
        final CompletionStage<CheckpointReport> first = orders.order();
        orders.begin();
        bothAreToldOf(1);
        final CompletionStage<CheckpointReport> second = orders.order();
        orders.checkpointed(report(1));
        assertEquals(report(1), get(first));
        assertEquals(report(1), get(second));
    }

    @Test
    void shouldAskAgainForAnOrderAfterTheLastOne() throws Exception {
        orders.begin();
        final CompletionStage<CheckpointReport> first = orders.order();
        bothAreToldOf(1);
        orders.checkpointed(report(1));
        get(first);
        a.part().answer(point(1));
        b.part().answer(point(2));
        final CompletionStage<CheckpointReport> second = orders.order();
        assertNotSame(first, second);
        bothAreToldOf(3);
        orders.checkpointed(new CheckpointReport(2, 3, 0, 0, "no space left"));
        assertEquals("no space left", get(second).problem());
    }

    @Test
    void shouldNotTakeTheReportOfAnEarlierCheckpointForThatOfTheOrder() throws Exception {
        a.part().answer(point(3));
        orders.checkpointed(report(2));
        orders.begin();
        final CompletionStage<CheckpointReport> ordered = orders.order();
        bothAreToldOf(4);
        orders.checkpointed(report(3));
        assertFalse(ordered.toCompletableFuture().isDone());
        orders.checkpointed(report(4));
        assertEquals(report(4), get(ordered));
    }

    @Test
    void shouldNotWaitForTheAnswerOfAPartThatIsCountedAsEnded() throws Exception {
        a.part().answer(new CompletableFuture<>());
        b.part().answer(point(5));
        orders.begin();
        orders.order();
        get(a.part().asked());
        parts.all().getFirst().markEnded();
        assertEquals(6, get(b.part().checkpoint()));
    }

    @Test
    void shouldFailAnOpenOrderWhenRanksFailAndTakeAnotherOne() throws Exception {
        orders.begin();
        final CompletionStage<CheckpointReport> ordered = orders.order();
        bothAreToldOf(1);
        orders.lost();
        orders.lost();
        assertEquals("ranks have failed before all had reached the point", failure(ordered));
        a.part().answer(point(1));
        b.part().answer(point(2));
        final CompletionStage<CheckpointReport> second = orders.order();
        bothAreToldOf(3);
        orders.checkpointed(report(3));
        assertEquals(report(3), get(second));
    }

    @Test
    void shouldFailAnOpenOrderWhenTheJobEnds() throws Exception {
        orders.begin();
        final CompletionStage<CheckpointReport> ordered = orders.order();
        bothAreToldOf(1);
        orders.end();
        assertEquals("the job has ended before all its ranks reached the point", failure(ordered));
        orders.checkpointed(report(1));
        orders.end();
    }

    @Test
    void shouldFailAnOrderThatWaitsForTheRanksWhenTheJobEnds() {
        final CompletionStage<CheckpointReport> ordered = orders.order();
        orders.end();
        assertEquals("the job has ended before all its ranks reached the point", failure(ordered));
    }

    @Test
    void shouldRefuseOrdersWhenTheJobHasEnded() {
        orders.begin();
        orders.end();
        assertEquals("the job has no ranks that run", failure(orders.order()));
        assertEquals("the job has no ranks that run", failure(orders.order()));
        assertFalse(a.part().asked().isDone());
    }

    @Test
    void shouldRefuseAnOrderWhenAllPartsHaveEnded() {
        orders.begin();
        parts.all().forEach(CoordinatedPart::markEnded);
        assertEquals("the job has no ranks that run", failure(orders.order()));
    }
}
