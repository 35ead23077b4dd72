package tutti.runtime.window;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.AccessOperation;
import tutti.runtime.access.AccessOperation.Action;
import tutti.runtime.access.AccessRequest;
import tutti.runtime.access.DataRuns;
import tutti.runtime.access.WindowPart;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.DataLayout;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;
import tutti.runtime.wire.PeerNode;
import tutti.runtime.wire.WindowTransfer;

/**
 * The memory of one rank of a window, as this rank accesses it: at once where both are in one JVM, else by operations that another node carries out.
 *
 * <p><b>Threads.</b> Safe for the threads of the rank. A lock guards the operations that are pending.
 */
final class WindowTarget {
    /** Bytes of data with gaps that are copied at once. */
    private static final int PIECE = 64 << 10;
    /** Runs of elements that are combined at once. */
    private static final int RUNS = 64;

    private final RankLifecycle lifecycle;
    private final long window;
    private final int rank;
    private final int origin;
    private final Memory memory;
    /** The memory in this JVM; null for a rank of another node. */
    private final @Nullable WindowPart part;
    /** The queue to the other node. */
    private final SerialExecutor queue;
    /** The request of every access that is complete at once. */
    private final AccessRequest done;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<AccessRequest> pending = new ArrayList<>();
    /** Whether operations without answers were sent since the last flush. */
    private volatile boolean isUnflushed;
    /** The key by which the transport accesses the memory; empty where it does not. */
    private byte[] key = {};

    /** The memory of a rank, as it tells the others. */
    record Memory(long bytes, int dispUnit, boolean isDynamic) {}

    WindowTarget(final RankLifecycle lifecycle, final long window, final int rank, final int origin, final Memory memory,
        final @Nullable WindowPart part, final SerialExecutor queue) {
        this.lifecycle = lifecycle;
        this.window = window;
        this.rank = rank;
        this.origin = origin;
        this.memory = memory;
        this.part = part;
        this.queue = queue;
        this.done = AccessRequest.completed(lifecycle, window, rank);
    }

    /** Returns what the rank tells of its memory. */
    Memory memory() {
        return memory;
    }

    /** Returns the offset of the first of some elements, after the check that all are within the memory. */
    private long offset(final long disp, final long count, final Datatype type) {
        Datatype.checkType(type);
        if (count < 0) {
            throw new MpiFailure(ErrorClass.COUNT, "count is negative: count=" + count);
        }
        if (disp < 0) {
            // Cause: a displacement counts from the begin of the window. Remedy: one from 0.
            throw new MpiFailure(ErrorClass.DISP, "displacement is negative: displacement=" + disp);
        }
        try {
            final long at = memory.isDynamic ? disp : Math.multiplyExact(disp, memory.dispUnit);
            final long first = type.first(count);
            final long end = Math.addExact(at, type.span(count) + Math.min(0, first));
            if (!memory.isDynamic && count > 0 && type.size() > 0 && (at + first < 0 || end > memory.bytes)) {
                throw beyond(disp, count, type, null);
            }
            return at;
        } catch (final ArithmeticException e) {
            throw beyond(disp, count, type, e);
        }
    }

    private MpiFailure beyond(final long disp, final long count, final Datatype type, final @Nullable Exception cause) {
        // Cause: the access ends behind the memory of the target. Remedy: displacements are in units of the target's window.
        return new MpiFailure(ErrorClass.RMA_RANGE, "beyond the memory of the window: target=" + rank + ", displacement=" + disp + ", unit="
            + memory.dispUnit + ", count=" + count + ", type=" + type.name() + ", window=" + memory.bytes + " bytes", cause);
    }

    private static void checkLength(final MessageBuffer data, final long count, final Datatype type) {
        if (data.bytes() != Math.multiplyExact(count, type.size())) {
            // Cause: the elements of origin and target are not the same. Remedy: counts and datatypes with the same basic elements.
            throw new MpiFailure(ErrorClass.TYPE, "origin and target differ: origin=" + data.bytes() + " bytes, target=" + count + " " + type.name()
                + " of " + type.size() + " bytes");
        }
    }

    private static void checkMemory(final MessageBuffer data) {
        if (!data.isDirect() && data.layout() == null && data.bytes() > 0) {
            // Cause: an array of booleans is copied. Remedy: a byte buffer.
            throw new MpiFailure(ErrorClass.BUFFER, "buffer cannot be used with a window: use another array, or a java.nio buffer");
        }
    }

    /** Writes data. */
    AccessRequest put(final MessageBuffer data, final long disp, final long count, final Datatype type) {
        final long at = offset(disp, count, type);
        checkMemory(data);
        checkLength(data, count, type);
        if (part == null) {
            return canTransfer(data, type) ? transfer(true, data, count, type, at)
                : start(Action.PUT, data, null, DataRuns.of(type, count), at, null, data.bytes() == 0);
        }
        if (data.bytes() > 0) {
            if (data.isDirect() && type.isContiguous()) {
                part.write(at, 0, data.bytes(), 1, data.memory(), 0);
            } else {
                final Runs runs = new Runs(DataRuns.of(type, count), at);
                inPieces(data.bytes(), 1, (position, length, piece) -> {
                    pack(data, position, length, piece);
                    runs.next(length, (offset, stride, block, repeat, done) -> part.write(offset, stride, block, repeat, piece, done));
                });
            }
        }
        return done;
    }

