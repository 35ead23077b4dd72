package tutti.runtime.window;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.WindowPart;
import tutti.runtime.access.WindowTable;
import tutti.runtime.comm.Communicator;
import tutti.runtime.context.CommContext;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.match.Mailbox;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * Memory that all ranks of a window have as their own. The first rank allocates it. Ranks of one JVM get the same segment; ranks of several JVMs of a
 * host map a file of its shared memory, which has no name any more when all have mapped it.
 */
final class SharedMemory {
    private static final Path FOLDER = Path.of("/dev/shm");
    private static final String PREFIX = "tutti-window-";
    private static final int PIECE = 1 << 20;
    /** Number of the memory in the table of windows, while its ranks of one JVM get it. */
    private static final int WHOLE = -1;

    private SharedMemory() {}

    /** Allocates memory, together with all ranks of a communicator; on all or on none. */
    static MemorySegment allocate(final Communicator inner, final long bytes) {
        final CommContext context = inner.context();
        for (int r = 0; r < context.size(); r++) {
            if (!(context.target(r) instanceof Mailbox)) {
                return map(inner, bytes);
            }
        }
        return inJvm(inner, bytes);
    }

    private static MemorySegment inJvm(final Communicator inner, final long bytes) {
        final WindowTable table = inner.context().owner().job().windows();
        try {
            MpiFailure problem = null;
            if (inner.rank() == 0) {
                try {
                    table.add(inner.contextId(), WHOLE, WindowPart.of(0, WindowPart.allocate(bytes)));
                } catch (final MpiFailure e) {
                    problem = e;
                }
            }
            agree(inner, problem, bytes);
            final WindowPart whole = table.find(inner.contextId(), WHOLE);
            agree(inner, whole == null ? new MpiFailure(ErrorClass.OTHER, "rank 0 cannot create its part of the window") : null, bytes);
            return whole == null ? MemorySegment.NULL : whole.slice(0, bytes);
        } finally {
            if (inner.rank() == 0) {
                table.remove(inner.contextId(), WHOLE); // each rank has it, or never will
            }
        }
    }

    private static MemorySegment map(final Communicator inner, final long bytes) {
        final long[] number = {System.nanoTime() ^ ProcessHandle.current().pid() << Integer.SIZE};
        inner.engine().blocking().bcast(number, 1, Datatype.LONG, 0);
        final Path folder = Files.isDirectory(FOLDER) ? FOLDER : Path.of(System.getProperty("java.io.tmpdir"));
        final Path file = folder.resolve(PREFIX + Long.toHexString(number[0]));
        MemorySegment mapped = MemorySegment.NULL;
        MpiFailure problem = null;
        try {
            if (inner.rank() == 0) {
                try {
                    mapped = create(file, bytes);
                } catch (final IOException e) {
                    // Cause: the shared memory of the host is full. Remedy: `mount -o remount,size=...` of /dev/shm, or ranks of one JVM.
                    problem = new MpiFailure(ErrorClass.NO_MEM, "no shared memory for a window: bytes=" + bytes + ", file=" + file + ", reason="
                        + e.getMessage(), e);
                }
            }
            agree(inner, problem, bytes);
            if (inner.rank() != 0) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, Arena.ofAuto());
                } catch (final IOException e) {
                    // Cause: the ranks are on several hosts. Remedy: a communicator of `splitType(Comm.TYPE_SHARED, ...)`.
                    problem = new MpiFailure(ErrorClass.RMA_SHARED, "ranks of several hosts cannot share memory: rank " + inner.rank()
                        + " does not find that of rank 0, reason=" + e.getMessage(), e);
                }
            }
            agree(inner, problem, bytes);
            return mapped;
        } finally {
            if (inner.rank() == 0) {
                delete(file);
            }
        }
    }

    /** Creates a file of zeros whose memory is reserved: what is not would end the JVM when it is written. */
    private static MemorySegment create(final Path file, final long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            if (bytes > file.toFile().getUsableSpace()) {
                throw new IOException("No space left on device");
            }
            final ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(PIECE, bytes));
            for (long at = 0; at < bytes;) {
                at += channel.write(zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - at)), at);
            }
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, Arena.ofAuto());
        }
    }

    private static void delete(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            // Cause: the folder cannot be written any more. Remedy: delete the file by hand.
            throw new MpiFailure(ErrorClass.OTHER, "file of shared memory cannot be deleted: file=" + file + ", reason=" + e.getMessage(), e);
        }
    }

    /** Fails on all ranks when one has a problem. */
    private static void agree(final Communicator inner, final @Nullable MpiFailure problem, final long bytes) {
        final long[] worst = {0};
        final long own = problem == null ? 0 : problem.errorClass().ordinal();
        inner.engine().blocking().allreduce(new long[] {own}, worst, 1, Datatype.LONG, Op.MAX);
        if (problem != null) {
            throw problem;
        }
        if (worst[0] != 0) {
            final ErrorClass errorClass = ErrorClass.values()[(int) worst[0]];
            throw new MpiFailure(errorClass, errorClass == ErrorClass.NO_MEM ? "no memory for a window: bytes=" + bytes
                : "another rank cannot share memory: " + errorClass.text());
        }
    }
}
