package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;

/**
 * Replacement of the JVM's {@code System.in}: routes every call to the input of the current thread's rank, or without a rank to the original.
 * Methods that are not here call one that is.
 */
final class RoutedInputStream extends InputStream {
    private final InputStream original;

    RoutedInputStream(final InputStream original) {
        this.original = original;
    }

    private InputStream to() {
        final RankProcess rank = CurrentRank.find();
        return rank == null ? original : rank.console().in();
    }

    @Override
    public int read() throws IOException {
        return to().read();
    }

    @Override
    public int read(final byte[] bytes, final int offset, final int length) throws IOException {
        return to().read(bytes, offset, length);
    }

    @Override
    public long skip(final long count) throws IOException {
        return to().skip(count);
    }

    @Override
    public int available() throws IOException {
        return to().available();
    }

    @Override
    public void close() throws IOException {
        to().close();
    }

    @Override
    public void mark(final int limit) {
        to().mark(limit);
    }

    @Override
    public void reset() throws IOException {
        to().reset();
    }

    @Override
    public boolean markSupported() {
        return to().markSupported();
    }
}