    /** Reads data. */
    AccessRequest get(final MessageBuffer result, final long disp, final long count, final Datatype type) {
        final long at = offset(disp, count, type);
        checkMemory(result);
        checkLength(result, count, type);
        if (part == null) {
            return canTransfer(result, type) ? transfer(false, result, count, type, at)
                : start(Action.GET, null, result, DataRuns.of(type, count), at, null, result.bytes() == 0);
        }
        if (result.bytes() > 0) {
            if (result.isDirect() && type.isContiguous()) {
                part.read(at, 0, result.bytes(), 1, result.memory(), 0);
            } else {
                final Runs runs = new Runs(DataRuns.of(type, count), at);
                inPieces(result.bytes(), 1, (position, length, piece) -> {
                    runs.next(length, (offset, stride, block, repeat, done) -> part.read(offset, stride, block, repeat, piece, done));
                    unpack(result, position, length, piece);
                });
            }
        }
        return done;
    }

    /** Sets the key by which the transport accesses the memory. */
    void setKey(final byte[] of) {
        key = of;
    }

    /** Returns whether the transport can access the target's memory in one piece. */
    private boolean canTransfer(final MessageBuffer data, final Datatype type) {
        return key.length > 0 && data.bytes() > 0 && data.isDirect() && type.isContiguous() && queue instanceof PeerNode;
    }

    private AccessRequest transfer(final boolean isWrite, final MessageBuffer data, final long count, final Datatype type, final long at) {
        final AccessRequest request = new AccessRequest(lifecycle, window, rank, PendingWait.Kind.WINDOW);
        keep(request, queue, new WindowTransfer((PeerNode) queue, isWrite, key, at, data.memory(), 0, data.bytes(), (why, lost) -> {
            if (why == null) {
                request.complete(lost);
            } else {
                // the system permits it no more, or the memory is gone: the other node says
                final AccessOperation operation = new AccessOperation(isWrite ? Action.PUT : Action.GET, request, window, rank, origin);
                if (isWrite) {
                    operation.data(data.memory(), 0, null);
                } else {
                    operation.result(data.memory(), 0, null, data.bytes());
                }
                operation.memory(DataRuns.of(type, count), at);
                isUnflushed |= isWrite;
                queue.submit(operation);
            }
        }));
        return request;
    }

    /**
     * Combines data with that of the window.
     *
     * @param data   null for an operation that changes nothing
     * @param result receives what was there before; null for none
     */
    AccessRequest accumulate(final @Nullable MessageBuffer data, final @Nullable MessageBuffer result, final long disp, final long count,
        final Datatype type, final Op op) {
        final long at = offset(disp, count, type);
        checkOp(op);
        final long length = Math.multiplyExact(count, type.size());
        if (data != null) {
            checkMemory(data);
            checkLength(data, count, type);
        }
        if (result != null) {
            checkMemory(result);
            checkLength(result, count, type);
        }
        if (type.size() == 0) {
            return done; // a type without elements has none of a kind
        }
        final ElementKind kind = kind(type);
        final BoundReduction reduction = op.bind(Op.basic(kind));
        if (part == null) {
            return start(result == null ? Action.ACCUMULATE : Action.FETCH, data, result, DataRuns.of(type, count), at, new Combination(op, kind),
                length == 0);
        }
        if (type.isContiguous() && isInPlace(data) && isInPlace(result)) {
            part.accumulate(reduction, at, length, data == null ? MemorySegment.NULL : data.memory(), 0, result == null ? null : result.memory(), 0);
        } else {
            accumulateRuns(part, reduction, data, result, DataRuns.of(type, count).cursor(), at, length);
        }
        return done;
    }

    /** Returns whether data is in one block of the caller's memory, or there is none. */
    private static boolean isInPlace(final @Nullable MessageBuffer data) {
        return data == null || data.isDirect();
    }

