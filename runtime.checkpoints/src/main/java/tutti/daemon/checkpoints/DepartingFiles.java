package tutti.daemon.checkpoints;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Queue;

/** Bytes of the files of a rank that another node fetches, as {@link CopyKeeper#fetch} describes them. Opens one file at a time. */
final class DepartingFiles extends InputStream {
    private final Opener opener;
    private final Queue<Part> parts = new ArrayDeque<>();
    private InputStream current;
    private String name = StoredFiles.STATE;
    /** Bytes of the current file that are not read yet. */
    private long left = Long.BYTES;

    /** Opens a file of the rank. */
    @FunctionalInterface
    interface Opener {
        /** Returns the bytes of a file, from where it is now. */
        InputStream open(String name) throws IOException;
    }

    /** File, with its length in bytes. */
    private record Part(String name, long bytes) {}

    private DepartingFiles(final Opener opener, final long stateBytes) {
        this.opener = opener;
        this.current = new ByteArrayInputStream(ByteBuffer.allocate(Long.BYTES).putLong(stateBytes).array());
    }

    static DepartingFiles of(final StoredFiles stored, final Opener opener) throws IOException {
        final long bytes = Files.size(stored.stateFile());
        final DepartingFiles made = new DepartingFiles(opener, bytes);
        made.parts.add(new Part(StoredFiles.STATE, bytes));
        stored.state().files().forEach(f -> made.parts.add(new Part(f.name(), stored.state().bytes(f))));
        return made;
    }

    @Override
    public int read() throws IOException {
        final byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(final byte[] to, final int offset, final int length) throws IOException {
        while (left == 0) {
            final Part next = parts.poll();
            if (next == null) {
                return -1;
            }
            current.close();
            current = opener.open(next.name());
            name = next.name();
            left = next.bytes();
        }
        final int bytes = current.read(to, offset, (int) Math.min(length, left));
        if (bytes < 0) {
            throw new IOException("file is too short: file=" + name + ", missing=" + left + " bytes");
        }
        left -= bytes;
        return bytes;
    }

    @Override
    public void close() throws IOException {
        parts.clear();
        left = 0;
        current.close();
    }
}
