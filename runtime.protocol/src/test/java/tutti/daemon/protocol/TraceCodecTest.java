package tutti.daemon.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.PlannedTask.Kind;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;

class TraceCodecTest {
    private static final RankTrace TRACE = new RankTrace(0, "a", List.of(new TracedCall("allreduce", "smp 1.0.0", "hierarchical",
        "priority 70", "MPI_COMM_WORLD", 64,
        List.of(new PlannedPart(0, 1, "reduce", "MPI_COMM_WORLD/smp.leaders", 64, "tree 1.0.0", "kary", "rule 1 of t")))),
        List.of(event(Kind.SEND, 1, 0), event(Kind.RECV, 1, 0), event(Kind.REDUCE, -1, 1), event(Kind.OFFLOADED, -1, 2), event(null, -1, -1)), 0);

    private static TraceEvent event(final Kind kind, final int peer, final int task) {
        return new TraceEvent(0, kind, task, peer, 64, 2, 3L << 32 | 1, kind == Kind.OFFLOADED ? "barrier by Switch" : null, 1_000, 2_500, true);
    }

    @Test
    void shouldReadTheCompleteEventsOfATruncatedTrace() throws Exception {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        TraceCodec.write(TRACE, out);
        assertEquals(TRACE, TraceCodec.read(0, out.toByteArray()));
        for (int length = 0; length < out.size(); length++) {
            final RankTrace cut = TraceCodec.read(0, Arrays.copyOf(out.toByteArray(), length));
            assertEquals(TRACE.events().subList(0, cut.events().size()), cut.events());
            if (!cut.events().isEmpty()) {
                assertEquals(5, cut.events().size() + cut.dropped());
            }
        }
        final byte[] bad = out.toByteArray();
        // the last event refers to an unknown call
        bad[bad.length - 49] = 1;
        assertEquals("not a trace: call=1, calls=1, kind=-1", assertThrows(IOException.class, () -> TraceCodec.read(0, bad)).getMessage());
    }
}
