package tutti.runtime.access;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The memory of one rank in a window, as a JVM accesses it: that of the rank, or one that maps it. Offsets are bytes from the begin of the memory; in
 * a dynamic window, where memory is attached and detached, they are addresses.
 *
 * <p><b>Threads.</b> Safe for any thread. {@link MemoryWords} make accumulates atomic, element by element, for {@value #CHUNK} bytes at the most at
 * a time, or for a part whose elements are in several blocks.
 */
public final class WindowMemory {
    private static final int CHUNK = 16 << 10;

    private final int rank;
    /** The memory; null in a dynamic window. */
    private final @Nullable MemorySegment fixed;
    /** The memory that is attached in a dynamic window, by its address. */
    private final ConcurrentSkipListMap<Long, MemorySegment> attached = new ConcurrentSkipListMap<>();
    private final MemoryWords words;

    private WindowMemory(final int rank, final @Nullable MemorySegment fixed, final MemoryWords words) {
        this.rank = rank;
        this.fixed = fixed;
        this.words = words;
    }

    /** Returns the memory of a rank. */
    public static WindowMemory of(final int rank, final MemorySegment memory, final MemoryWords words) {
        return new WindowMemory(rank, memory, words);
    }

    /** Returns the memory of a rank in a dynamic window. */
    public static WindowMemory dynamic(final int rank, final MemoryWords words) {
        return new WindowMemory(rank, null, words);
    }

    /** Returns the words that belong to the memory. */
    public MemoryWords words() {
        return words;
    }

    /** Returns all of it; none in a dynamic window. */
    public MemorySegment all() {
        return fixed == null ? MemorySegment.NULL : fixed;
    }

    /** Attaches native memory, which overlaps no other memory. */
    public synchronized void attach(final MemorySegment more) {
        final var before = attached.lowerEntry(more.address() + Math.max(1, more.byteSize()));
        if (before != null && before.getKey() + before.getValue().byteSize() > more.address()) {
            throw new MpiFailure(ErrorClass.RMA_ATTACH, "memory is attached already, or overlaps memory that is: bytes=" + more.byteSize());
        }
        attached.put(more.address(), more);
    }

    /** Detaches memory. */
    public synchronized void detach(final MemorySegment less) {
        if (attached.remove(less.address()) == null) {
            throw new MpiFailure(ErrorClass.RMA_ATTACH, "memory is not attached");
        }
    }

    /** Returns the memory that holds the bytes from an offset up to another one. */
    private MemorySegment holding(final long low, final long high) {
        final MemorySegment all = fixed;
        if (all != null) {
            if (low < 0 || high < low || high > all.byteSize()) {
                throw beyond("beyond the memory of the window: target=" + rank + ", offset=" + low, low, high);
            }
            return all;
        }
        final var found = attached.floorEntry(low);
        if (found == null || high < low || high - found.getKey() > found.getValue().byteSize()) {
            throw beyond("memory is not attached to the window: target=" + rank, low, high);
        }
        return found.getValue();
    }

    private static MpiFailure beyond(final String text, final long low, final long high) {
        return new MpiFailure(ErrorClass.RMA_RANGE, text + ", bytes=" + (high - low));
    }

    private MemorySegment holding(final long offset, final long stride, final long length, final long repeat) {
        final long last = offset + (repeat - 1) * stride;
        return holding(Math.min(offset, last), Math.max(offset, last) + length);
    }

    /** Returns the offset of the first byte of the memory that {@link #holding} returns. */
    private long begin(final MemorySegment memory) {
        return fixed != null ? 0 : memory.address();
    }

    /** Refuses blocks that are not within the memory. */
    void check(final long offset, final long stride, final long length, final long repeat) {
        holding(offset, stride, length, repeat);
    }

    /** Reads some bytes. */
    public void read(final long offset, final long bytes, final MemorySegment to) {
        final MemorySegment memory = holding(offset, offset + bytes);
        MemorySegment.copy(memory, offset - begin(memory), to, 0, bytes);
    }

    /** Writes some bytes. */
    public void write(final long offset, final long bytes, final MemorySegment from) {
        final MemorySegment memory = holding(offset, offset + bytes);
        MemorySegment.copy(from, 0, memory, offset - begin(memory), bytes);
    }

    /** Reads blocks: {@code repeat} of them, {@code stride} bytes from one to the next. */
    public void read(final long offset, final long stride, final long length, final long repeat, final MemorySegment to, final long at) {
        final MemorySegment memory = holding(offset, stride, length, repeat);
        Datatype.copyBlocks(true, memory, offset - begin(memory), stride, to, at, length, repeat);
    }

    /** Writes blocks. */
    public void write(final long offset, final long stride, final long length, final long repeat, final MemorySegment from, final long at) {
        final MemorySegment memory = holding(offset, stride, length, repeat);
        Datatype.copyBlocks(false, memory, offset - begin(memory), stride, from, at, length, repeat);
    }

    /** Returns the memory from an offset on, which has some bytes. */
    public MemorySegment slice(final long offset, final long bytes) {
        final MemorySegment memory = holding(offset, offset + bytes);
        return memory.asSlice(offset - begin(memory), bytes);
    }

    /**
     * Combines elements that follow each other without gaps with those of the data.
     *
     * @param result receives what was there before; null for none
     */
    public void accumulate(final BoundReduction reduction, final long offset, final long length, final MemorySegment data, final long dataAt,
        final @Nullable MemorySegment result, final long resultAt) {
        final long size = reduction.elementBytes();
        checkWhole(reduction, length);
        final MemorySegment memory = holding(offset, offset + length);
        final long at = offset - begin(memory);
        final long most = CHUNK / size * size;
        for (long done = 0; done < length; done += most) {
            final long bytes = Math.min(most, length - done);
            words.beginCombining();
            try {
                if (result != null) {
                    MemorySegment.copy(memory, at + done, result, resultAt + done, bytes);
                }
                if (reduction.op() != Op.NO_OP) {
                    reduction.apply(data, dataAt + done, memory, at + done, bytes / size);
                }
            } finally {
                words.endCombining();
            }
        }
    }

    private static void checkWhole(final BoundReduction reduction, final long length) {
        if (length % reduction.elementBytes() != 0) {
            throw new MpiFailure(ErrorClass.TYPE, "elements are cut: bytes=" + length + ", type=" + reduction.type().name());
        }
    }

    /**
     * Combines elements, whose bytes are in several blocks, with those of the data: all of them in one step.
     *
     * @param runs   has the {@link DataRuns} of the blocks
     * @param first  offset of the first run there
     * @param count  number of runs
     * @param bytes  length of the data
     * @param result receives what was there before; null for none
     */
    public void accumulateRuns(final BoundReduction reduction, final MemorySegment runs, final long first, final int count, final long bytes,
        final MemorySegment data, final long dataAt, final @Nullable MemorySegment result, final long resultAt) {
        if (count == 1 && DataRuns.repeat(runs, first) == 1) {
            accumulate(reduction, DataRuns.offset(runs, first), DataRuns.length(runs, first), data, dataAt, result, resultAt);
            return;
        }
        checkWhole(reduction, bytes);
        final MemorySegment packed = reduction.newMemory(bytes);
        words.beginCombining();
        try {
            copyRuns(true, runs, first, count, packed);
            if (result != null) {
                MemorySegment.copy(packed, 0, result, resultAt, bytes);
            }
            if (reduction.op() != Op.NO_OP) {
                reduction.apply(data, dataAt, packed, 0, bytes / reduction.elementBytes());
                copyRuns(false, runs, first, count, packed);
            }
        } finally {
            words.endCombining();
        }
    }

    private void copyRuns(final boolean reads, final MemorySegment runs, final long first, final int count, final MemorySegment packed) {
        long done = 0;
        for (int i = 0; i < count; i++) {
            final long run = first + (long) i * DataRuns.BYTES;
            final long length = DataRuns.length(runs, run);
            final long repeat = DataRuns.repeat(runs, run);
            if (reads) {
                read(DataRuns.offset(runs, run), DataRuns.stride(runs, run), length, repeat, packed, done);
            } else {
                write(DataRuns.offset(runs, run), DataRuns.stride(runs, run), length, repeat, packed, done);
            }
            done += length * repeat;
        }
    }

    /** Replaces an element of some bytes if it is equal to another one; what was there before goes to the result. */
    public void swap(final long bytes, final long offset, final MemorySegment compare, final long compareAt, final MemorySegment next,
        final long nextAt, final MemorySegment result, final long resultAt) {
        final MemorySegment memory = holding(offset, offset + bytes);
        final long at = offset - begin(memory);
        words.beginCombining();
        try {
            final boolean isEqual = MemorySegment.mismatch(memory, at, at + bytes, compare, compareAt, compareAt + bytes) < 0;
            MemorySegment.copy(memory, at, result, resultAt, bytes);
            if (isEqual) {
                MemorySegment.copy(next, nextAt, memory, at, bytes);
            }
        } finally {
            words.endCombining();
        }
    }

    /** Returns native memory that a window allocates, which lives as long as something refers to it. */
    public static MemorySegment allocate(final long bytes) {
        try {
            return Arena.ofAuto().allocate(Math.max(1, bytes), 64).asSlice(0, bytes);
        } catch (final OutOfMemoryError e) {
            throw new MpiFailure(ErrorClass.NO_MEM, "no memory for a window: bytes=" + bytes, e);
        }
    }
}
