package tutti.pictures.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.PlannedTask.Kind;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;

/** Tests of traces in the format of Chrome's trace viewer. */
class ChromeTraceTest {
    private static final long T = 1_800_000_000_000_000_000L;
    private static final List<TracedCall> CALLS = List.of(new TracedCall("allreduce", "ring 1.0.0", "ring", "MPI_COMM_WORLD", 64));

    private static TraceEvent event(final Kind kind, final int peer, final int number, final long begin, final long end) {
        return new TraceEvent(0, kind, kind == null ? -1 : number, peer, 64, 2, 3L << 32 | (kind == null ? 0 : number), null, T + begin, T + end,
            true);
    }

    private static TraceEvent open(final TraceEvent e) {
        return new TraceEvent(e.call(), e.kind(), e.task(), e.peer(), e.bytes(), e.context(), e.tag(), e.module(), e.begin(), e.end(), false);
    }

    /** Returns traces of two ranks on two nodes, which send to each other at once; the clock of the second node is off. */
    private static List<RankTrace> exchange(final long off) {
        return List.of(
            new RankTrace(0, "a", CALLS, List.of(event(Kind.SEND, 1, 0, 1_000, 2_500), event(Kind.RECV, 1, 0, 1_100, 6_000),
                event(Kind.REDUCE, -1, 1, 6_000, 9_123), event(null, -1, -1, 900, 9_200)), 0),
            new RankTrace(1, "b", CALLS, List.of(event(Kind.SEND, 0, 0, 2_000 + off, 2_600 + off), event(Kind.RECV, 0, 0, 2_050 + off, 7_000 + off),
                event(null, -1, -1, 1_900 + off, 7_100 + off)), 5));
    }

