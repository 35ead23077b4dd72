package tutti.daemon.protocol;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;

/**
 * Codec of traces, for sending them from a node to the command.
 *
 * <pre>
 * UTF node | long dropped | int calls, each: UTF operation, module, algorithm, reason, communicator, long bytes
 *   | int parts, each: int first, last | UTF operation, module, algorithm, reason, communicator, long bytes
 * int events, each: int call | byte kind, -1 for the call | int task | int peer | long bytes | int context | long tag | long begin | long end
 *   | boolean ended | UTF module, empty for none
 * </pre>
 */
public final class TraceCodec {
    private static final PlannedTask.Kind[] KINDS = PlannedTask.Kind.values();

    private TraceCodec() {}

    /** Writes a trace. */
    public static void write(final RankTrace trace, final OutputStream to) throws IOException {
        final DataOutputStream out = new DataOutputStream(to);
        out.writeUTF(trace.node());
        out.writeLong(trace.dropped());
        out.writeInt(trace.calls().size());
        for (final TracedCall c : trace.calls()) {
            write(out, List.of(c.operation(), c.module(), c.algorithm(), c.reason(), c.communicator()), c.bytes());
            out.writeInt(c.parts().size());
            for (final PlannedPart p : c.parts()) {
                out.writeInt(p.first());
                out.writeInt(p.last());
                write(out, List.of(p.operation(), p.module(), p.algorithm(), p.reason(), p.communicator()), p.bytes());
            }
        }
        out.writeInt(trace.events().size());
        for (final TraceEvent e : trace.events()) {
            out.writeInt(e.call());
            out.writeByte(e.kind() == null ? -1 : e.kind().ordinal());
            out.writeInt(e.task());
            out.writeInt(e.peer());
            out.writeLong(e.bytes());
            out.writeInt(e.context());
            out.writeLong(e.tag());
            out.writeLong(e.begin());
            out.writeLong(e.end());
            out.writeBoolean(e.ended());
            out.writeUTF(e.module() == null ? "" : e.module());
        }
        out.flush();
    }

    private static void write(final DataOutputStream out, final List<String> texts, final long bytes) throws IOException {
        for (final String text : texts) {
            out.writeUTF(text);
        }
        out.writeLong(bytes);
    }

    /**
     * Reads a trace. From incomplete bytes of a job that ended early, the complete events are read, and the missing ones count as dropped.
     *
     * @throws IOException when the bytes are not a trace
     */
    public static RankTrace read(final int rank, final byte[] bytes) throws IOException {
        final DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        String node = "?";
        long dropped = 0;
        final List<TracedCall> calls = new ArrayList<>();
        final List<TraceEvent> events = new ArrayList<>();
        int left = 0;
        try {
            node = in.readUTF();
            dropped = in.readLong();
            for (int n = in.readInt(); n > 0; n--) {
                calls.add(call(in));
            }
            for (left = in.readInt(); left > 0; left--) {
                events.add(event(in, calls.size()));
            }
        } catch (final EOFException e) {
            return new RankTrace(rank, node, calls, events, dropped + left);
        }
        return new RankTrace(rank, node, calls, events, dropped);
    }

    private static TracedCall call(final DataInputStream in) throws IOException {
        final String operation = in.readUTF();
        final String module = in.readUTF();
        final String algorithm = in.readUTF();
        final String reason = in.readUTF();
        final String communicator = in.readUTF();
        final long bytes = in.readLong();
        final List<PlannedPart> parts = new ArrayList<>();
        for (int n = in.readInt(); n > 0; n--) {
            parts.add(part(in));
        }
        return new TracedCall(operation, module, algorithm, reason, communicator, bytes, parts);
    }

    private static PlannedPart part(final DataInputStream in) throws IOException {
        final int first = in.readInt();
        final int last = in.readInt();
        final String operation = in.readUTF();
        final String module = in.readUTF();
        final String algorithm = in.readUTF();
        final String reason = in.readUTF();
        return new PlannedPart(first, last, operation, in.readUTF(), in.readLong(), module, algorithm, reason);
    }

    private static TraceEvent event(final DataInputStream in, final int calls) throws IOException {
        final int call = in.readInt();
        final byte kind = in.readByte();
        if (call < 0 || call >= calls || kind < -1 || kind >= KINDS.length) {
            // Cause: the job ended while a part of it was prepared.
            throw new IOException("not a trace: call=" + call + ", calls=" + calls + ", kind=" + kind);
        }
        final int task = in.readInt();
        final int peer = in.readInt();
        final long bytes = in.readLong();
        final int context = in.readInt();
        final long tag = in.readLong();
        final long begin = in.readLong();
        final long end = in.readLong();
        final boolean ended = in.readBoolean();
        final String module = in.readUTF();
        return new TraceEvent(call, kind < 0 ? null : KINDS[kind], task, peer, bytes, context, tag, module.isEmpty() ? null : module, begin, end,
            ended);
    }
}
