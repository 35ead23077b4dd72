package tutti.pictures.schedule;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;

/**
 * Writer of traces in the JSON format of Chrome's trace viewer, which Perfetto opens: a process per node, a thread per rank, and further threads
 * where tasks of a rank overlap. Calls and tasks are complete events, messages are flows.
 *
 * <p>Calls and tasks that did not end, because the rank ended or the call failed, are complete events, too: they end when they were last known to be
 * in progress. Their names end with {@code did not end}, for searching, and their arguments have {@code "ended": false}. (A begin event without an
 * end would be drawn up to the end of the whole trace, and would have to be nested in its thread. Complete events are placed like all others.)
 */
public final class ChromeTrace {
    private static final int LANE_STRIDE = 1_000_000;
    private static final String NOT_ENDED = ", did not end";

    private final List<RankTrace> traces;
    private final ClockAlignment clocks;
    private final List<String> nodes = new ArrayList<>();
    /** Numbers of the messages, by their send and receive; each event is its own key. */
    private final Map<TraceEvent, Integer> flowOf = new IdentityHashMap<>();
    /** For how long receives waited for their sends; each event is its own key. */
    private final Map<TraceEvent, Long> waited = new IdentityHashMap<>();
    private final long start;
    private final JsonGenerator json;

    private ChromeTrace(final List<RankTrace> traces, final OutputStream to) throws IOException {
        this.traces = traces;
        final List<MessagePairs.Pair> messages = MessagePairs.of(traces);
        this.clocks = new ClockAlignment(traces, messages);
        for (int i = 0; i < messages.size(); i++) {
            final MessagePairs.Pair m = messages.get(i);
            flowOf.put(m.send(), i);
            flowOf.put(m.receive(), i);
            waited.put(m.receive(), m.waited(clocks.shift(m.receiver().node()) - clocks.shift(m.sender().node())));
        }
        traces.stream().map(RankTrace::node).distinct().forEach(nodes::add);
        this.start = traces.stream().flatMapToLong(t -> t.events().stream().mapToLong(e -> e.begin() + clocks.shift(t.node()))).min().orElse(0);
        this.json = new JsonFactory().createGenerator(to, JsonEncoding.UTF8);
    }