    private static JsonNode written(final List<RankTrace> traces) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        ChromeTrace.write("Pi.java", traces, out);
        return new ObjectMapper().readTree(out.toByteArray());
    }

    private static List<JsonNode> events(final JsonNode trace, final String phase) {
        return StreamSupport.stream(trace.get("traceEvents").spliterator(), false).filter(e -> e.get("ph").asText().equals(phase)).toList();
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void shouldWriteEventsThatAllOverlapInABoundedNumberOfLanes() throws Exception {
        final JsonNode trace = written(List.of(new RankTrace(0, "a", CALLS, Collections.nCopies(100_000, event(null, -1, -1, 100, 200)), 0)));
        assertEquals(100_000, events(trace, "X").size());
        assertEquals(TraceLanes.MOST_LANES, events(trace, "X").stream().map(e -> e.get("tid").asInt()).distinct().count());
    }

    @Test
    void shouldNameTheNestedCollectiveThatATaskBelongsToAndWhatServesIt() throws Exception {
        final TracedCall call = new TracedCall("allreduce", "smp 1.0.0", "hierarchical", "priority 70", "W", 64,
            List.of(new PlannedPart(1, 2, "reduce", "W/smp.leaders", 64, "tree 1.0.0", "kary", "rule 1 of t")));
        final JsonNode trace = written(List.of(new RankTrace(0, "a", List.of(call), List.of(event(Kind.SEND, 1, 0, 100, 200),
            event(Kind.REDUCE, -1, 1, 200, 300), event(null, -1, -1, 100, 300)), 0)));
        final List<JsonNode> complete = events(trace, "X");
        assertEquals("priority 70", complete.getFirst().get("args").get("reason").asText());
        assertNull(complete.get(1).get("args").get("part"));
        assertEquals("{\"operation\":\"reduce\",\"communicator\":\"W/smp.leaders\",\"module\":\"tree 1.0.0\",\"algorithm\":\"kary\","
            + "\"reason\":\"rule 1 of t\"}", complete.getLast().get("args").get("part").toString());
    }

    @Test
    void shouldNameWhatAModuleCarriesOut() throws Exception {
        final List<TraceEvent> events = List.of(new TraceEvent(0, Kind.OFFLOADED, 0, -1, 64, 2, 0, "allreduce by Switch", T, T + 10, true),
            new TraceEvent(0, Kind.OPAQUE, 1, -1, 64, 2, 0, "Checksums", T + 10, T + 20, false));
        assertEquals(List.of("offloaded allreduce by Switch", "opaque by Checksums, did not end"),
            events(written(List.of(new RankTrace(0, "a", CALLS, events, 0))), "X").stream().map(e -> e.get("name").asText()).toList());
    }

    @Test
    void shouldWriteACompleteEventPerTaskAndCallWithNodeAndRank() throws Exception {
        final JsonNode trace = written(exchange(0));
        final List<JsonNode> complete = events(trace, "X");
        assertEquals(7, complete.size());
        for (final JsonNode e : complete) {
            assertTrue(e.get("ts").isNumber() && e.get("ts").asDouble() >= 0 && e.get("dur").isNumber() && e.get("dur").asDouble() >= 0,
                e.toString());
            assertEquals("allreduce", e.get("args").get("operation").asText());
            assertEquals("ring", e.get("args").get("algorithm").asText());
            assertEquals(64, e.get("args").get("bytes").asLong());
            assertEquals(e.get("pid").asInt(), e.get("tid").asInt() % 1_000_000);
        }
        final JsonNode call = complete.getFirst();
        assertEquals("allreduce ring", call.get("name").asText());
        assertEquals(0.0, call.get("ts").asDouble());
        assertEquals(8.3, call.get("dur").asDouble());
        final JsonNode send = complete.get(1);
        assertEquals("send to 1", send.get("name").asText());
        assertEquals(0.1, send.get("ts").asDouble());
        assertEquals(1.5, send.get("dur").asDouble());
        assertEquals(1, send.get("args").get("peer").asInt());
        assertEquals("reduce", complete.get(3).get("name").asText());
        assertEquals(3.123, complete.get(3).get("dur").asDouble());
    }

    @Test
    void shouldNameProcessesAndThreadsAndCountDroppedEvents() throws Exception {
        final JsonNode trace = written(exchange(0));
        assertEquals(List.of("node a", "node b"), names(trace, "process_name"));
        // each rank's receive overlaps its send
        assertEquals(List.of("rank 0", "rank 0 (2)", "rank 1", "rank 1 (2)"), names(trace, "thread_name"));
        final JsonNode other = trace.get("otherData");
        assertEquals(5, other.get("dropped").asLong());
        assertEquals("{\"1\":5}", other.get("droppedByRank").toString());
        assertEquals(7, other.get("events").asLong());
        assertEquals(2, other.get("ranks").asInt());
        assertEquals("Pi.java", other.get("program").asText());
    }

    private static List<String> names(final JsonNode trace, final String what) {
        return events(trace, "M").stream().filter(e -> e.get("name").asText().equals(what)).map(e -> e.get("args").get("name").asText()).toList();
    }

    @Test
    void shouldConnectEverySendToItsReceive() throws Exception {
        final JsonNode trace = written(exchange(0));
        final Map<String, JsonNode> starts = new HashMap<>();
        events(trace, "s").forEach(e -> assertEquals(null, starts.put(e.get("id").asText(), e)));
        assertEquals(2, starts.size());
        for (final JsonNode end : events(trace, "f")) {
            final JsonNode start = starts.remove(end.get("id").asText());
            assertTrue(start.get("ts").asDouble() < end.get("ts").asDouble());
            assertTrue(start.get("pid").asInt() != end.get("pid").asInt());
        }
        assertEquals(Map.of(), starts);
    }

    @Test
    void shouldDistinguishTheMessagesOfARestartedPersistentCall() throws Exception {
        final List<TraceEvent> sends = new ArrayList<>();
        final List<TraceEvent> receives = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            sends.add(event(Kind.SEND, 1, 0, 1000 * i, 1000 * i + 10));
            receives.add(event(Kind.RECV, 0, 0, 1000 * i, 1000 * i + 20));
        }
        final JsonNode trace = written(List.of(new RankTrace(0, "a", CALLS, sends, 0), new RankTrace(1, "a", CALLS, receives, 0)));
        assertEquals(events(trace, "s").stream().map(e -> e.get("id").asText()).toList(),
            events(trace, "f").stream().map(e -> e.get("id").asText()).toList());
        assertEquals(3, events(trace, "s").stream().map(e -> e.get("id").asText()).distinct().count());
    }

    @Test
    void shouldShiftWrongClocksByTheSmallestAmountThatHelps() throws Exception {
        assertEquals(0, shiftOfB(exchange(0)));
        assertEquals(0, shiftOfB(exchange(3_000)));
        // the message of b arrives at 6000 and was sent at 2000 + off
        assertEquals(-1_000_000 + 4_000, shiftOfB(exchange(1_000_000)));
        // the message to b was sent at 1000 and arrives at 7000 + off
        assertEquals(1_000_000 - 6_000, shiftOfB(exchange(-1_000_000)));
        for (final JsonNode e : events(written(exchange(-1_000_000)), "X")) {
            assertTrue(e.get("ts").asDouble() >= 0 && e.get("ts").asDouble() < 100, e.toString());
        }
    }

    private static long shiftOfB(final List<RankTrace> traces) throws IOException {
        return written(traces).get("otherData").get("clockShiftNanosByNode").get("b").asLong();
    }

    @Test
    void shouldNestOrSeparateEventsInOneThread() throws Exception {
        final List<TraceEvent> many = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            many.add(event(i % 2 == 0 ? Kind.SEND : Kind.RECV, 1, i, 10 * i, 10 * i + 7 * (i % 13) + 1));
        }
        many.add(event(null, -1, -1, 0, 1000));
        final Map<Integer, List<long[]>> threads = new HashMap<>();
        for (final JsonNode e : events(written(List.of(new RankTrace(0, "a", CALLS, many, 0))), "X")) {
            threads.computeIfAbsent(e.get("tid").asInt(), t -> new ArrayList<>())
                .add(new long[] {nanos(e, "ts"), nanos(e, "ts") + nanos(e, "dur")});
        }
        assertTrue(threads.size() > 1 && threads.size() < 20, "threads: " + threads.size());
        for (final List<long[]> all : threads.values()) {
            for (final long[] a : all) {
                for (final long[] b : all) {
                    assertTrue(a == b || a[1] <= b[0] || b[1] <= a[0] || a[0] <= b[0] && b[1] <= a[1] || b[0] <= a[0] && a[1] <= b[1],
                        Arrays.toString(a) + " " + Arrays.toString(b));
                }
            }
        }
    }

    private static long nanos(final JsonNode event, final String field) {
        return Math.round(1000 * event.get(field).asDouble());
    }

    @Test
    void shouldShowUnfinishedEventsUpToTheirLastKnownTimeWithoutAFlowEnd() throws Exception {
        final RankTrace hangs = new RankTrace(0, "a", CALLS, List.of(event(Kind.SEND, 1, 0, 1_000, 2_500), open(event(null, -1, -1, 900, 90_000)),
            open(event(Kind.RECV, 1, 0, 1_100, 90_000))), 0);
        final JsonNode trace = written(List.of(hangs, exchange(0).getLast()));
        final List<JsonNode> open = events(trace, "X").stream().filter(e -> e.get("args").has("ended")).toList();
        assertEquals(List.of("allreduce ring, did not end", "recv from 1, did not end"), open.stream().map(e -> e.get("name").asText()).toList());
        assertEquals(List.of(89.1, 88.9), open.stream().map(e -> e.get("dur").asDouble()).toList());
        assertTrue(open.stream().noneMatch(e -> e.get("args").get("ended").asBoolean()));
        assertEquals(2, trace.get("otherData").get("notEnded").asInt());
        // a message without a complete receive has no arrow
        assertEquals(1, events(trace, "s").size());
        assertEquals(List.of(1), events(trace, "f").stream().map(e -> e.get("tid").asInt() % 1_000_000).toList());
        // an unfinished receive is not used to align clocks
        assertEquals(0, trace.get("otherData").get("clockShiftNanosByNode").get("b").asLong());
    }

    @Test
    void shouldWriteNoArrowWithOneEndAfterDroppingEvents() throws Exception {
        final List<TraceEvent> sends = new ArrayList<>();
        final List<TraceEvent> receives = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            sends.add(event(Kind.SEND, 1, i, 1000 * i, 1000 * i + 10));
            receives.add(event(Kind.RECV, 0, i, 1000 * i, 1000 * i + 20));
        }
        final JsonNode trace = written(List.of(new RankTrace(0, "a", CALLS, sends.subList(0, 3), 2),
            new RankTrace(1, "a", CALLS, receives.subList(1, 5), 1)));
        final List<String> starts = events(trace, "s").stream().map(e -> e.get("id").asText()).toList();
        assertEquals(2, starts.size());
        assertEquals(starts, events(trace, "f").stream().map(e -> e.get("id").asText()).toList());
    }

    @Test
    void shouldNotPairWhatIsInProgressAfterDroppedEvents() throws Exception {
        final List<TraceEvent> sends = List.of(event(Kind.SEND, 1, 0, 0, 10), open(event(Kind.SEND, 1, 0, 9000, 9010)));
        final List<TraceEvent> receives = List.of(event(Kind.RECV, 0, 0, 0, 20), event(Kind.RECV, 0, 0, 1000, 1020));
        assertEquals(1, events(written(List.of(new RankTrace(0, "a", CALLS, sends, 7), new RankTrace(1, "a", CALLS, receives, 0))), "s").size());
        assertEquals(2, events(written(List.of(new RankTrace(0, "a", CALLS, sends, 0), new RankTrace(1, "a", CALLS, receives, 0))), "s").size());
    }

    @Test
    void shouldSayForHowLongAReceiveWaitedForItsSend() throws Exception {
        // on both ranks, the receive was posted before the other one sent, or not
        final List<Double> waited = events(written(exchange(0)), "X").stream().filter(e -> e.get("args").has("waitedMicros"))
            .map(e -> e.get("args").get("waitedMicros").asDouble()).toList();
        assertEquals(List.of(0.9, 0.0), waited);
        // the clock of b is corrected by -996000
        assertEquals(List.of(4.9, 0.0), events(written(exchange(1_000_000)), "X").stream().filter(e -> e.get("args").has("waitedMicros"))
            .map(e -> e.get("args").get("waitedMicros").asDouble()).toList());
    }

    @Test
    void shouldWriteAFileForAJobWithoutCollectives() throws Exception {
        assertEquals(0, events(written(List.of()), "X").size());
    }
}
