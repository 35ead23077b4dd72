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
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.DataLayout;
import tutti.runtime.request.Request;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;
import tutti.runtime.wire.PeerNode;
import tutti.runtime.wire.WindowTransfer;

/**
 * Accesses of a rank to memory of a window on another node: operations that the other node carries out, or transfers for which it does nothing.
 * Arguments were checked before.
 *
 * <p>Short accesses whose requests nobody has are {@linkplain JoinedAccess joined}: they are sent before the next one that is not, or with what
 * completes them.
 *
 * <p><b>Threads.</b> Safe for the threads of the rank. A lock guards the operations that are pending, and those that are joined.
 */
final class RemoteAccess {
    private final RankLifecycle lifecycle;
    private final long window;
    private final int rank;
    private final int origin;
    private final SerialExecutor queue;
    /** The key by which the transport accesses the memory; empty where it does not. */
    private final byte[] key;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<AccessRequest> pending = new ArrayList<>();
    private @Nullable JoinedAccess joined;
    /** Whether operations without answers were made since the last flush. */
    private volatile boolean isUnflushed;

    /**
     * Creates the accesses.
     *
     * @param window context id of the window
     * @param rank   rank of the memory
     * @param origin rank that accesses it
     * @param queue  the queue to the other node
     * @param key    the key by which the transport accesses the memory; empty where it does not
     */
    RemoteAccess(final RankLifecycle lifecycle, final long window, final int rank, final int origin, final SerialExecutor queue, final byte[] key) {
        this.lifecycle = lifecycle;
        this.window = window;
        this.rank = rank;
        this.origin = origin;
        this.queue = queue;
        this.key = key;
    }

    /** Returns whether the transport can access the target's memory in one piece. */
    private boolean canTransfer(final MessageBuffer data, final Datatype type) {
        return key.length > 0 && data.isDirect() && type.isContiguous() && queue instanceof PeerNode;
    }

    /** Writes data, of at least a byte; {@code at} is the offset of element 0. */
    AccessRequest put(final MessageBuffer data, final long at, final long count, final Datatype type) {
        return canTransfer(data, type) ? transfer(true, data, count, type, at)
            : start(Action.PUT, data, null, DataRuns.of(type, count), at, null, ElementKind.BYTE);
    }

    /** Reads data, of at least a byte. */
    AccessRequest get(final MessageBuffer result, final long at, final long count, final Datatype type) {
        return canTransfer(result, type) ? transfer(false, result, count, type, at)
            : start(Action.GET, null, result, DataRuns.of(type, count), at, null, ElementKind.BYTE);
    }

