package tutti.runtime.affinity;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The number of busy threads of each process of this user on the machine, in a file that the processes map into memory.
 *
 * <pre>
 *  entry of a process, 64 bytes
 *  +---------+-----------------------+----------+--------+
 *  | pid i64 | start of process i64  | busy i32 | unused |
 *  +---------+-----------------------+----------+--------+
 * </pre>
 *
 * The containers of one process share an entry. The entry of a process that has ended is taken by the next one, or ignored after {@link #refresh}.
 * Where the file cannot be mapped, each process counts alone. The file stays until the system starts again.
 *
 * <p><b>Threads.</b> Safe for any thread and process: entries are claimed and counted atomically.
 */
final class OccupancyFile {
    private static final Logger LOG = LoggerFactory.getLogger(OccupancyFile.class);
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final int ENTRIES = 64;
    private static final int ENTRY_BYTES = 64;
    private static final int START = 8;
    private static final int BUSY = 16;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final MemorySegment table;
    private final long own;
    /** Offset behind the last entry that is in use. */
    private volatile long end;

    private OccupancyFile(final MemorySegment table, final long own) {
        this.table = table;
        this.own = own;
        refresh();
    }

    /** Opens the file of this user: in shared memory where the system has a folder for it, else in the folder for temporary files. */
    static OccupancyFile open() {
        final String user = System.getProperty("user.name").replaceAll("[^A-Za-z0-9_-]", "_");
        final Path folder = Files.isDirectory(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
        return open(folder.resolve("tutti-cores-" + user));
    }

    static OccupancyFile open(final Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS)) {
            if (!Files.getOwner(file).getName().equals(System.getProperty("user.name"))) {
                throw new IOException("file of another user");
            }
            final MemorySegment table = channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) ENTRIES * ENTRY_BYTES, Arena.global());
            final long own = claim(table);
            if (own >= 0) {
                return new OccupancyFile(table, own);
            }
            LOG.debug("no free entry: file={}", file);
        } catch (final IOException | RuntimeException e) {
            LOG.debug("other processes of this machine are not counted: file={}", file, e);
        }
        return new OccupancyFile(Arena.global().allocate(ENTRY_BYTES, ENTRY_BYTES), 0);
    }

    private static long claim(final MemorySegment table) {
        final long pid = ProcessHandle.current().pid();
        final long start = startOf(ProcessHandle.current());
        long free = -1;
        for (long at = 0; at < table.byteSize(); at += ENTRY_BYTES) {
            if (isOf(table, at, pid, start)) {
                return at;
            }
        }
        for (long at = 0; at < table.byteSize() && free < 0; at += ENTRY_BYTES) {
            final long before = (long) LONG.getVolatile(table, at);
            if (!isAlive(table, at) && LONG.compareAndSet(table, at, before, pid)) {
                LONG.setVolatile(table, at + START, start);
                INT.setVolatile(table, at + BUSY, 0);
                free = at;
            }
        }
        return free;
    }

    private static boolean isOf(final MemorySegment table, final long at, final long pid, final long start) {
        return (long) LONG.getVolatile(table, at) == pid && (long) LONG.getVolatile(table, at + START) == start;
    }

    private static boolean isAlive(final MemorySegment table, final long at) {
        final long pid = (long) LONG.getVolatile(table, at);
        return pid != 0 && ProcessHandle.of(pid).map(p -> isOf(table, at, pid, startOf(p))).orElse(false);
    }

    private static long startOf(final ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /** Ignores from now on the processes that have ended, and counts those that have started. */
    void refresh() {
        long last = own;
        for (long at = 0; at < table.byteSize(); at += ENTRY_BYTES) {
            if (at != own && (int) INT.getVolatile(table, at + BUSY) != 0 && !isAlive(table, at)) {
                INT.setVolatile(table, at + BUSY, 0);
            }
            if ((long) LONG.getVolatile(table, at) != 0) {
                last = Math.max(last, at);
            }
        }
        end = last + ENTRY_BYTES;
    }

    /** Adds to the number of busy threads of this process. */
    void add(final int threads) {
        INT.getAndAdd(table, own + BUSY, threads);
    }

    /** Returns the number of busy threads of all processes. */
    int sum() {
        int sum = 0;
        for (long at = 0, last = end; at < last; at += ENTRY_BYTES) {
            sum += (int) INT.getOpaque(table, at + BUSY);
        }
        return sum;
    }
}
