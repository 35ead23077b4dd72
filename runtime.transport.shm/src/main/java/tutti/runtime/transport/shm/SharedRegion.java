package tutti.runtime.transport.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Memory that both processes of a link have mapped: control words and a ring for each direction.
 *
 * <pre>
 *  0        1024      4096                 4096 + n             4096 + 2n
 *  +---------+---------+--------------------+--------------------+
 *  | words 0 | words 1 | ring to side 0     | ring to side 1     |    side 0 connected, side 1 accepted
 *  +---------+---------+--------------------+--------------------+
 *  words of a side, each in a cache line of its own, about the ring that this side reads
 *  +0   head u64    position up to which the side has read: it writes, the peer reads
 *  +128 wanted u64  position of the head at which the peer wants to hear of room, 0 for none: the peer sets, the side clears
 *  +256 asleep u32  1 while the side must be woken by a byte in the socket: the side sets, the peer clears
 *  +384 closed u32  1 when the side has closed the link in order
 * </pre>
 *
 * <p><b>Threads.</b> Any thread may close it. A thread that accesses the memory at the same time gets an {@link IllegalStateException}, and is
 * interrupted: see {@link tutti.runtime.transport.AccessInterrupt}.
 */
final class SharedRegion implements AutoCloseable {
    static final int CONNECTOR = 0;
    static final int ACCEPTOR = 1;
    static final int HEAD = 0;
    static final int WANTED = 128;
    static final int ASLEEP = 256;
    static final int CLOSED = 384;
    static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final int WORDS = 1_024;
    private static final int CONTROL = 4_096;
    private static final int PIECE = 64 << 10;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment all;
    private final int ringBytes;

    private SharedRegion(final FileChannel channel, final int ringBytes) throws IOException {
        this.ringBytes = ringBytes;
        boolean mapped = false;
        try {
            all = channel.map(FileChannel.MapMode.READ_WRITE, 0, fileBytes(ringBytes), arena);
            mapped = true;
        } finally {
            if (!mapped) {
                arena.close();
            }
        }
    }

    /** Returns whether a ring may have that length: any frame fits into half of it, wherever that half begins. */
    static boolean isRing(final int bytes) {
        return Integer.bitCount(bytes) == 1 && bytes >= 4 * (Record.MAX_STRIDE + Record.ALIGN) && bytes <= ShmSettings.MAX_RING;
    }

    /** Returns the length of a region's file. */
    static long fileBytes(final int ringBytes) {
        return CONTROL + 2L * ringBytes;
    }

    /**
     * Creates a region and its file, which only this user can open. Zeros are written over its whole length: if the file system is full this fails,
     * and no later access does.
     */
    static SharedRegion create(final Path file, final ShmSettings settings) throws IOException {
        final long bytes = fileBytes(settings.ringBytes());
        final long room = settings.room().bytes(settings.folder());
        if (room < bytes) {
            throw new IOException("free bytes: " + room);
        }
        try (FileChannel channel = FileChannel.open(file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            PosixFilePermissions.asFileAttribute(ShmFolder.OWNER_ONLY))) {
            boolean created = false;
            try {
                final ByteBuffer zeros = ByteBuffer.allocate(PIECE);
                for (long at = 0; at < bytes;) {
                    zeros.clear().limit((int) Math.min(PIECE, bytes - at));
                    at += channel.write(zeros, at);
                }
                final SharedRegion region = new SharedRegion(channel, settings.ringBytes());
                created = true;
                return region;
            } finally {
                if (!created) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** Maps the region of a file that the peer has created. */
    static SharedRegion open(final Path file, final int ringBytes) throws IOException {
        ShmFolder.checkOwned(file);
        try (FileChannel channel =
            FileChannel.open(file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || channel.size() != fileBytes(ringBytes)) {
                throw new IOException(
                    "memory of unexpected length: file=" + file + ", bytes=" + channel.size() + ", expected=" + fileBytes(ringBytes));
            }
            return new SharedRegion(channel, ringBytes);
        }
    }

    /** Returns the control words of a side. */
    MemorySegment words(final int side) {
        return all.asSlice((long) side * WORDS, WORDS);
    }

    /** Returns the ring that a side reads. */
    MemorySegment ring(final int side) {
        return all.asSlice(CONTROL + (long) side * ringBytes, ringBytes);
    }

    @Override
    public void close() {
        arena.close();
    }
}