    /**
     * Joins a short access with others.
     *
     * @param data what is written, or where goes what is read
     * @return whether it is one that can be joined
     */
    boolean tryJoin(final Action action, final MessageBuffer data, final long at, final Datatype type, final Op op, final ElementKind kind) {
        if (data.bytes() > JoinedAccess.SHORT || !type.isContiguous() || !data.isDirect() || action != Action.ACCUMULATE && canTransfer(data, type)) {
            return false;
        }
        lock.lock();
        try {
            JoinedAccess all = joined;
            if (all == null || !all.isJoinable(action, op, kind, at)) {
                submitJoined();
                all = new JoinedAccess(action, op, kind);
                joined = all;
            }
            all.add(data.memory(), at, (int) data.bytes());
            isUnflushed |= action != Action.GET;
            if (all.isFull()) {
                submitJoined();
            }
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Sends the accesses that are joined; before any later flush, since it holds the lock. */
    private void submitJoined() {
        lock.lock();
        try {
            final AccessOperation operation = takeJoined();
            if (operation != null) {
                keep(operation.request(), operation);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the accesses that are joined as an operation; null where there is none. The caller holds the lock. */
    private @Nullable AccessOperation takeJoined() {
        final JoinedAccess all = joined;
        if (all == null) {
            return null;
        }
        joined = null;
        final AccessOperation operation = operation(all.action(), PendingWait.Kind.WINDOW);
        all.set(operation);
        return operation;
    }

    private AccessRequest transfer(final boolean isWrite, final MessageBuffer data, final long count, final Datatype type, final long at) {
        submitJoined();
        final AccessRequest request = new AccessRequest(lifecycle, window, rank, PendingWait.Kind.WINDOW);
        keep(request, new WindowTransfer((PeerNode) queue, isWrite, key, at, data.memory(), 0, data.bytes(), (why, lost) -> {
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
     * Starts an operation that the other node carries out.
     *
     * @param data   null where none is sent
     * @param result null where nothing is read
     * @param runs   the memory of the window
     * @param at     is added to the offsets of the runs
     * @param op     null where nothing is combined
     */
    AccessRequest start(final Action action, final @Nullable MessageBuffer data, final @Nullable MessageBuffer result, final DataRuns runs,
        final long at, final @Nullable Op op, final ElementKind kind) {
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
        if (op != null) {
            operation.combine(op, kind);
        }
        return submit(operation);
    }

    /** Starts to replace an element if it is equal to another one. */
    AccessRequest swap(final MessageBuffer next, final MessageBuffer compare, final MessageBuffer result, final long at, final Datatype type) {
        final long bytes = type.size();
        final MemorySegment both = MemorySegment.ofArray(new byte[2 * (int) bytes]);
        MemorySegment.copy(compare.memory(), 0, both, 0, bytes);
        MemorySegment.copy(next.memory(), 0, both, bytes, bytes);
        final AccessOperation operation = operation(Action.SWAP, PendingWait.Kind.WINDOW);
        operation.data(both, 0, null);
        operation.result(result.memory(), 0, null, result.bytes());
        operation.memory(DataRuns.of(type, 1), at);
        operation.combine(Op.REPLACE, type.elementKind());
        return submit(operation);
    }

    private AccessOperation operation(final Action action, final PendingWait.Kind kind) {
        return new AccessOperation(action, new AccessRequest(lifecycle, window, rank, kind), window, rank, origin);
    }

    private AccessRequest submit(final AccessOperation operation) {
        submitJoined();
        keep(operation.request(), operation);
        if (!operation.isAnswered()) {
            isUnflushed = true; // not before: another thread's flush would say that it was flushed
        }
        return operation.request();
    }

    /** Submits an item, and keeps its request if it is still pending, or has failed: the next flush says why. */
    private void keep(final AccessRequest request, final WorkItem item) {
        queue.submit(item);
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
        submitJoined();
        takePending().forEach(failure::await);
    }

    private List<AccessRequest> takePending() {
        lock.lock();
        try {
            final List<AccessRequest> before = List.copyOf(pending);
            pending.clear();
            return before;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for what must be complete at this rank before {@link #startFlush}: transfers are not in order with frames. */
    void prepareFlush(final FirstFailure failure) {
        final List<AccessRequest> before = takePending();
        if (!before.isEmpty()) {
            submitJoined();
            before.forEach(failure::await);
            takePending().forEach(failure::await);
        }
    }

    /** Returns whether operations may have had no effect yet. */
    boolean isUnflushed() {
        return isUnflushed;
    }

    /** Starts to complete the accesses at the target. */
    void startFlush(final List<Request> started) {
        complete(Action.FLUSH, null, started);
    }

    /** Starts to complete the accesses at the target, and to end the lock there. */
    void startUnlock(final List<Request> started) {
        complete(Action.UNLOCK, Action.UNLOCK_FLUSHED, started);
    }

    /**
     * Sends the accesses that are joined, and an operation after them.
     *
     * @param unflushed the operation where accesses may have had no effect yet
     * @param flushed   the operation where all are known to have had theirs; null for none
     */
    private void complete(final Action unflushed, final @Nullable Action flushed, final List<Request> started) {
        lock.lock();
        try {
            final Action action = isUnflushed ? unflushed : flushed;
            isUnflushed = false;
            final AccessOperation before = takeJoined();
            final AccessOperation last = action == null ? null : operation(action, PendingWait.Kind.WINDOW);
            if (before != null && last != null) {
                before.followedBy(last);
            }
            if (before != null) {
                started.add(before.request());
                queue.submit(before);
            } else if (last != null) {
                queue.submit(last);
            }
            if (last != null && last.isAnswered()) {
                started.add(last.request());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends an operation that has no data. */
    AccessRequest control(final Action action, final PendingWait.Kind kind) {
        final AccessOperation operation = operation(action, kind);
        queue.submit(operation);
        return operation.request();
    }
}
