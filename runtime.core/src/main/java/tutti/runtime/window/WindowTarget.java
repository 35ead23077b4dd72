package tutti.runtime.window;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.AccessOperation.Action;
import tutti.runtime.access.AccessRequest;
import tutti.runtime.access.DataRuns;
import tutti.runtime.access.MemoryWords;
import tutti.runtime.access.WindowLocks;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.request.Request;
import tutti.runtime.window.Window.Flavor;

/**
 * The memory of one rank of a window, as this rank accesses it: at once where its JVM has it, or maps it, else by operations that another node
 * carries out. Locks are taken in words, where the JVM has these, and are waited for in the queue of the target's JVM.
 *
 * <p><b>Threads.</b> Safe for the threads of the rank.
 */
final class WindowTarget {
    private final RankLifecycle lifecycle;
    private final long window;
    private final int rank;
    private final int origin;
    private final RankMemory memory;
    private final Reach reach;
    /** The request of every access that is complete at once. */
    private final AccessRequest done;

    /**
     * How a rank reaches the memory of another one, and the locks on it.
     *
     * @param local  accesses to the memory, where the JVM has it
     * @param words  the words of the memory, where the JVM has them
     * @param queue  the queue of ranks that wait for a lock, where the JVM has it
     * @param remote accesses by the target's node; null where the JVM has all three
     */
    record Reach(@Nullable LocalAccess local, @Nullable MemoryWords words, @Nullable WindowLocks queue, @Nullable RemoteAccess remote) {}

    WindowTarget(final RankLifecycle lifecycle, final long window, final int rank, final int origin, final RankMemory memory, final Reach reach) {
        this.lifecycle = lifecycle;
        this.window = window;
        this.rank = rank;
        this.origin = origin;
        this.memory = memory;
        this.reach = reach;
        this.done = AccessRequest.completed(lifecycle, window, rank);
    }

    /** Returns what the rank has told of its memory. */
    RankMemory memory() {
        return memory;
    }

    private RemoteAccess remote() {
        return Objects.requireNonNull(reach.remote, "the target is of another JVM");
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
            final boolean isDynamic = memory.flavor() == Flavor.DYNAMIC;
            final long at = isDynamic ? disp : Math.multiplyExact(disp, memory.dispUnit());
            final boolean isDense = type.isContiguous();
            final long first = isDense ? 0 : type.first(count);
            final long end = Math.addExact(at, isDense ? Math.multiplyExact(count, type.size()) : type.span(count) + Math.min(0, first));
            if (!isDynamic && count > 0 && type.size() > 0 && (at + first < 0 || end > memory.bytes())) {
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
            + memory.dispUnit() + ", count=" + count + ", type=" + type.name() + ", window=" + memory.bytes() + " bytes", cause);
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

    private long checked(final MessageBuffer data, final long disp, final long count, final Datatype type) {
        final long at = offset(disp, count, type);
        checkMemory(data);
        checkLength(data, count, type);
        return at;
    }

    /**
     * Writes data.
     *
     * @param isJoinable whether the access may be sent together with others, by the next flush at the latest: nobody waits for its request
     */
    AccessRequest put(final MessageBuffer data, final long disp, final long count, final Datatype type, final boolean isJoinable) {
        final long at = checked(data, disp, count, type);
        if (reach.local != null) {
            reach.local.put(data, at, count, type);
            return done;
        }
        return data.bytes() == 0 || isJoinable && remote().tryJoin(Action.PUT, data, at, type, Op.REPLACE, ElementKind.BYTE) ? done
            : remote().put(data, at, count, type);
    }

    /** Reads data. */
    AccessRequest get(final MessageBuffer result, final long disp, final long count, final Datatype type, final boolean isJoinable) {
        final long at = checked(result, disp, count, type);
        if (reach.local != null) {
            reach.local.get(result, at, count, type);
            return done;
        }
        return result.bytes() == 0 || isJoinable && remote().tryJoin(Action.GET, result, at, type, Op.REPLACE, ElementKind.BYTE) ? done
            : remote().get(result, at, count, type);
    }

    /**
     * Combines data with that of the window.
     *
     * @param data   null for an operation that changes nothing
     * @param result receives what was there before; null for none
     */
    AccessRequest accumulate(final @Nullable MessageBuffer data, final @Nullable MessageBuffer result, final long disp, final long count,
        final Datatype type, final Op op, final boolean isJoinable) {
        final long at = offset(disp, count, type);
        checkOp(op);
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
        if (reach.local != null) {
            reach.local.accumulate(reduction, data, result, at, count, type);
            return done;
        }
        if (count == 0 || isJoinable && data != null && result == null && remote().tryJoin(Action.ACCUMULATE, data, at, type, op, kind)) {
            return done;
        }
        return remote().start(result == null ? Action.ACCUMULATE : Action.FETCH, data, result, DataRuns.of(type, count), at, op, kind);
    }

    /** Replaces an element if it is equal to another one, and returns what was there before. */
    AccessRequest swap(final MessageBuffer next, final MessageBuffer compare, final MessageBuffer result, final long disp, final Datatype type) {
        final long at = offset(disp, 1, type);
        checkMemory(next);
        checkMemory(compare);
        checkMemory(result);
        if (reach.local != null) {
            reach.local.swap(next, compare, result, at, type.size());
            return done;
        }
        return remote().swap(next, compare, result, at, type);
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

    /** Returns the words of the memory; null where this JVM does not have them. */
    @Nullable
    MemoryWords words() {
        return reach.words;
    }

    /** Returns whether all accesses are made at once, so that a flush has nothing to wait for. */
    boolean isLocal() {
        return reach.local != null;
    }

    /** Waits until the operations are complete at this rank: their buffers may be used. */
    void flushLocal(final FirstFailure failure) {
        if (reach.local == null) {
            remote().flushLocal(failure);
        }
    }

    /** Waits for what must be complete at this rank before {@link #startFlush}. */
    void prepareFlush(final FirstFailure failure) {
        if (reach.local == null) {
            remote().prepareFlush(failure);
        }
    }

    /** Starts to complete the operations at the target. */
    void startFlush(final List<Request> started) {
        if (reach.local == null) {
            remote().startFlush(started);
        } else {
            VarHandle.releaseFence();
        }
    }

    /** Starts to lock the memory. */
    AccessRequest startLock(final boolean isExclusive) {
        if (reach.words != null && reach.words.tryHold(origin, isExclusive)) {
            return done;
        }
        if (reach.queue == null) {
            return remote().control(isExclusive ? Action.LOCK : Action.LOCK_SHARED, PendingWait.Kind.WINDOW_LOCK);
        }
        final AccessRequest request = new AccessRequest(lifecycle, window, rank, PendingWait.Kind.WINDOW_LOCK);
        reach.queue.request(origin, isExclusive, () -> request.complete(null));
        return request;
    }

    /** Waits for what must be complete at this rank before {@link #startUnlock}. */
    void prepareUnlock(final FirstFailure failure) {
        if (reach.words == null) {
            prepareFlush(failure);
        } else {
            flushLocal(failure); // the lock may end here, at once
        }
    }

    /** Starts to complete the operations at the target, and to end the lock. */
    void startUnlock(final List<Request> started) {
        if (reach.words == null || reach.local == null && remote().isUnflushed()) {
            remote().startUnlock(started);
        } else if (reach.words.release(origin) == MemoryWords.Release.AWAITED) {
            if (reach.queue != null) {
                reach.queue.grantNext();
            } else {
                remote().control(Action.LOCK_ENDED, PendingWait.Kind.WINDOW);
            }
        }
    }
}
