package tutti.daemon.job;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.monitor.JobMeasurements;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of output to a client over a real socket; the client may read, pause or vanish. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OutputRelayTest {
    private static final int PIECE = 8 << 10;
    private static final int FITTING = Protocol.OUTPUT / PIECE;
    /** More than waits in the relay, on the link, and in the client. */
    private static final int TOO_MANY = 2 * (FITTING + (1 << 20) / PIECE);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofMinutes(10);

    private final MinaTransport transport = new MinaTransport();
    private final MinaTransport remoteTransport = new MinaTransport();
    private final RecordingClient client = new RecordingClient();
    private final MeasurementStore store = new MeasurementStore("a", 1 << 20);
    private JobClient peer;
    private OutputRelay relay;

    @BeforeEach
    void link() throws IOException {
        final CompletableFuture<ControlChannel> local = new CompletableFuture<>();
        final InetSocketAddress address = transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> {
            local.complete(ControlChannel.open().attach(link));
            return local.join();
        }).address();
        final ControlChannel remote = ControlChannel.open();
        remote.conversation().serve(JobClient.class, client);
        remote.attach(remoteTransport.connect(address, new Hello("test", new byte[0]), remote, PATIENCE));
        peer = local.join().conversation().peer(JobClient.class);
        relay = new OutputRelay("job", peer, false, store.of("job", "P"));
    }

    @AfterEach
    void close() {
        relay.close();
        remoteTransport.close();
        transport.close();
    }

    private static byte[] line(final int rank, final int number, final int length) {
        final String start = rank + " " + number + " ";
        return (start + "x".repeat(length - start.length() - 1) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static OutputPiece piece(final int rank, final int number) {
        return OutputPiece.printed(rank, false, line(rank, number, PIECE));
    }

    private static FutureTask<Void> run(final Body body) {
        final FutureTask<Void> task = new FutureTask<>(() -> {
            body.run();
            return null;
        });
        Thread.ofVirtual().start(task);
        return task;
    }

    private interface Body {
        void run() throws Exception;
    }

    /** Prints pieces, and counts those for which the relay has room. */
    private FutureTask<Void> printing(final int rank, final int pieces, final AtomicInteger printed) {
        return run(() -> {
            for (int i = 0; i < pieces; i++) {
                relay.print(piece(rank, i));
                printed.incrementAndGet();
            }
        });
    }

    @Test
    void shouldKeepTheOrderAndTheLinesOfEachRankWhenManyPrintAtOnce() throws Exception {
        relay.start();
        final int ranks = 7;
        final int lines = 200;
        final List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int r = 0; r < ranks; r++) {
            final int rank = r;
            tasks.add(run(() -> {
                for (int i = 0; i < lines; i++) {
                    relay.print(OutputPiece.printed(rank, i % 2 == 1, line(rank, i, 50 + 10 * (i % 200))));
                }
            }));
        }
        final int[] next = new int[ranks];
        for (int n = 0; n < ranks * lines; n++) {
            final OutputPiece p = client.nextOutput();
            final int i = next[p.rank()]++;
            assertArrayEquals(line(p.rank(), i, 50 + 10 * (i % 200)), p.bytes());
            assertEquals(i % 2 == 1 ? OutputPiece.Kind.ERROR : OutputPiece.Kind.OUT, p.kind());
        }
        for (final FutureTask<Void> task : tasks) {
            task.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldBlockRanksWhileTheClientDoesNotRead() throws Exception {
        final Runnable read = client.hold();
        relay.start();
        final AtomicInteger printed = new AtomicInteger();
        final FutureTask<Void> rank = printing(0, TOO_MANY, printed);
        await().atMost(PATIENCE).until(() -> printed.get() == FITTING);
        await().during(Duration.ofMillis(50)).until(() -> printed.get() == FITTING && client.isEmpty());
        read.run();
        for (int i = 0; i < TOO_MANY; i++) {
            assertArrayEquals(line(0, i, PIECE), client.nextOutput().bytes());
        }
        rank.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldKeepTracesWhichTheClientDoesNotWantAlsoWhenItHasVanished() throws Exception {
        relay.start();
        relay.print(new OutputPiece(OutputPiece.Kind.TRACE, 1, new byte[PIECE]));
        relay.print(new OutputPiece(OutputPiece.Kind.TRACE, 0, new byte[PIECE]));
        relay.close();
        relay.print(new OutputPiece(OutputPiece.Kind.TRACE, 1, new byte[PIECE]));
        final JobMeasurements kept = store.find("job");
        assertEquals(2, kept.tracedRanks());
        assertEquals(List.of(3L * (PIECE + 8)), kept.kept().stream().map(JobMeasurements.Measurement::bytes).toList());
        relay.finish(LONG);
        assertTrue(client.isEmpty());
    }

    @Test
    void shouldSendTracesThatTheClientWantsAndKeepThem() throws Exception {
        relay = new OutputRelay("job", peer, true, store.of("job", "P"));
        relay.start();
        relay.print(new OutputPiece(OutputPiece.Kind.TRACE, 2, new byte[PIECE]));
        final OutputPiece trace = client.nextOutput();
        assertEquals(List.of(OutputPiece.Kind.TRACE, 2, PIECE), List.of(trace.kind(), trace.rank(), trace.bytes().length));
        assertEquals(1, store.find("job").tracedRanks());
    }

    /** Blocks four ranks, and checks that all go on when the client has vanished. */
    private void releasesRanks(final Body vanish) throws Exception {
        relay.start();
        final AtomicInteger printed = new AtomicInteger();
        final List<FutureTask<Void>> ranks = new ArrayList<>();
        for (int r = 0; r < 4; r++) {
            ranks.add(printing(r, FITTING, printed));
        }
        await().atMost(PATIENCE).until(() -> printed.get() == FITTING);
        vanish.run();
        for (final FutureTask<Void> rank : ranks) {
            rank.get(60, TimeUnit.SECONDS);
        }
        relay.finish(LONG);
    }

    @Test
    void shouldReleaseAllRanksWhenTheClientVanishes() throws Exception {
        client.hold();
        releasesRanks(remoteTransport::close);
    }

    @Test
    void shouldReleaseAllRanksWhenTheClientReadsNoMore() throws Exception {
        final Runnable read = client.hold();
        releasesRanks(() -> {
            client.closeOutput();
            read.run();
        });
    }

    @Test
    void shouldReleaseAllRanksWhenItIsClosed() throws Exception {
        final Runnable read = client.hold();
        releasesRanks(() -> {
            relay.close();
            read.run();
        });
    }

    @Test
    void shouldReleaseAllRanksWhenTheClientHasVanishedBeforeItStarts() throws Exception {
        remoteTransport.close();
        relay.start();
        printing(0, TOO_MANY, new AtomicInteger()).get(60, TimeUnit.SECONDS);
        relay.finish(LONG);
    }

    @Test
    void shouldFinishWhenTheClientHasReadAllOutput() throws Exception {
        final Runnable read = client.hold();
        relay.start();
        for (int i = 0; i < FITTING; i++) {
            relay.print(piece(1, i));
        }
        final FutureTask<Void> finishing = run(() -> relay.finish(LONG));
        await().during(Duration.ofMillis(50)).until(() -> !finishing.isDone());
        read.run();
        finishing.get(60, TimeUnit.SECONDS);
        assertTrue(client.outputEnded().isDone());
        for (int i = 0; i < FITTING; i++) {
            assertArrayEquals(line(1, i, PIECE), client.nextOutput().bytes());
        }
        printing(1, TOO_MANY, new AtomicInteger()).get(60, TimeUnit.SECONDS);
        assertTrue(client.isEmpty());
    }

    @Test
    void shouldNotFinishLaterThanItsLimitWhenTheClientDoesNotRead() throws Exception {
        final Runnable read = client.hold();
        relay.start();
        for (int i = 0; i < FITTING; i++) {
            relay.print(piece(1, i));
        }
        relay.finish(Duration.ofMillis(100));
        assertFalse(client.outputEnded().isDone());
        printing(1, TOO_MANY, new AtomicInteger()).get(60, TimeUnit.SECONDS);
        read.run();
        assertTrue(client.isEmpty());
    }
}
