package tutti.daemon.channel;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;

/**
 * Store of the files of a job's program, in a folder of this node, under their names: each jar in a folder of its own, staged files in one of theirs.
 * Pieces may be offered on any thread; one thread writes them.
 */
public final class ProgramStore {
    private static final long PIECE_LIMIT_SECONDS = 30;
    private static final long PIECE_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(PIECE_LIMIT_SECONDS);

    /** Folder of the files that the program reads; those of jars have numbers. */
    private static final String STAGED = "files";

    private record Piece(int file, byte[] bytes) {}

    private final Path folder;
    private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    /** Bytes that were offered and are not written yet. */
    private final AtomicLong waiting = new AtomicLong();

    /** Creates a store in a folder, which is created when it is needed. */
    public ProgramStore(final Path folder) {
        this.folder = folder;
    }

    /**
     * Adds a received piece of a file.
     *
     * @throws IllegalStateException when the piece is empty, or the sender has no credit for it
     */
    public void offer(final int file, final byte[] bytes) {
        final long total = waiting.addAndGet(bytes.length);
        if (bytes.length == 0 || total > Protocol.PROGRAM_CREDIT) {
            throw new IllegalStateException("program bytes without credit: bytes=" + bytes.length + ", waiting=" + total
                + ", PROGRAM_CREDIT=" + Protocol.PROGRAM_CREDIT);
        }
        pieces.add(new Piece(file, bytes));
    }

    /** Ends the input: no more pieces follow. */
    public void close() {
        pieces.add(new Piece(-1, new byte[0]));
    }

    /** Writes all files as their pieces arrive; returns credit through {@code credit}. */
    public List<Path> store(final List<ProgramFile> files, final IntConsumer credit) throws IOException, InterruptedException {
        return store(files, credit, Long.MAX_VALUE);
    }

    /** Writes all files as their pieces arrive; waits until {@code deadline} at most, a time of {@link System#nanoTime}. */
    public List<Path> store(final List<ProgramFile> files, final IntConsumer credit, final long deadline) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        final CreditBatch owed = new CreditBatch(Protocol.PROGRAM_CREDIT, credit);
        final List<Path> paths = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            paths.add(Files.createDirectories(folder.resolve(files.get(i).staged() ? STAGED : Integer.toString(i))).resolve(files.get(i).name()));
            store(i, files.get(i), paths.get(i), owed, deadline);
        }
        return paths;
    }

    private static long pieceLimit(final long deadline) {
        return deadline == Long.MAX_VALUE ? PIECE_LIMIT_NANOS : Math.min(PIECE_LIMIT_NANOS, deadline - System.nanoTime());
    }

    private static void write(final byte[] bytes, final int length, final OutputStream to, final ProgramFile file, final @Nullable Path folder)
        throws IOException {
        try {
            to.write(bytes, 0, length);
        } catch (final IOException e) {
            throw notStored(file, folder, e);
        }
    }

    private static IOException notStored(final ProgramFile file, final @Nullable Path folder, final IOException cause) {
        return new IOException("program cannot be stored: file=" + file.name() + ", folder=" + folder + ", reason=" + Protocol.oneLine(cause)
            + "; make room there, or start the node with another --dir", cause);
    }

    private static void check(final ProgramFile file, final MessageDigest digest) throws IOException {
        final String hex = ProgramSender.hex(digest);
        if (!hex.equals(file.sha256())) {
            throw new IOException("program arrived damaged: file=" + file.name() + ", sha256=" + hex + ", expected=" + file.sha256());
        }
    }

    /**
     * Writes a file whose bytes come next in a stream, and verifies its length and digest. Reads no byte more.
     *
     * @param to where it is written; its folder exists
     */
    public static void store(final ProgramFile file, final InputStream from, final Path to) throws IOException {
        final MessageDigest digest = ProgramSender.sha256();
        final byte[] buffer = new byte[Protocol.CHUNK];
        try (OutputStream out = create(file, to)) {
            long left = file.bytes();
            while (left > 0) {
                final int bytes = read(file, from, buffer, left);
                write(buffer, bytes, out, file, to.getParent());
                digest.update(buffer, 0, bytes);
                left -= bytes;
            }
        }
        check(file, digest);
    }

    private static OutputStream create(final ProgramFile file, final Path to) throws IOException {
        try {
            return Files.newOutputStream(to);
        } catch (final IOException e) {
            throw notStored(file, to.getParent(), e);
        }
    }

    private static int read(final ProgramFile file, final InputStream from, final byte[] buffer, final long left) throws IOException {
        final String missing = "program did not arrive whole: file=" + file.name() + ", missing=" + left + " bytes";
        final int bytes;
        try {
            bytes = from.read(buffer, 0, (int) Math.min(buffer.length, left));
        } catch (final IOException e) {
            throw new IOException(missing + ", reason=" + Protocol.oneLine(e), e);
        }
        if (bytes < 0) {
            throw new IOException(missing);
        }
        return bytes;
    }

    private void store(final int index, final ProgramFile file, final Path path, final CreditBatch owed, final long deadline)
        throws IOException, InterruptedException {
        final MessageDigest digest = ProgramSender.sha256();
        long left = file.bytes();
        try (OutputStream out = Files.newOutputStream(path)) {
            while (left > 0) {
                final Piece piece = pieces.poll(pieceLimit(deadline), TimeUnit.NANOSECONDS);
                if (piece == null) {
                    throw new IOException("program did not arrive whole: file=" + file.name() + ", missing=" + left + " bytes, no piece within "
                        + PIECE_LIMIT_SECONDS + " s or the time of the job");
                }
                if (piece.file() != index || piece.bytes().length > left) {
                    throw new IOException("program did not arrive whole: file=" + file.name() + ", missing=" + left + " bytes");
                }
                write(piece.bytes(), piece.bytes().length, out, file, folder);
                digest.update(piece.bytes());
                left -= piece.bytes().length;
                waiting.addAndGet(-piece.bytes().length);
                owed.consumed(piece.bytes().length);
            }
        }
        check(file, digest);
    }
}
