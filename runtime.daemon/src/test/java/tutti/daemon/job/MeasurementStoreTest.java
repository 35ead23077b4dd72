package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.monitor.JobMeasurements;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.TracePieces;
import tutti.runtime.intercept.InterceptorReport;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MeasurementStoreTest {
    private static final String PROFILE = "intercept.profile";
    private static final String JSON = "application/json";
    /** Bytes of a piece in {@link #full}. */
    private static final int PIECE = 1_000;

    private static MeasurementStore store(final long limit) {
        return new MeasurementStore("a", limit);
    }

    /** Keeps the trace of a job in a number of pieces, which end with the job. */
    private static MeasurementStore.Job full(final MeasurementStore store, final String id, final int pieces) {
        final MeasurementStore.Job job = store.of(id, "Program");
        for (int i = 0; i < pieces; i++) {
            job.trace(i % 3, new byte[PIECE]);
        }
        job.ended();
        return job;
    }

    private static String states(final MeasurementStore store, final String job) {
        final JobMeasurements found = store.find(job);
        return found == null ? "unknown"
            : found.kept().stream().map(k -> k.name() + " " + k.state() + " " + k.bytes()).collect(Collectors.joining(", "));
    }

    private static InterceptorReport.Piece report(final String text, final boolean isLast) {
        return new InterceptorReport.Piece(PROFILE, JSON, isLast, text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] read(final MeasurementStore store, final String job, final String name) {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (true) {
            final byte[] part = store.read(job, name, all.size());
            assertNotNull(part);
            assertTrue(part.length <= MeasurementStore.PART);
            if (part.length == 0) {
                return all.toByteArray();
            }
            all.writeBytes(part);
        }
    }

    @Test
    void shouldKeepTraceAndReportInTheOrderOfTheirPieces() throws Exception {
        final MeasurementStore store = store(1 << 20);
        final MeasurementStore.Job job = store.of("a-1", "Pi.java");
        assertNull(store.find("a-1"));
        job.trace(1, new byte[] {1});
        job.report(report("{\"a\":", false));
        job.trace(0, new byte[] {2, 3});
        assertEquals("trace ARRIVING 19, intercept.profile ARRIVING 5", states(store, "a-1"));
        assertNull(store.read("a-1", JobMeasurements.TRACE, 0));
        job.report(report("1}", true));
        job.ended();
        job.trace(0, new byte[] {4});
        assertEquals(new JobMeasurements("a-1", "Pi.java", "a", 1 << 20, 2, List.of(
            new JobMeasurements.Measurement("trace", JobMeasurements.TRACE_TYPE, 19, JobMeasurements.State.KEPT),
            new JobMeasurements.Measurement(PROFILE, JSON, 7, JobMeasurements.State.KEPT))), store.find("a-1"));
        assertEquals("{\"a\":1}", new String(read(store, "a-1", PROFILE), StandardCharsets.UTF_8));
        final ByteArrayOutputStream trace = new ByteArrayOutputStream();
        trace.writeBytes(TracePieces.kept(1, new byte[] {1}));
        trace.writeBytes(TracePieces.kept(0, new byte[] {2, 3}));
        assertArrayEquals(trace.toByteArray(), read(store, "a-1", JobMeasurements.TRACE));
        assertNull(store.read("a-1", "intercept.other", 0));
        assertNull(store.read("a-2", PROFILE, 0));
    }

    @Test
    void shouldDropTheOldestJobsWhenNewOnesNeedTheirPlace() {
        final MeasurementStore store = store(10_000);
        full(store, "a-1", 3);
        full(store, "a-2", 3);
        full(store, "a-3", 2);
        assertEquals("trace KEPT 3024", states(store, "a-1"));
        full(store, "a-4", 2);
        assertEquals("trace DROPPED 0", states(store, "a-1"));
        assertNull(store.read("a-1", JobMeasurements.TRACE, 0));
        assertEquals("trace KEPT 3024", states(store, "a-2"));
        full(store, "a-5", 8);
        assertEquals("trace DROPPED 0", states(store, "a-2"));
        assertEquals("trace DROPPED 0", states(store, "a-3"));
        assertEquals("trace DROPPED 0", states(store, "a-4"));
        assertEquals("trace KEPT 8064", states(store, "a-5"));
    }

    @Test
    void shouldNotKeepWhatExceedsTheBoundAloneAndKeepTheRestOfTheJob() {
        final MeasurementStore store = store(10_000);
        final MeasurementStore.Job job = store.of("a-1", "P");
        job.report(report("short", true));
        for (int i = 0; i < 20; i++) {
            job.trace(0, new byte[PIECE]);
        }
        job.ended();
        assertEquals("intercept.profile KEPT 5, trace TOO_LONG 0", states(store, "a-1"));
        // what it needed is free again
        full(store, "a-2", 8);
        assertEquals("intercept.profile KEPT 5, trace TOO_LONG 0", states(store, "a-1"));
        assertEquals("trace KEPT 8064", states(store, "a-2"));
    }

    @Test
    void shouldKeepNothingWithABoundOfZero() {
        final MeasurementStore store = store(0);
        final MeasurementStore.Job job = full(store, "a-1", 1);
        assertEquals("trace TOO_LONG 0", states(store, "a-1"));
        assertEquals(0, store.find("a-1").limit());
        job.report(report("", true));
        assertEquals(new JobMeasurements("a-2", "P", "a", 0, 0, List.of()), store.none("a-2", "P"));
    }

    @Test
    void shouldDropAReportWhoseLastPieceIsMissing() {
        final MeasurementStore store = store(10_000);
        final MeasurementStore.Job job = store.of("a-1", "P");
        job.report(report("half", false));
        job.ended();
        assertEquals("", states(store, "a-1"));
        full(store, "a-2", 8);
        assertEquals("trace KEPT 8064", states(store, "a-2"));
    }

    @Test
    void shouldForgetWhatBecameOfOldJobs() {
        final MeasurementStore store = store(Long.MAX_VALUE);
        for (int i = 0; i < 1_001; i++) {
            full(store, "a-" + i, 1);
        }
        assertNull(store.find("a-0"));
        assertEquals("trace KEPT 1008", states(store, "a-1"));
    }

    @Test
    void shouldReturnWholePiecesInParts() throws Exception {
        final MeasurementStore store = store(8 << 20);
        final MeasurementStore.Job job = store.of("a-1", "P");
        for (int i = 0; i < 100; i++) {
            job.trace(i, new byte[Protocol.CHUNK]);
        }
        job.ended();
        final TracePieces pieces = new TracePieces();
        long offset = 0;
        int parts = 0;
        for (byte[] part = store.read("a-1", "trace", 0); part.length > 0; part = store.read("a-1", "trace", offset)) {
            pieces.addKept(part);
            offset += part.length;
            parts++;
        }
        assertEquals(100, pieces.read().size());
        assertEquals(7, parts);
    }

    @Test
    void shouldStayWithinItsBoundWhileManyJobsEndAtOnce() throws Exception {
        final int threads = 6;
        final int jobs = 50;
        final long limit = 100_000;
        final MeasurementStore store = store(limit);
        final CyclicBarrier start = new CyclicBarrier(threads);
        final List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            final int me = t;
            tasks.add(new FutureTask<>(() -> {
                start.await();
                for (int j = 0; j < jobs; j++) {
                    full(store, me + "-" + j, 10);
                    final byte[] part = store.read(me + "-" + j, JobMeasurements.TRACE, 0);
                    assertTrue(part == null || part.length == 10_080);
                }
                return null;
            }));
            Thread.ofPlatform().daemon().start(tasks.getLast());
        }
        for (final FutureTask<Void> task : tasks) {
            task.get(60, TimeUnit.SECONDS);
        }
        long kept = 0;
        for (int t = 0; t < threads; t++) {
            for (int j = 0; j < jobs; j++) {
                final JobMeasurements.Measurement trace = store.find(t + "-" + j).kept().getFirst();
                assertTrue(trace.state() == JobMeasurements.State.KEPT || trace.state() == JobMeasurements.State.DROPPED, trace::toString);
                assertEquals(trace.state() == JobMeasurements.State.KEPT ? 10_080 : 0, trace.bytes());
                kept += trace.bytes();
            }
        }
        // each costs a little more than its bytes
        assertEquals(8 * 10_080, kept);
        full(store, "last", 10);
        assertEquals("trace KEPT 10080", states(store, "last"));
    }
}
