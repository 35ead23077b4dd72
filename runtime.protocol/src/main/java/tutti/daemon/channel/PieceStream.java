package tutti.daemon.channel;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Stream of bytes that come in pieces. Reads as many as are here at once. Read by one thread at a time. */
abstract class PieceStream extends InputStream {
    private byte[] current = new byte[0];
    private int at;

    /** Waits for the next piece; null at the end of the stream. */
    abstract byte @Nullable [] next() throws IOException;

    /** Returns whether the next piece is here, so that nobody need wait for it. */
    abstract boolean hasNext();

    @Override
    public int read() throws IOException {
        final byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(final byte[] to, final int offset, final int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, to.length);
        if (length == 0) {
            return 0;
        }
        int bytes = 0;
        while (bytes < length && (bytes == 0 || at < current.length || hasNext())) {
            if (at == current.length) {
                final byte[] piece = next();
                if (piece == null) {
                    return bytes == 0 ? -1 : bytes;
                }
                current = piece;
                at = 0;
            }
            final int more = Math.min(length - bytes, current.length - at);
            System.arraycopy(current, at, to, offset + bytes, more);
            at += more;
            bytes += more;
        }
        return bytes;
    }
}
