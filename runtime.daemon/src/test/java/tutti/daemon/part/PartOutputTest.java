package tutti.daemon.part;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.part.RecordingListener.Report;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.TraceCodec;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.process.LogLines;
import tutti.runtime.process.owner.RankOutcome;

/** Tests of what a part of a job puts out, which a listener reads. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PartOutputTest {
    private static final RankOutcome RETURNED = new RankOutcome(RankOutcome.Kind.RETURNED, 0, "");

    @RegisterExtension
    private final LogLines log = new LogLines(PartOutput.class);
    private final RecordingListener listener = new RecordingListener();
    private final PartOutput output = new PartOutput();

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Ends the part, and returns the pieces that the listener has read before. */
    private List<OutputPiece> pieces() throws InterruptedException {
        output.open(listener);
        output.partEnded();
        final List<OutputPiece> pieces = new ArrayList<>();
        Report report = listener.next();
        while (report instanceof Report.Put(OutputPiece piece)) {
            pieces.add(piece);
            report = listener.next();
        }
        assertEquals(new Report.PartEnded(), report);
        assertEquals(new Report.OutputEnded(), listener.next());
        return pieces;
    }

    private static byte[] joined(final List<OutputPiece> pieces) {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (final OutputPiece piece : pieces) {
            assertTrue(piece.bytes().length > 0 && piece.bytes().length <= Protocol.CHUNK, "bytes=" + piece.bytes().length);
            all.writeBytes(piece.bytes());
        }
        return all.toByteArray();
    }

    private void puts(final String text) throws InterruptedException {
        assertEquals(text, listener.next(Report.Put.class).text());
    }

    @Test
    void shouldKeepTheOrderOfAllKindsOfPieces() throws Exception {
        output.open(listener);
        output.print(3, true, bytes("an error\n"));
        output.report(new InterceptorReport("intercept.x", "text/plain", new byte[1]));
        output.print(1, false, bytes("a line\n"));
        output.rankEnded(3, RETURNED);
        output.print(1, false, bytes("another one\n"));
        output.rankEnded(1, RETURNED);
        output.partEnded();
        final OutputPiece error = listener.next(Report.Put.class).piece();
        assertEquals(List.of(OutputPiece.Kind.ERROR, 3, "an error\n"),
            List.of(error.kind(), error.rank(), new String(error.bytes(), StandardCharsets.UTF_8)));
        assertEquals(OutputPiece.Kind.REPORT, listener.next(Report.Put.class).piece().kind());
        final OutputPiece line = listener.next(Report.Put.class).piece();
        assertEquals(List.of(OutputPiece.Kind.OUT, 1), List.of(line.kind(), line.rank()));
        assertEquals(new Report.RankEnded(3, RETURNED), listener.next());
        puts("another one\n");
        assertEquals(new Report.RankEnded(1, RETURNED), listener.next());
        listener.awaitEnd();
    }

    @Test
    void shouldSendATraceInPieces() throws Exception {
        final RankTrace trace = new RankTrace(3, "a", List.of(new TracedCall("scan", "basic 1.0.0", "linear", "WORLD", 8)),
            Collections.nCopies(2000, new TraceEvent(0, PlannedTask.Kind.SEND, 1, 2, 8, 4, 5L << 32, null, 100, 200, true)), 7);
        output.trace(trace);
        final List<OutputPiece> pieces = pieces();
        assertTrue(pieces.size() > 2);
        assertTrue(pieces.stream().allMatch(p -> p.kind() == OutputPiece.Kind.TRACE && p.rank() == 3));
        assertEquals(trace, TraceCodec.read(3, joined(pieces)));
    }

    @Test
    void shouldSayThatATraceWasNotSent() throws Exception {
        Thread.currentThread().interrupt();
        output.trace(new RankTrace(3, "a", List.of(new TracedCall("scan", "basic 1.0.0", "linear", "WORLD", 8)), List.of(), 0));
        assertTrue(Thread.interrupted());
        assertEquals(List.of("trace of rank 3 was not sent"), log.lines());
        assertEquals(List.of(), pieces());
    }

    @Test
    void shouldSendAReportInPiecesOfWhichOneIsTheLast() throws Exception {
        final byte[] content = new byte[2 * Protocol.CHUNK + 1];
        content[2 * Protocol.CHUNK] = 9;
        output.report(new InterceptorReport("intercept.x", "text/plain", content));
        output.report(new InterceptorReport("intercept.y", "text/plain", new byte[0]));
        final List<InterceptorReport.Piece> reports = new ArrayList<>();
        for (final OutputPiece piece : pieces()) {
            reports.add(piece.value(InterceptorReport.Piece.class));
        }
        assertEquals(List.of(false, false, true, true), reports.stream().map(InterceptorReport.Piece::isLast).toList());
        assertArrayEquals(new byte[] {9}, reports.get(2).bytes());
        assertEquals(0, reports.get(3).bytes().length);
    }

    @Test
    void shouldSplitLongOutputAtTheEndsOfLines() throws Exception {
        final String line = "x".repeat(99) + "\n";
        final String overlong = "y".repeat(2 * Protocol.CHUNK + 5) + "\n";
        final byte[] text = bytes(line.repeat(500) + overlong + line.repeat(500) + "no end");
        output.print(0, false, text);
        final List<OutputPiece> pieces = pieces();
        assertArrayEquals(text, joined(pieces));
        assertEquals(3, pieces.stream().filter(p -> p.bytes()[p.bytes().length - 1] != '\n').count(),
            "pieces that end within a line: two of the overlong one, and the last");
    }

    @Test
    void shouldPutOutNothingForNothingAndOnePieceForWhatFitsIntoIt() throws Exception {
        output.print(0, false, new byte[0]);
        output.print(0, false, new byte[Protocol.CHUNK]);
        output.print(0, false, new byte[0]);
        assertEquals(List.of(Protocol.CHUNK), pieces().stream().map(p -> p.bytes().length).toList());
    }

    @Test
    void shouldNotMixPiecesOfRanksThatPrintAtOnce() throws Exception {
        output.open(listener);
        final int ranks = 5;
        final List<FutureTask<Void>> printing = new ArrayList<>();
        for (int r = 0; r < ranks; r++) {
            final int rank = r;
            printing.add(new FutureTask<>(() -> {
                for (int i = 0; i < 100; i++) {
                    output.print(rank, false, bytes(i + " " + "z".repeat(10 * i) + "\n"));
                }
                output.rankEnded(rank, RETURNED);
                return null;
            }));
            Thread.ofVirtual().start(printing.getLast());
        }
        final int[] next = new int[ranks];
        int ended = 0;
        while (ended < ranks) {
            switch (listener.next()) {
                case Report.Put put -> {
                    final int i = next[put.piece().rank()]++;
                    assertEquals(i + " " + "z".repeat(10 * i) + "\n", put.text());
                }
                case Report.RankEnded end -> {
                    assertEquals(100, next[end.rank()]);
                    ended++;
                }
                case Report other -> throw new AssertionError(other);
            }
        }
        for (final FutureTask<Void> task : printing) {
            task.get(60, TimeUnit.SECONDS);
        }
        output.partEnded();
        listener.awaitEnd();
    }

    /** Prints pieces of the largest size on a thread, and counts them. */
    private FutureTask<Void> printing(final int count, final AtomicInteger printed) {
        final FutureTask<Void> task = new FutureTask<>(() -> {
            for (int i = 0; i < count; i++) {
                output.print(1, false, new byte[Protocol.CHUNK]);
                printed.incrementAndGet();
            }
            return null;
        });
        Thread.ofVirtual().start(task);
        return task;
    }

    @Test
    void shouldBlockRanksWhileTheListenerDoesNotRead() throws Exception {
        final Runnable read = listener.hold();
        output.open(listener);
        final int fitting = Protocol.OUTPUT / Protocol.CHUNK;
        final AtomicInteger printed = new AtomicInteger();
        final FutureTask<Void> rank = printing(fitting + 2, printed);
        await().atMost(Duration.ofSeconds(60)).until(() -> printed.get() == fitting);
        await().during(Duration.ofMillis(50)).until(() -> printed.get() == fitting && !rank.isDone());
        read.run();
        rank.get(60, TimeUnit.SECONDS);
        for (int i = 0; i < fitting + 2; i++) {
            assertEquals(Protocol.CHUNK, listener.next(Report.Put.class).piece().bytes().length);
        }
    }

    @Test
    void shouldTakeTheEndsOfRanksAndOfThePartWhileTheListenerDoesNotRead() throws Exception {
        final Runnable read = listener.hold();
        output.open(listener);
        final int fitting = Protocol.OUTPUT / Protocol.CHUNK;
        printing(fitting, new AtomicInteger()).get(60, TimeUnit.SECONDS);
        output.rankEnded(1, RETURNED);
        output.partEnded();
        read.run();
        for (int i = 0; i < fitting; i++) {
            listener.next(Report.Put.class);
        }
        assertEquals(new Report.RankEnded(1, RETURNED), listener.next());
        listener.awaitEnd();
    }

    @Test
    void shouldReleaseBlockedRanksWhenTheListenerReadsNoMore() throws Exception {
        final Runnable read = listener.hold();
        output.open(listener);
        final int fitting = Protocol.OUTPUT / Protocol.CHUNK;
        final AtomicInteger printed = new AtomicInteger();
        final FutureTask<Void> rank = printing(3 * fitting, printed);
        await().atMost(Duration.ofSeconds(60)).until(() -> printed.get() == fitting);
        assertFalse(rank.isDone());
        listener.close();
        rank.get(60, TimeUnit.SECONDS);
        output.rankEnded(1, RETURNED);
        output.partEnded();
        read.run();
        assertTrue(listener.isEmpty());
    }

    @Test
    void shouldReleaseBlockedRanksWhenTheListenerFails() throws Exception {
        final PartListener failing = (PartListener) Proxy.newProxyInstance(PartListener.class.getClassLoader(), new Class<?>[] {PartListener.class},
            (proxy, method, arguments) -> CompletableFuture.failedStage(new IllegalStateException("it cannot read")));
        output.open(failing);
        printing(3 * Protocol.OUTPUT / Protocol.CHUNK, new AtomicInteger()).get(60, TimeUnit.SECONDS);
        output.partEnded();
    }

    @Test
    void shouldShortenTheTextOfTheEndOfARank() throws Exception {
        output.open(listener);
        output.rankEnded(0, new RankOutcome(RankOutcome.Kind.FAILED, 1, "x".repeat(Protocol.MAX_TEXT + 7)));
        assertEquals("x".repeat(Protocol.MAX_TEXT) + "... (7 more characters)", listener.next(Report.RankEnded.class).end().text());
    }

    @Test
    void shouldEndWithTheLastSpawnedJob() throws Exception {
        output.open(listener);
        output.begin();
        output.begin();
        output.partEnded();
        assertEquals(new Report.PartEnded(), listener.next());
        output.print(0, false, bytes("of a spawned job\n"));
        output.end();
        output.print(0, false, bytes("of another one\n"));
        puts("of a spawned job\n");
        puts("of another one\n");
        assertTrue(listener.isEmpty());
        output.end();
        assertEquals(new Report.OutputEnded(), listener.next());
    }

    @Test
    void shouldEndWithThePartWhenItsSpawnedJobsHaveEndedBefore() throws Exception {
        output.open(listener);
        output.begin();
        output.end();
        output.print(0, false, bytes("of the part\n"));
        puts("of the part\n");
        output.partEnded();
        listener.awaitEnd();
    }

    @Test
    void shouldDropWhatIsPrintedAfterTheEnd() throws Exception {
        output.open(listener);
        output.partEnded();
        output.print(0, false, new byte[3 * Protocol.OUTPUT]);
        output.rankEnded(0, RETURNED);
        listener.awaitEnd();
        assertTrue(listener.isEmpty());
    }

    @Test
    void shouldLeaveWhatARankPrintsToTheStreamsOfItsOwnJvm() throws Exception {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final RuntimeStreams streams = new RuntimeStreams(new PrintStream(out), new PrintStream(err));
        final PartOutput own = new PartOutput(streams);
        own.open(listener);
        own.print(0, false, bytes("before it is alone\n"));
        streams.separate(line -> {});
        own.print(0, false, bytes("out\n"));
        own.print(0, true, bytes("error\n"));
        own.partEnded();
        puts("before it is alone\n");
        listener.awaitEnd();
        assertEquals("out\n", out.toString(StandardCharsets.UTF_8));
        assertEquals("error\n", err.toString(StandardCharsets.UTF_8));
    }
}
