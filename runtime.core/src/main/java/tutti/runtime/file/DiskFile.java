package tutti.runtime.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * A file as one rank reads and writes it, at offsets. Errors have the classes of the standard.
 *
 * <p><b>Threads.</b> Safe for any thread. An interrupt of a thread closes a channel; the file is opened again then, the access is repeated, and the
 * thread is interrupted when it is done. The end of the rank closes the file.
 */
final class DiskFile implements AutoCloseable {
    /** Length of the pieces by which memory that is not native is read and written. */
    private static final int PIECE = 1 << 18;
    /** Length of the pieces in which native memory is read and written: a channel has no more at once. */
    private static final long MOST = 1 << 30;

    private final Path path;
    private final RankLifecycle lifecycle;
    private final Set<StandardOpenOption> options;
    private final Runnable atEnd = this::closeQuietly;
    private final Queue<ByteBuffer> pieces = new ConcurrentLinkedQueue<>();
    private volatile FileChannel channel;
    private volatile boolean isClosed;
    private volatile boolean isUnsynced;

    private DiskFile(final Path path, final RankLifecycle lifecycle, final AccessMode mode, final boolean creates) throws IOException {
        this.path = path;
        this.lifecycle = lifecycle;
        this.options = EnumSet.noneOf(StandardOpenOption.class);
        if (mode.reads()) {
            options.add(StandardOpenOption.READ);
        }
        if (mode.writes()) {
            options.add(StandardOpenOption.WRITE);
        }
        final Set<OpenOption> all = new HashSet<>(options);
        if (creates) {
            all.add(StandardOpenOption.CREATE_NEW);
        }
        this.channel = FileChannel.open(path, all);
        lifecycle.endsWithRank(atEnd);
    }

    /** Opens a file that exists, or creates it. */
    static DiskFile open(final Path path, final RankLifecycle lifecycle, final AccessMode mode, final boolean creates) {
        try {
            if (Files.isDirectory(path)) {
                // Cause: a folder has no bytes. Remedy: the name of a file in it.
                throw new MpiFailure(ErrorClass.BAD_FILE, "file is a folder: file=" + path);
            }
            return new DiskFile(path, lifecycle, mode, creates);
        } catch (final IOException | UnsupportedOperationException e) {
            throw failure("open", path, e);
        }
    }

    /** Deletes a file. */
    static void delete(final Path path) {
        try {
            if (Files.isDirectory(path)) {
                throw new MpiFailure(ErrorClass.BAD_FILE, "file is a folder: file=" + path);
            }
            Files.delete(path);
        } catch (final IOException e) {
            throw failure("delete", path, e);
        }
    }

    /** Returns the failure of a file system as MPI reports it. */
    static MpiFailure failure(final String what, final Path path, final Exception why) {
        final String reason = why instanceof final FileSystemException f && f.getReason() != null ? f.getReason() : String.valueOf(why.getMessage());
        final String lower = reason.toLowerCase(Locale.ROOT);
        final ErrorClass errorClass = switch (why) {
            case NoSuchFileException e -> ErrorClass.NO_SUCH_FILE;
            case FileAlreadyExistsException e -> ErrorClass.FILE_EXISTS;
            case AccessDeniedException e -> ErrorClass.ACCESS;
            case ReadOnlyFileSystemException e -> ErrorClass.READ_ONLY;
            case ClosedChannelException e -> ErrorClass.FILE;
            default -> lower.contains("no space") ? ErrorClass.NO_SPACE
                : lower.contains("quota") ? ErrorClass.QUOTA
                : lower.contains("read-only") ? ErrorClass.READ_ONLY
                : lower.contains("permission") ? ErrorClass.ACCESS
                : ErrorClass.IO;
        };
        // Cause: the file system of the node refused the call; the class and the reason say why.
        return new MpiFailure(errorClass, "file cannot be used: call=" + what + ", file=" + path + ", reason="
            + (why instanceof IOException && reason.equals(path.toString()) ? errorClass.text() : reason), why);
    }

    /** A call of the channel. */
    private interface Call {
        long on(FileChannel channel) throws IOException;
    }

