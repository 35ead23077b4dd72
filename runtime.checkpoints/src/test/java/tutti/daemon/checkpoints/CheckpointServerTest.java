package tutti.daemon.checkpoints;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.process.LogLines;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of copies that another node keeps, over real sockets: calls in another order, with other bytes, and of many ranks at once. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CheckpointServerTest {
    private static final String SERIES = "a-1-00ff";
    private static final int BYTES = 200_000;

    @TempDir
    private Path dir;
    private final MinaTransport transport = new MinaTransport();
    @RegisterExtension
    private final LogLines log = new LogLines(SeriesUse.class);
    /** Answer of the node that keeps copies when it is asked whether its job lives. */
    private final CompletableFuture<Void> confirmed = new CompletableFuture<>();
    private CheckpointCluster cluster;
    private ControlChannel channel;
    private CopyKeeper keeper;

    @BeforeEach
    void connect() throws IOException {
        cluster = new CheckpointCluster(dir, "a", "b");
        ((Logger) LoggerFactory.getLogger(SeriesUse.class)).setLevel(Level.INFO);
        channel = link();
        keeper = channel.conversation().peer(CopyKeeper.class);
    }

    private ControlChannel link() throws IOException {
        final ControlChannel made = ControlChannel.open(c -> {
            c.conversation().serve(CopyOwner.class, () -> confirmed);
            return reason -> {};
        });
        made.attach(transport.connect(cluster.node("b").info().address().socketAddress(), new Hello(Protocol.CHECKPOINT, new byte[0]), made,
            Duration.ofSeconds(60)));
        return made;
    }

    private FutureTask<SeriesUse> begin(final String job) {
        final FutureTask<SeriesUse> begun = new FutureTask<>(() -> cluster.node("b").checkpoints().uses().begin(SERIES, job, null));
        Thread.ofVirtual().start(begun);
        return begun;
    }

    @AfterEach
    void close() {
        ((Logger) LoggerFactory.getLogger(SeriesUse.class)).setLevel(null);
        transport.close();
        cluster.close();
    }

    private static <T> T get(final CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static String failure(final CompletionStage<?> stage) {
        return ((CallFailedException) assertThrows(ExecutionException.class, () -> get(stage)).getCause()).getMessage();
    }

    private static SavedRank saved(final Arena arena, final int rank) {
        final MemorySegment data = arena.allocate(BYTES);
        data.fill((byte) rank);
        data.set(ValueLayout.JAVA_INT, 0, rank);
        return new SavedRank(rank, 200, 100, List.of(new SavedRank.Item("data", data)));
    }

    private byte[] state(final int number, final int rank, final SavedRank saved) throws IOException {
        final Path file = dir.resolve("state-" + rank);
        Files.deleteIfExists(file);
        RankState.write(file, new RankState.Header(SERIES, number, 200, rank, SERIES, 1, 100, 1, List.of("a", "b"), BYTES), saved);
        return Files.readAllBytes(file);
    }

    private CompletionStage<List<Integer>> keep(final int number, final int rank, final byte[] state) {
        return keeper.keep(number, rank, new ByteArrayInputStream(state));
    }

    private List<Path> files() throws IOException {
        final Path folder = cluster.node("b").folder();
        return Files.exists(folder) ? CheckpointCluster.files(folder) : List.of();
    }

    @Test
    void shouldRefuseCopiesBeforeTheSeriesIsUsed() throws Exception {
        final String refusal = "no series of checkpoints is in use on this link";
        assertEquals(refusal, failure(keep(1, 0, new byte[9])));
        assertEquals(refusal, failure(keeper.blocks(1, 0, InputStream.nullInputStream())));
        assertEquals(refusal, failure(keeper.complete(1)));
        assertEquals(refusal, failure(keeper.discard(1, List.of(0))));
        assertEquals(refusal, failure(keeper.removeOlder(1)));
        get(keeper.use(SERIES, SERIES));
        assertEquals("a link serves one series", failure(keeper.use("b-1-00ff", SERIES)));
        assertEquals(SERIES, cluster.node("b").checkpoints().uses().user(SERIES));
        channel.close();
        assertNull(cluster.node("b").checkpoints().uses().lastingUser(SERIES));
        assertEquals(List.of(), files());
    }

    @Test
    void shouldVerifyWhatArrives() throws Exception {
        get(keeper.use(SERIES, SERIES));
        final byte[] state = state(1, 3, saved(Arena.ofAuto(), 3));
        final byte[] damaged = state.clone();
        damaged[state.length / 2] ^= 1;
        assertTrue(failure(keep(1, 3, damaged)).startsWith("state arrived damaged: "));
        assertEquals("state is that of another rank: rank=3, expected=4", failure(keep(1, 4, state)));
        assertEquals("rank out of range: rank=-1", failure(keep(1, -1, state)));
        assertEquals("state arrived damaged: it is too short", failure(keep(1, 3, Arrays.copyOf(state, state.length - 1))));
        assertEquals("copy of a rank was not begun: number=1, rank=3", failure(keeper.blocks(1, 3, InputStream.nullInputStream())));
        assertEquals(List.of(0), get(keep(1, 3, state)));
        assertEquals("copy of a rank is that of another checkpoint: number=2, rank=3, begun=1",
            failure(keeper.blocks(2, 3, InputStream.nullInputStream())));
        assertEquals(List.of(0), get(keep(1, 3, state)));
        assertEquals("file did not arrive whole: missing=1 bytes", failure(keeper.blocks(1, 3, new ByteArrayInputStream(new byte[BYTES - 1]))));
        assertEquals(List.of(0), get(keep(1, 3, state)));
        assertEquals("file arrived damaged: rank=3, file=0-0", failure(keeper.blocks(1, 3, new ByteArrayInputStream(new byte[BYTES]))));
        assertEquals(List.of(), files());
    }

    @Test
    void shouldDropCopiesWhoseBlocksDoNotCome() throws Exception {
        get(keeper.use(SERIES, SERIES));
        final byte[] state = state(1, 3, saved(Arena.ofAuto(), 3));
        get(keep(1, 3, state));
        get(keep(1, 3, state));
        assertFalse(files().isEmpty());
        get(keeper.discard(1, List.of(3)));
        assertEquals(List.of(), files());
        get(keep(2, 3, state(2, 3, saved(Arena.ofAuto(), 3))));
        channel.close();
        assertNull(cluster.node("b").checkpoints().uses().lastingUser(SERIES));
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertEquals(List.of(), files()));
    }

    @Test
    void shouldRefuseASeriesOfWhichALivingJobKeepsCopies() throws Exception {
        get(keeper.use(SERIES, SERIES));
        final FutureTask<SeriesUse> begun = begin("x-1");
        confirmed.complete(null);
        final String text = assertThrows(ExecutionException.class, () -> begun.get(60, TimeUnit.SECONDS)).getCause().getMessage();
        assertEquals(
            "checkpoints are in use: series=" + SERIES + ", node=b, used by job " + SERIES + ", wanted by job x-1; wait for that job, or end "
                + "it with: tutti cancel " + SERIES,
            text);
        assertEquals(List.of(), log.lines());
        channel.close();
        begin("x-1").get(60, TimeUnit.SECONDS).close();
    }

    @Tag("nightly")
    @Test
    void shouldWaitForANodeThatDoesNotAnswerUntilItsLinkIsClosed() throws Exception {
        get(keeper.use(SERIES, SERIES));
        final FutureTask<SeriesUse> begun = begin("x-1");
        final ControlChannel givenUp = link();
        final CompletionStage<Void> other = givenUp.conversation().peer(CopyKeeper.class).use(SERIES, "x-2");
        await().atMost(Duration.ofSeconds(60)).until(() -> log.lines().size() >= 2);
        log.assertLine("checkpoints wait for the node of a job, which keeps copies here and does not answer: series=" + SERIES + ", job=" + SERIES
            + ": 10 s");
        givenUp.close();
        assertThrows(ExecutionException.class, () -> get(other));
        assertFalse(begun.isDone());
        channel.close();
        assertEquals("x-1", begun.get(60, TimeUnit.SECONDS).job());
    }

    @Test
    void shouldKeepCopiesOfManyRanksThatWriteAtOnceFromMemoryOfTheirThreads() throws Exception {
        final int ranks = 100;
        try (CheckpointCluster.Job job = cluster.new Job(SERIES, SERIES, List.of("a"), ranks, null)) {
            final List<FutureTask<Void>> written = new ArrayList<>();
            for (int r = 0; r < ranks; r++) {
                final int rank = r;
                written.add(new FutureTask<>(() -> {
                    try (Arena own = Arena.ofConfined()) {
                        job.part(rank).write(1, saved(own, rank));
                    }
                    return null;
                }));
                Thread.ofVirtual().start(written.getLast());
            }
            for (final FutureTask<Void> w : written) {
                w.get(60, TimeUnit.SECONDS);
            }
            job.part(0).complete(1);
            assertEquals(List.of(ranks, ranks), cluster.held().stream().map(h -> h.held().size()).toList());
        }
    }
}