    private static void accumulateRuns(final WindowPart part, final BoundReduction reduction, final @Nullable MessageBuffer data,
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
                part.accumulateRuns(reduction, view, 0, written, runs.taken(), piece, done, before, done);
            }
            if (result != null && before != null) {
                unpack(result, position, bytes, before);
            }
        });
    }

    /** Replaces an element if it is equal to another one, and returns what was there before. */
    AccessRequest swap(final MessageBuffer next, final MessageBuffer compare, final MessageBuffer result, final long disp, final Datatype type) {
        final long offset = offset(disp, 1, type);
        final long bytes = type.size();
        checkMemory(next);
        checkMemory(compare);
        checkMemory(result);
        if (part != null) {
            part.swap(bytes, offset, compare.memory(), 0, next.memory(), 0, result.memory(), 0);
            return done;
        }
        final MemorySegment both = MemorySegment.ofArray(new byte[2 * (int) bytes]);
        MemorySegment.copy(compare.memory(), 0, both, 0, bytes);
        MemorySegment.copy(next.memory(), 0, both, bytes, bytes);
        final AccessOperation operation = operation(Action.SWAP, PendingWait.Kind.WINDOW);
        operation.data(both, 0, null);
        operation.result(result.memory(), 0, null, result.bytes());
        operation.memory(DataRuns.of(type, 1), offset);
        operation.combine(Op.REPLACE, type.elementKind());
        return submit(operation);
    }

    private static void checkOp(final Op op) {
        if (op.isUser()) {
            // Cause: the target applies the operation, and does not have the program's function. Remedy: a predefined operation.
            throw new MpiFailure(ErrorClass.OP, "operation of the program in a window: op=" + op.name() + ", use a predefined one");
        }
    }

    /** Returns the kind of the basic elements of a target's type, on which a predefined operation is defined. */
    private static ElementKind kind(final Datatype type) {
        final ElementKind kind = type.reducedKind();
        if (kind == ElementKind.NONE) {
            throw new MpiFailure(ErrorClass.TYPE, "elements of several kinds cannot be combined: type=" + type.name());
        }
        return kind;
    }

    /** How elements are combined. */
    private record Combination(Op op, ElementKind kind) {}

    private AccessRequest start(final Action action, final @Nullable MessageBuffer data, final @Nullable MessageBuffer result, final DataRuns runs,
        final long at, final @Nullable Combination combination, final boolean isEmpty) {
        if (isEmpty) {
            return done;
        }
        final AccessOperation operation = operation(action, PendingWait.Kind.WINDOW);
        if (data != null) {
            final DataLayout layout = data.layout();
            operation.data(layout == null ? data.memory() : MemorySegment.NULL, 0, layout);
        }
        if (result != null) {
            final DataLayout layout = result.layout();
            operation.result(layout == null ? result.memory() : MemorySegment.NULL, 0, layout, result.bytes());
        }
        operation.memory(runs, at);
        if (combination != null) {
            operation.combine(combination.op, combination.kind);
        }
        return submit(operation);
    }

    private AccessOperation operation(final Action action, final PendingWait.Kind kind) {
        return new AccessOperation(action, new AccessRequest(lifecycle, window, rank, kind), window, rank, origin);
    }

    private AccessRequest submit(final AccessOperation operation) {
        if (!operation.isAnswered()) {
            isUnflushed = true;
        }
        keep(operation.request(), queue, operation);
        return operation.request();
    }

    /** Submits an item, and keeps its request if it is still pending, or has failed: the next flush says why. */
    private void keep(final AccessRequest request, final SerialExecutor to, final WorkItem item) {
        to.submit(item);
        if (!request.isDone() || request.hasFailed()) {
            lock.lock();
            try {
                pending.removeIf(r -> r.isDone() && !r.hasFailed());
                pending.add(request);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Waits until the operations are complete at this rank: their buffers may be used. All of them, since these are in use as long. */
    void flushLocal(final FirstFailure failure) {
        if (part != null) {
            return;
        }
        final List<AccessRequest> before;
        lock.lock();
        try {
            before = new ArrayList<>(pending);
            pending.clear();
        } finally {
            lock.unlock();
        }
        before.forEach(failure::await);
    }

    /** Starts to wait until the operations are complete at the target; null where there is nothing to wait for. */
    @Nullable
    AccessRequest startFlush() {
        if (!isUnflushed) {
            return null;
        }
        isUnflushed = false;
        final AccessOperation flush = operation(Action.FLUSH, PendingWait.Kind.WINDOW);
        queue.submit(flush);
        return flush.request();
    }

    /** Waits until the operations are complete, here and at the target. */
    void flush(final FirstFailure failure) {
        flushLocal(failure);
        final AccessRequest started = startFlush();
        if (started != null) {
            failure.await(started);
        }
    }

    /** Waits until the operations are complete, here and at the target, and ends the lock. */
    void unlock(final FirstFailure failure) {
        flushLocal(failure);
        final AccessRequest started = startUnlock();
        if (started != null) {
            failure.await(started);
        }
    }

    /** Starts to lock the memory. */
    AccessRequest startLock(final boolean isExclusive) {
        if (part == null) {
            final AccessOperation operation = operation(isExclusive ? Action.LOCK : Action.LOCK_SHARED, PendingWait.Kind.WINDOW_LOCK);
            queue.submit(operation);
            return operation.request();
        }
        final AccessRequest request = new AccessRequest(lifecycle, window, rank, PendingWait.Kind.WINDOW_LOCK);
        part.locks().request(origin, isExclusive, () -> request.complete(null));
        return request;
    }

    /**
     * Ends the lock, when the operations are complete at this rank, and starts to wait until they are complete at the target; null where there is
     * nothing to wait for.
     */
    @Nullable
    AccessRequest startUnlock() {
        if (part != null) {
            part.locks().release(origin);
            return null;
        }
        final boolean isAwaited = isUnflushed;
        isUnflushed = false;
        final AccessOperation operation = operation(isAwaited ? Action.UNLOCK : Action.UNLOCK_FLUSHED, PendingWait.Kind.WINDOW);
        queue.submit(operation);
        return isAwaited ? operation.request() : null;
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
