package tutti.daemon.protocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tutti.runtime.introspect.RankTrace;

/**
 * Traces of a job's ranks that arrive in pieces, those of a rank in their order. For one thread.
 *
 * <pre>
 * a piece as a node keeps it: int rank | int length | bytes of {@link TraceCodec}
 * </pre>
 */
public final class TracePieces {
    /** Bytes before a piece that a node keeps. */
    private static final int HEADER = 2 * Integer.BYTES;

    private final int most;
    private final Map<Integer, ByteArrayOutputStream> ranks = new TreeMap<>();

    /** Creates traces without a bound. */
    public TracePieces() {
        this(Integer.MAX_VALUE);
    }

    /**
     * Creates traces of which the first bytes of each rank are read; the events that are missing count as dropped.
     *
     * @param most most bytes of a rank
     */
    public TracePieces(final int most) {
        this.most = most;
    }

    /** Returns a piece as a node keeps it. */
    public static byte[] kept(final int rank, final byte[] bytes) {
        return ByteBuffer.allocate(HEADER + bytes.length).putInt(rank).putInt(bytes.length).put(bytes).array();
    }

    /** Adds a piece of a rank. */
    public void add(final int rank, final byte[] bytes) {
        add(rank, bytes, 0, bytes.length);
    }

    private void add(final int rank, final byte[] bytes, final int offset, final int length) {
        final ByteArrayOutputStream all = ranks.computeIfAbsent(rank, r -> new ByteArrayOutputStream());
        all.write(bytes, offset, Math.min(length, most - all.size()));
    }

    /**
     * Adds whole pieces as a node keeps them.
     *
     * @throws IOException when these are no such pieces
     */
    public void addKept(final byte[] pieces) throws IOException {
        final ByteBuffer in = ByteBuffer.wrap(pieces);
        while (in.hasRemaining()) {
            final int rank = in.remaining() < HEADER ? -1 : in.getInt();
            final int length = rank < 0 ? -1 : in.getInt();
            if (length < 0 || length > in.remaining()) {
                // Cause: the job ended while a part of it was prepared.
                throw new IOException("not a trace: rank=" + rank + ", length=" + length + ", left=" + in.remaining());
            }
            add(rank, pieces, in.position(), length);
            in.position(in.position() + length);
        }
    }

    /**
     * Returns the traces, in the order of the ranks.
     *
     * @throws IOException when the bytes of a rank are not a trace
     */
    public List<RankTrace> read() throws IOException {
        final List<RankTrace> traces = new ArrayList<>();
        for (final Map.Entry<Integer, ByteArrayOutputStream> r : ranks.entrySet()) {
            traces.add(TraceCodec.read(r.getKey(), r.getValue().toByteArray()));
        }
        return traces;
    }
}
