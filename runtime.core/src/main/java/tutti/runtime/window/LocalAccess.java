package tutti.runtime.window;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.DataRuns;
import tutti.runtime.access.WindowMemory;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.match.DataLayout;

/**
 * Accesses of a rank to memory of a window that its JVM has, or maps: they are made at once. Arguments were checked before. Safe for the threads of
 * the rank.
 */
final class LocalAccess {
    /** Bytes of data with gaps that are copied at once. */
    private static final int PIECE = 64 << 10;
    /** Runs of elements that are combined at once. */
    private static final int RUNS = 64;

    private final WindowMemory memory;

    LocalAccess(final WindowMemory memory) {
        this.memory = memory;
    }

    /** Writes data; {@code at} is the offset of element 0. */
    void put(final MessageBuffer data, final long at, final long count, final Datatype type) {
        if (data.bytes() == 0) {
            return;
        }
        if (data.isDirect() && type.isContiguous()) {
            memory.write(at, data.bytes(), data.memory());
        } else {
            final Runs runs = new Runs(DataRuns.of(type, count), at);
            inPieces(data.bytes(), 1, (position, length, piece) -> {
                pack(data, position, length, piece);
                runs.next(length, (offset, stride, block, repeat, done) -> memory.write(offset, stride, block, repeat, piece, done));
            });
        }
    }

    /** Reads data. */
    void get(final MessageBuffer result, final long at, final long count, final Datatype type) {
        if (result.bytes() == 0) {
            return;
        }
        if (result.isDirect() && type.isContiguous()) {
            memory.read(at, result.bytes(), result.memory());
        } else {
            final Runs runs = new Runs(DataRuns.of(type, count), at);
            inPieces(result.bytes(), 1, (position, length, piece) -> {
                runs.next(length, (offset, stride, block, repeat, done) -> memory.read(offset, stride, block, repeat, piece, done));
                unpack(result, position, length, piece);
            });
        }
    }

    /**
     * Combines data with that of the window.
     *
     * @param data   null for an operation that changes nothing
     * @param result receives what was there before; null for none
     */
    void accumulate(final BoundReduction reduction, final @Nullable MessageBuffer data, final @Nullable MessageBuffer result, final long at,
        final long count, final Datatype type) {
        final long length = Math.multiplyExact(count, type.size());
        if (type.isContiguous() && isInPlace(data) && isInPlace(result)) {
            memory.accumulate(reduction, at, length, data == null ? MemorySegment.NULL : data.memory(), 0, result == null ? null : result.memory(),
                0);
        } else {
            accumulateRuns(reduction, data, result, DataRuns.of(type, count).cursor(), at, length);
        }
    }

    /** Returns whether data is in one block of the caller's memory, or there is none. */
    private static boolean isInPlace(final @Nullable MessageBuffer data) {
        return data == null || data.isDirect();
    }

    private void accumulateRuns(final BoundReduction reduction, final @Nullable MessageBuffer data,
        final @Nullable MessageBuffer result, final DataRuns.Cursor runs, final long at, final long length) {
        final int unit = (int) reduction.elementBytes();
        final byte[] list = new byte[RUNS * DataRuns.BYTES];
        final MemorySegment view = MemorySegment.ofArray(list);
        inPieces(length, unit, (position, bytes, piece) -> {
            if (data != null) {
                pack(data, position, bytes, piece);
            }
            final MemorySegment before = result == null ? null : MemorySegment.ofArray(new byte[(int) bytes]);
            for (long done = 0; done < bytes; done += runs.taken()) {
                final int written = runs.takeElements(at, list, 0, RUNS, bytes - done, unit);
                memory.accumulateRuns(reduction, view, 0, written, runs.taken(), piece, done, before, done);
            }
            if (result != null && before != null) {
                unpack(result, position, bytes, before);
            }
        });
    }

    /** Replaces an element if it is equal to another one; what was there before goes to the result. */
    void swap(final MessageBuffer next, final MessageBuffer compare, final MessageBuffer result, final long at, final long bytes) {
        memory.swap(bytes, at, compare.memory(), 0, next.memory(), 0, result.memory(), 0);
    }

    /** Copies a piece of data, which is packed. */
    private interface Piece {
        void copy(long position, long length, MemorySegment piece);
    }

    private static void inPieces(final long bytes, final int unit, final Piece copy) {
        final int most = PIECE / unit * unit;
        final MemorySegment piece = MemorySegment.ofArray(new byte[(int) Math.min(most, bytes)]);
        for (long position = 0; position < bytes; position += most) {
            copy.copy(position, Math.min(most, bytes - position), piece);
        }
    }

    private static void pack(final MessageBuffer data, final long position, final long length, final MemorySegment piece) {
        final DataLayout layout = data.layout();
        if (layout == null) {
            MemorySegment.copy(data.memory(), position, piece, 0, length);
        } else {
            layout.pack(position, length, piece, 0);
        }
    }

    private static void unpack(final MessageBuffer result, final long position, final long length, final MemorySegment piece) {
        final DataLayout layout = result.layout();
        if (layout == null) {
            MemorySegment.copy(piece, 0, result.memory(), position, length);
        } else {
            layout.unpack(piece, 0, position, length);
        }
    }

    /** Accesses blocks of the memory, whose data is at a position of the piece. */
    private interface Access {
        void access(long offset, long stride, long block, long repeat, long done);
    }

    /** The blocks of a target's elements, taken in order. */
    private static final class Runs {
        private final DataRuns.Cursor cursor;
        private final long base;
        private final byte[] run = new byte[DataRuns.BYTES];
        private final MemorySegment view = MemorySegment.ofArray(run);

        Runs(final DataRuns of, final long base) {
            this.cursor = of.cursor();
            this.base = base;
        }

        /** Accesses the blocks of the next data. */
        void next(final long bytes, final Access access) {
            for (long done = 0; done < bytes; done += cursor.taken()) {
                cursor.take(base, run, 0, 1, bytes - done);
                access.access(DataRuns.offset(view, 0), DataRuns.stride(view, 0), DataRuns.length(view, 0), DataRuns.repeat(view, 0), done);
            }
        }
    }
}
