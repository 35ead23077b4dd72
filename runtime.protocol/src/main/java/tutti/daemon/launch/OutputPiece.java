package tutti.daemon.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;

/**
 * Piece of what a job puts out, in a stream in which its order is kept.
 *
 * <pre>
 * byte kind | int rank | int length | bytes
 * </pre>
 *
 * @param kind  what it is
 * @param rank  the rank that it is of; 0 where it is not of one
 * @param bytes the bytes; whoever creates a piece gives up the array
 */
public record OutputPiece(Kind kind, int rank, byte[] bytes) {
    /** Most bytes of a piece: those of the end of a rank, with the text of an exception. */
    private static final int MAX_BYTES = 1 << 20;
    private static final Kind[] KINDS = Kind.values();
    private static final int HEADER = 1 + 2 * Integer.BYTES;

    /** Kinds of pieces. The order is part of the protocol. */
    public enum Kind {
        /** Standard output of a rank. */
        OUT,
        /** Error output of a rank. */
        ERROR,
        /** Trace of a rank. */
        TRACE,
        /** Piece of a report of an interceptor, as JSON. Not for clients. */
        REPORT,
        /** End of a rank, as JSON. Not for clients. */
        RANK_ENDED,
        /** End of the part of a job on a node, after that of its ranks; output of jobs that it has spawned may follow. Not for clients. */
        PART_ENDED,
        /** End of a job that the part has spawned, after its output. Not for clients. */
        SPAWN_ENDED
    }

    /** Checks the length. */
    public OutputPiece {
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("piece of output too long: bytes=" + bytes.length + ", max=" + MAX_BYTES);
        }
    }

    /** Creates a piece of standard output or of errors. */
    public static OutputPiece printed(final int rank, final boolean error, final byte[] bytes) {
        return new OutputPiece(error ? Kind.ERROR : Kind.OUT, rank, bytes);
    }

    /** Creates a piece with a record as JSON. */
    public static OutputPiece of(final Kind kind, final int rank, final Object value) {
        return new OutputPiece(kind, rank, MessageCodec.write(value));
    }

    /** Returns the record that this piece has as JSON; throws when it has none. */
    public <T> T value(final Class<T> type) throws StreamCorruptedException {
        try {
            return MessageCodec.read(bytes, type);
        } catch (final IOException e) {
            throw new StreamCorruptedException("not output of a job: kind=" + kind + ", rank=" + rank + ", reason=" + Protocol.oneLine(e));
        }
    }

    /** Returns the piece as bytes of a stream. */
    public byte[] framed() {
        return ByteBuffer.allocate(HEADER + bytes.length).put((byte) kind.ordinal()).putInt(rank).putInt(bytes.length).put(bytes).array();
    }

    /**
     * Reads the next piece of a stream; null at its end. Blocks.
     *
     * @throws StreamCorruptedException when there is no such piece; other exceptions are of the stream
     */
    public static @Nullable OutputPiece read(final InputStream from) throws IOException {
        final byte[] start = from.readNBytes(HEADER);
        if (start.length == 0) {
            return null;
        }
        final ByteBuffer header = ByteBuffer.wrap(checkWhole(start, HEADER));
        final int kind = Byte.toUnsignedInt(header.get());
        final int rank = header.getInt();
        final int length = header.getInt();
        if (kind >= KINDS.length || rank < 0 || length < 0 || length > MAX_BYTES) {
            throw new StreamCorruptedException("not output of a job: kind=" + kind + ", rank=" + rank + ", length=" + length);
        }
        return new OutputPiece(KINDS[kind], rank, checkWhole(from.readNBytes(length), length));
    }

    private static byte[] checkWhole(final byte[] bytes, final int length) throws StreamCorruptedException {
        if (bytes.length < length) {
            throw new StreamCorruptedException("output of a job ends within a piece: missing=" + (length - bytes.length) + " bytes");
        }
        return bytes;
    }
}
