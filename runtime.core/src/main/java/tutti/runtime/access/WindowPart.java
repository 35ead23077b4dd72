package tutti.runtime.access;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The memory of one rank in a window, in the JVM of this rank. Offsets are bytes from the begin of the memory; in a dynamic window, where memory is
 * attached and detached, they are addresses.
 *
 * <p><b>Threads.</b> Safe for any thread. A lock makes accumulates atomic, element by element; it is held for {@value #CHUNK} bytes at the most.
 */
public final class WindowPart {
    private static final int CHUNK = 16 << 10;

    private final int rank;
    /** The memory by the offset of its first byte. */
    private final ConcurrentSkipListMap<Long, MemorySegment> memory = new ConcurrentSkipListMap<>();
    private final boolean isDynamic;
    private final Map<Integer, MpiFailure> failures = new ConcurrentHashMap<>();
    private final WindowLocks locks = new WindowLocks();
    private final ReentrantLock atomic = new ReentrantLock();

    /** Creates the part of a rank. */
    private WindowPart(final int rank, final boolean isDynamic) {
        this.rank = rank;
        this.isDynamic = isDynamic;
    }

    /** Returns the part of a rank with memory. */
    public static WindowPart of(final int rank, final MemorySegment memory) {
        final WindowPart part = new WindowPart(rank, false);
        part.memory.put(0L, memory);
        return part;
    }

    /** Returns the part of a rank in a dynamic window. */
    public static WindowPart dynamic(final int rank) {
        return new WindowPart(rank, true);
    }

    /** Attaches native memory, which overlaps no other memory. */
    public synchronized void attach(final MemorySegment more) {
        final var before = memory.lowerEntry(more.address() + Math.max(1, more.byteSize()));
        if (before != null && before.getKey() + before.getValue().byteSize() > more.address()) {
            throw new MpiFailure(ErrorClass.RMA_ATTACH, "memory is attached already, or overlaps memory that is: bytes=" + more.byteSize());
        }
        memory.put(more.address(), more);
    }

    /** Detaches memory. */
    public synchronized void detach(final MemorySegment less) {
        if (memory.remove(less.address()) == null) {
            throw new MpiFailure(ErrorClass.RMA_ATTACH, "memory is not attached");
        }
    }

    /** Returns the locks on the memory. */
    public WindowLocks locks() {
        return locks;
    }

    /** Returns the memory that holds some bytes: its key is the offset of its first byte. */
    private long begin(final long low, final long high) {
        final var found = memory.floorEntry(low);
        if (found == null || high - found.getKey() > found.getValue().byteSize()) {
            throw new MpiFailure(ErrorClass.RMA_RANGE,
                (isDynamic ? "memory is not attached to the window: target=" : "beyond the memory of the window: target=")
                    + rank + (isDynamic ? "" : ", offset=" + low) + ", bytes=" + (high - low));
        }
        return found.getKey();
    }

    private MemorySegment memory(final long begin) {
        final MemorySegment found = memory.get(begin);
        if (found == null) {
            throw new MpiFailure(ErrorClass.RMA_RANGE, "memory is not attached to the window: target=" + rank);
        }
        return found;
    }

    private long begin(final long offset, final long stride, final long length, final long repeat) {
        final long last = offset + (repeat - 1) * stride;
        return begin(Math.min(offset, last), Math.max(offset, last) + length);
    }

    /** Refuses blocks that are not within the memory. */
    void check(final long offset, final long stride, final long length, final long repeat) {
        begin(offset, stride, length, repeat);
    }

    /** Keeps the first failure of accesses of a rank that are not answered. */
    void failed(final int origin, final MpiFailure why) {
        failures.putIfAbsent(origin, why);
    }

    /** Removes the first failure of such accesses; returns null when none has failed. */
    @Nullable
    MpiFailure failure(final int origin) {
        return failures.remove(origin);
    }

    /** Reads blocks: {@code repeat} of them, {@code stride} bytes from one to the next. */
    public void read(final long offset, final long stride, final long length, final long repeat, final MemorySegment to, final long at) {
        final long begin = begin(offset, stride, length, repeat);
        Datatype.copyBlocks(true, memory(begin), offset - begin, stride, to, at, length, repeat);
    }

    /** Writes blocks. */
    public void write(final long offset, final long stride, final long length, final long repeat, final MemorySegment from, final long at) {
        final long begin = begin(offset, stride, length, repeat);
        Datatype.copyBlocks(false, memory(begin), offset - begin, stride, from, at, length, repeat);
    }

    /** Returns the memory from an offset on, which has some bytes. */
    public MemorySegment slice(final long offset, final long bytes) {
        final long begin = begin(offset, offset + bytes);
        return memory(begin).asSlice(offset - begin, bytes);
    }

    /**
     * Combines elements in blocks with packed ones.
     *
     * @param type   predefined type of the elements
     * @param result receives what was there before; null for none
     */
    public void accumulate(final Op op, final Datatype type, final long offset, final long stride, final long length, final long repeat,
        final MemorySegment data, final long dataAt, final @Nullable MemorySegment result, final long resultAt) {
        final BoundReduction reduction = op.bind(type);
        final long size = type.size();
        if (length % size != 0 || !type.isContiguous() && length != size) {
            throw new MpiFailure(ErrorClass.TYPE, "elements are cut: bytes=" + length + ", type=" + type.name());
        }
        final long begin = begin(offset, stride, type.isContiguous() ? length : type.extent(), repeat);
        final MemorySegment to = memory(begin);
        for (long block = 0; block < repeat; block++) {
            final long at = offset - begin + block * stride;
            final long done = block * length;
            for (long i = 0; i < length; i += CHUNK / size * size) {
                final long bytes = Math.min(CHUNK / size * size, length - i);
                atomic.lock();
                try {
                    if (result != null) {
                        type.pack(to, at + i, bytes / size, result, resultAt + done + i);
                    }
                    combine(reduction, type, data, dataAt + done + i, to, at + i, bytes / size);
                } finally {
                    atomic.unlock();
                }
            }
        }
    }

    private static void combine(final BoundReduction reduction, final Datatype type, final MemorySegment data, final long dataAt,
        final MemorySegment to,
        final long at, final long count) {
        if (reduction.op() == Op.NO_OP) {
            return;
        }
        if (type.isContiguous()) {
            reduction.apply(data, dataAt, to, at, count);
        } else {
            // elements with gaps: a value and its index
            final MemorySegment packed = reduction.newMemory(count * type.size());
            type.pack(to, at, count, packed, 0);
            reduction.apply(data, dataAt, packed, 0, count);
            type.unpack(packed, 0, count, to, at);
        }
    }

    /** Replaces an element if it is equal to another one; what was there before goes to the result. The data has the other one, then the new one. */
    public void swap(final Datatype type, final long offset, final MemorySegment data, final long dataAt, final MemorySegment result,
        final long resultAt) {
        final long size = type.size();
        final long begin = begin(offset, offset + size);
        final MemorySegment at = memory(begin);
        atomic.lock();
        try {
            MemorySegment.copy(at, offset - begin, result, resultAt, size);
            if (MemorySegment.mismatch(result, resultAt, resultAt + size, data, dataAt, dataAt + size) < 0) {
                MemorySegment.copy(data, dataAt + size, at, offset - begin, size);
            }
        } finally {
            atomic.unlock();
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