    /** Makes a call; again if an interrupt has closed the channel. */
    private long call(final String what, final Call call) {
        boolean wasInterrupted = false;
        try {
            while (true) {
                final FileChannel at = channel;
                try {
                    return call.on(at);
                } catch (final ClosedByInterruptException e) {
                    wasInterrupted |= Thread.interrupted();
                    lifecycle.check();
                    reopen(at);
                } catch (final ClosedChannelException e) {
                    lifecycle.check();
                    if (isClosed) {
                        throw failure(what, path, e);
                    }
                    reopen(at);
                } catch (final IOException e) {
                    throw failure(what, path, e);
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Opens the file again after an interrupt has closed its channel. */
    private synchronized void reopen(final FileChannel closed) {
        if (!isClosed && channel == closed) {
            try {
                channel = FileChannel.open(path, options);
            } catch (final IOException e) {
                throw failure("open", path, e);
            }
        }
    }

    /** Returns its path. */
    Path path() {
        return path;
    }

    /** Reads bytes; returns how many there were, fewer than wanted at the end of the file. */
    long read(final long offset, final MemorySegment to, final long at, final long bytes) {
        long done = 0;
        while (done < bytes) {
            final long from = done;
            final long n = to.isNative() ? readNative(offset + from, to, at + from, Math.min(MOST, bytes - from))
                : readPiece(offset + from, to, at + from, (int) Math.min(PIECE, bytes - from));
            if (n <= 0) {
                break;
            }
            done += n;
        }
        return done;
    }

    private long readNative(final long offset, final MemorySegment to, final long at, final long bytes) {
        final ByteBuffer view = to.asSlice(at, bytes).asByteBuffer();
        return call("read", c -> c.read(view, offset));
    }

    private long readPiece(final long offset, final MemorySegment to, final long at, final int bytes) {
        final ByteBuffer piece = piece(bytes);
        final long n = call("read", c -> c.read(piece.clear().limit(bytes), offset));
        if (n > 0) {
            MemorySegment.copy(MemorySegment.ofBuffer(piece.clear()), 0, to, at, n);
        }
        pieces.add(piece);
        return n;
    }

    /** Writes bytes. */
    void write(final long offset, final MemorySegment from, final long at, final long bytes) {
        isUnsynced = true;
        long done = 0;
        while (done < bytes) {
            final long position = done;
            done += from.isNative() ? writeNative(offset + position, from, at + position, Math.min(MOST, bytes - position))
                : writePiece(offset + position, from, at + position, (int) Math.min(PIECE, bytes - position));
        }
    }

    private long writeNative(final long offset, final MemorySegment from, final long at, final long bytes) {
        final ByteBuffer view = from.asSlice(at, bytes).asByteBuffer();
        return call("write", c -> c.write(view, offset));
    }

    private long writePiece(final long offset, final MemorySegment from, final long at, final int bytes) {
        final ByteBuffer piece = piece(bytes);
        MemorySegment.copy(from, at, MemorySegment.ofBuffer(piece.clear()), 0, bytes);
        final long n = call("write", c -> c.write(piece.clear().limit(bytes), offset));
        pieces.add(piece);
        return n;
    }

    private ByteBuffer piece(final int bytes) {
        final ByteBuffer free = pieces.poll();
        if (free != null && free.capacity() >= bytes) {
            return free;
        }
        return ByteBuffer.allocateDirect(bytes > PIECE / 16 ? PIECE : PIECE / 16);
    }

    /** Returns the length of the file. */
    long size() {
        return call("size", FileChannel::size);
    }

    /** Makes the file shorter, or longer: with zeros that need no space. */
    void resize(final long size) {
        isUnsynced = true;
        call("setSize", c -> {
            if (c.size() > size) {
                c.truncate(size);
            } else if (c.size() < size) {
                c.write(ByteBuffer.allocate(1), size - 1);
            }
            return 0;
        });
    }

    /** Makes the file so long at the least, with zeros that have their space. */
    void reserve(final long size) {
        final MemorySegment zeros = Scratch.allocate(PIECE);
        for (long at = size(); at < size; at += PIECE) {
            write(at, zeros, 0, Math.min(PIECE, size - at));
        }
    }

    /** Waits until what this rank has written is on the disk. */
    void sync() {
        if (isUnsynced) {
            isUnsynced = false;
            call("sync", c -> {
                c.force(true);
                return 0;
            });
        }
    }

    @Override
    public void close() {
        lifecycle.endedBeforeRank(atEnd);
        closeQuietly();
    }

    private synchronized void closeQuietly() {
        isClosed = true;
        try {
            channel.close();
        } catch (final IOException e) {
            // what was written is synced before; there is nothing left to lose
            return;
        }
    }
}