    /** Writes the traces of a job's ranks, in their order, and closes the stream. */
    public static void write(final String program, final List<RankTrace> traces, final OutputStream to) throws IOException {
        final ChromeTrace trace = new ChromeTrace(traces, to);
        try (JsonGenerator json = trace.json) {
            json.writeStartObject();
            json.writeArrayFieldStart("traceEvents");
            trace.names();
            for (final RankTrace t : traces) {
                trace.rank(t);
            }
            json.writeEndArray();
            json.writeStringField("displayTimeUnit", "ns");
            trace.metadata(program);
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    /** Returns the number of events that were dropped, on all ranks. */
    public static long dropped(final List<RankTrace> traces) {
        return traces.stream().mapToLong(RankTrace::dropped).sum();
    }

    private void metadata(final String program) throws IOException {
        json.writeObjectFieldStart("otherData");
        json.writeStringField("program", program);
        json.writeNumberField("ranks", traces.size());
        json.writeNumberField("events", traces.stream().mapToLong(t -> t.events().size()).sum());
        json.writeNumberField("notEnded", traces.stream().flatMap(t -> t.events().stream()).filter(e -> !e.ended()).count());
        json.writeNumberField("dropped", dropped(traces));
        json.writeNumberField("startNanosOfEpoch", start);
        json.writeObjectFieldStart("droppedByRank");
        for (final RankTrace t : traces) {
            if (t.dropped() > 0) {
                json.writeNumberField(Integer.toString(t.rank()), t.dropped());
            }
        }
        json.writeEndObject();
        json.writeObjectFieldStart("clockShiftNanosByNode");
        for (final Map.Entry<String, Long> s : clocks.shifts().entrySet()) {
            json.writeNumberField(s.getKey(), s.getValue());
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private void names() throws IOException {
        for (int n = 0; n < nodes.size(); n++) {
            name("process_name", n, 0, "node " + nodes.get(n));
            index("process_sort_index", n, 0, n);
        }
    }

    private void name(final String what, final int pid, final int tid, final String value) throws IOException {
        begin(what, "M", pid, tid);
        json.writeObjectFieldStart("args");
        json.writeStringField("name", value);
        json.writeEndObject();
        json.writeEndObject();
    }

    private void index(final String what, final int pid, final int tid, final int value) throws IOException {
        begin(what, "M", pid, tid);
        json.writeObjectFieldStart("args");
        json.writeNumberField("sort_index", value);
        json.writeEndObject();
        json.writeEndObject();
    }

    private void begin(final String name, final String phase, final int pid, final int tid) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", name);
        json.writeStringField("ph", phase);
        json.writeNumberField("pid", pid);
        json.writeNumberField("tid", tid);
    }

    private void rank(final RankTrace t) throws IOException {
        final int pid = nodes.indexOf(t.node());
        final List<TraceLanes.Placed> placed = TraceLanes.of(t.events());
        final int lanes = placed.stream().mapToInt(TraceLanes.Placed::lane).max().orElse(0) + 1;
        for (int lane = 0; lane < lanes; lane++) {
            name("thread_name", pid, tid(t, lane), "rank " + t.rank() + (lane == 0 ? "" : " (" + (lane + 1) + ")"));
            index("thread_sort_index", pid, tid(t, lane), t.rank() * 100 + Math.min(99, lane));
        }
        for (final TraceLanes.Placed p : placed) {
            complete(t, p, pid);
        }
        flows(t, placed, pid);
    }

    private static int tid(final RankTrace t, final int lane) {
        return lane * LANE_STRIDE + t.rank();
    }

    private void complete(final RankTrace t, final TraceLanes.Placed p, final int pid) throws IOException {
        final TraceEvent e = p.event();
        final TracedCall call = t.calls().get(e.call());
        begin(label(e, call), "X", pid, tid(t, p.lane()));
        json.writeStringField("cat", e.kind() == null ? "call" : "task");
        time("ts", e.begin() + clocks.shift(t.node()) - start);
        time("dur", Math.max(0, e.end() - e.begin()));
        json.writeObjectFieldStart("args");
        json.writeStringField("operation", call.operation());
        json.writeStringField("algorithm", call.algorithm());
        if (e.kind() == null) {
            json.writeStringField("module", call.module());
            json.writeStringField("reason", call.reason());
            json.writeStringField("communicator", call.communicator());
        }
        json.writeNumberField("bytes", e.bytes());
        json.writeNumberField("call", e.tag() >>> Integer.SIZE);
        if (e.kind() != null) {
            json.writeNumberField("task", e.task());
            part(PlannedPart.of(call.parts(), e.task()));
        }
        if (e.peer() >= 0) {
            json.writeNumberField("peer", e.peer());
        }
        if (waited.containsKey(e)) {
            time("waitedMicros", waited.get(e));
        }
        if (!e.ended()) {
            json.writeBooleanField("ended", false);
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    /** Writes the nested collective that a task belongs to, if any. */
    private void part(final @Nullable PlannedPart part) throws IOException {
        if (part != null) {
            json.writeObjectFieldStart("part");
            json.writeStringField("operation", part.operation());
            json.writeStringField("communicator", part.communicator());
            json.writeStringField("module", part.module());
            json.writeStringField("algorithm", part.algorithm());
            json.writeStringField("reason", part.reason());
            json.writeEndObject();
        }
    }

    private static String label(final TraceEvent e, final TracedCall call) {
        final PlannedTask.Kind kind = e.kind();
        return (kind == null ? call.operation() + " " + call.algorithm() : label(kind, e.peer()) + by(e)) + (e.ended() ? "" : NOT_ENDED);
    }

    private static String label(final PlannedTask.Kind kind, final int peer) {
        final String name = kind.name().toLowerCase(Locale.ROOT);
        return peer < 0 ? name : name + switch (kind) {
            case SEND -> " to ";
            case RECV, GET, REDUCE -> " from ";
            default -> " of ";
        } + peer;
    }

    private static String by(final TraceEvent e) {
        return e.module() == null ? "" : (e.kind() == PlannedTask.Kind.OFFLOADED ? " " : " by ") + e.module();
    }

    /** Writes a time in microseconds, with three decimals for nanoseconds. */
    private void time(final String field, final long nanos) throws IOException {
        json.writeFieldName(field);
        json.writeNumber("%d.%03d".formatted(nanos / 1000, nanos % 1000));
    }

    /**
     * Writes the ends of messages as flows, of those of which both are in the trace: from the begin of the send to 1 ns before the end of the
     * receive, so that it is within the event.
     */
    private void flows(final RankTrace t, final List<TraceLanes.Placed> placed, final int pid) throws IOException {
        for (final TraceLanes.Placed p : placed) {
            final TraceEvent e = p.event();
            final Integer flow = flowOf.get(e);
            if (flow != null) {
                final boolean sent = e.kind() == PlannedTask.Kind.SEND;
                flow(sent ? "s" : "f", t, p, pid, flow.toString(), sent ? e.begin() : Math.max(e.begin(), e.end() - 1));
            }
        }
    }

    private void flow(final String phase, final RankTrace t, final TraceLanes.Placed p, final int pid, final String id, final long time)
        throws IOException {
        begin("message", phase, pid, tid(t, p.lane()));
        json.writeStringField("cat", "message");
        json.writeStringField("id", id);
        if (phase.equals("f")) {
            json.writeStringField("bp", "e");
        }
        time("ts", time + clocks.shift(t.node()) - start);
        json.writeEndObject();
    }
}
