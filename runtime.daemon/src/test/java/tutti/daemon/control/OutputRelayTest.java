package tutti.daemon.control;

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
import tutti.daemon.channel.CreditBatch;
import tutti.daemon.channel.Recorder;
import tutti.daemon.channel.Recorder.Received;
import tutti.daemon.monitor.JobMeasurements;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of output to a client over a real socket; the client may read, pause or vanish. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OutputRelayTest {
    private static final int PIECE = 8 << 10;
    private static final int CREDIT_PIECES = Protocol.CLIENT_OUTPUT_CREDIT / PIECE;

    private final MinaTransport transport = new MinaTransport();
    private final Recorder client = new Recorder();
    private final CreditBatch noCredit = new CreditBatch(Integer.MAX_VALUE, bytes -> {});
    private final MeasurementStore store = new MeasurementStore("a", 1 << 20);
    private OutputRelay relay;

    @BeforeEach
    void link() throws IOException {
        final CompletableFuture<ControlChannel> local = new CompletableFuture<>();
        final InetSocketAddress address = transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> {
            local.complete(ControlChannel.open(c -> new Recorder()).attach(link));
            return local.join();
        }).address();
        final ControlChannel remote = ControlChannel.open(c -> client);
        remote.attach(transport.connect(address, new Hello("test", new byte[0]), remote, Duration.ofSeconds(60)));
        relay = new OutputRelay("job", JobClient.of(local.join()), false, store.of("job", "P"));
        relay.start();
    }

    @AfterEach
    void close() {
        relay.close();
        transport.close();
    }

    private static byte[] line(final int rank, final int number, final int length) {
        final String start = rank + " " + number + " ";
        return (start + "x".repeat(length - start.length() - 1) + "\n").getBytes(StandardCharsets.UTF_8);
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

    @Test
    void shouldKeepTheOrderAndTheLinesOfEachRankWhenManyPrintAtOnce() throws Exception {
        final int ranks = 8;
        final int lines = 200;
        final List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int r = 0; r < ranks; r++) {
            final int rank = r;
            tasks.add(run(() -> {
                for (int i = 0; i < lines; i++) {
                    final byte[] line = line(rank, i, 50 + 10 * (i % 200));
                    if (rank % 2 == 0) {
                        relay.sendOutput(rank, i % 2 == 1, line);
                    } else {
                        relay.queueOutput(rank, i % 2 == 1, line, noCredit);
                    }
                }
            }));
        }
        final int[] next = new int[ranks];
        for (int n = 0; n < ranks * lines; n++) {
            final Received.Output p = client.next(Received.Output.class);
            final int i = next[p.rank()]++;
            assertArrayEquals(line(p.rank(), i, 50 + 10 * (i % 200)), p.bytes());
            assertEquals(i % 2 == 1, p.error());
            relay.outputCredit(p.bytes().length);
        }
        for (final FutureTask<Void> task : tasks) {
            task.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldBlockRanksWhileTheClientDoesNotRead() throws Exception {
        final AtomicInteger printed = new AtomicInteger();
        final FutureTask<Void> rank = run(() -> {
            for (int i = 0; i < CREDIT_PIECES + 2; i++) {
                relay.sendOutput(0, false, line(0, i, PIECE));
                printed.incrementAndGet();
            }
        });
        for (int i = 0; i < CREDIT_PIECES; i++) {
            client.next(Received.Output.class);
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> printed.get() == CREDIT_PIECES);
        await().during(Duration.ofMillis(50)).until(() -> printed.get() == CREDIT_PIECES && client.isEmpty());
        relay.outputCredit(PIECE);
        client.next(Received.Output.class);
        assertFalse(rank.isDone());
        relay.outputCredit(PIECE);
        client.next(Received.Output.class);
        rank.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldReturnNoCreditToNodesForOutputThatTheClientDidNotRead() throws Exception {
        final AtomicInteger credited = new AtomicInteger();
        final CreditBatch node = new CreditBatch(4, credited::addAndGet);
        for (int i = 0; i < CREDIT_PIECES + 1; i++) {
            relay.queueOutput(1, false, line(1, i, PIECE), node);
        }
        for (int i = 0; i < CREDIT_PIECES; i++) {
            client.next(Received.Output.class);
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> credited.get() == CREDIT_PIECES * PIECE);
        relay.outputCredit(PIECE);
        client.next(Received.Output.class);
        await().atMost(Duration.ofSeconds(60)).until(() -> credited.get() == (CREDIT_PIECES + 1) * PIECE);
    }

    @Test
    void shouldKeepTracesAndReportsWhichTheClientDoesNotWantAlsoWhenItHasVanished() throws Exception {
        final AtomicInteger credited = new AtomicInteger();
        final CreditBatch node = new CreditBatch(4, credited::addAndGet);
        relay.queueTrace(1, new byte[PIECE], node);
        relay.sendTrace(0, new byte[PIECE]);
        relay.queueReport(new InterceptorReport.Piece("intercept.profile", "text/plain", false, new byte[PIECE]), node);
        await().atMost(Duration.ofSeconds(60)).until(() -> credited.get() == 2 * PIECE);
        relay.close();
        relay.keepReport(new InterceptorReport.Piece("intercept.profile", "text/plain", true, new byte[1]));
        relay.queueTrace(1, new byte[PIECE], node);
        final JobMeasurements kept = store.find("job");
        assertEquals(2, kept.tracedRanks());
        assertEquals(List.of(3L * (PIECE + 8), PIECE + 1L), kept.kept().stream().map(JobMeasurements.Measurement::bytes).toList());
        assertTrue(client.isEmpty());
    }

    @Test
    void shouldReleaseAllRanksWhenTheClientVanishes() throws Exception {
        final AtomicInteger credited = new AtomicInteger();
        final CreditBatch node = new CreditBatch(4, credited::addAndGet);
        final List<FutureTask<Void>> ranks = new ArrayList<>();
        for (int r = 0; r < 4; r++) {
            final int rank = r;
            ranks.add(run(() -> {
                for (int i = 0; i < CREDIT_PIECES; i++) {
                    relay.sendOutput(rank, false, line(rank, i, PIECE));
                }
            }));
        }
        for (int i = 0; i < CREDIT_PIECES; i++) {
            relay.queueOutput(9, false, line(9, i, PIECE), node);
        }
        for (int i = 0; i < CREDIT_PIECES; i++) {
            client.next(Received.Output.class);
        }
        relay.close();
        for (final FutureTask<Void> rank : ranks) {
            rank.get(60, TimeUnit.SECONDS);
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> credited.get() == CREDIT_PIECES * PIECE);
        relay.finish(TimeUnit.MINUTES.toMillis(10));
    }

    @Test
    void shouldFinishWhenAllOutputIsSentToTheClient() throws Exception {
        for (int i = 0; i < CREDIT_PIECES + 1; i++) {
            relay.queueOutput(1, false, line(1, i, PIECE), noCredit);
        }
        final FutureTask<Void> finishing = run(() -> relay.finish(TimeUnit.MINUTES.toMillis(10)));
        for (int i = 0; i < CREDIT_PIECES; i++) {
            assertArrayEquals(line(1, i, PIECE), client.next(Received.Output.class).bytes());
        }
        assertFalse(finishing.isDone());
        relay.outputCredit(PIECE);
        assertArrayEquals(line(1, CREDIT_PIECES, PIECE), client.next(Received.Output.class).bytes());
        finishing.get(60, TimeUnit.SECONDS);
        relay.sendOutput(1, false, new byte[PIECE]);
        assertTrue(client.isEmpty());
    }

    @Test
    void shouldNotFinishLaterThanItsLimitWhenTheClientDoesNotRead() throws Exception {
        for (int i = 0; i < CREDIT_PIECES + 1; i++) {
            relay.queueOutput(1, false, line(1, i, PIECE), noCredit);
        }
        relay.finish(100);
        relay.sendOutput(1, false, new byte[PIECE]);
    }
}
