package tutti.runtime.access;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;

/**
 * The windows of a job's ranks on this node. Ranks of this JVM find the memory of each other here, and accesses of other nodes are carried out: on
 * the thread that reads the link, so that a target which computes, or sleeps, holds up nobody. Safe for any thread.
 */
public final class WindowTable {
    private static final AccessOperation.Action[] ACTIONS = AccessOperation.Action.values();
    private static final ElementKind[] KINDS = ElementKind.values();

    /** Most bytes that are read and changed by one frame: more than a frame of any transport holds. */
    private static final int MAX_RESULT = 1 << 20;

    private final Map<Key, WindowPart> parts = new ConcurrentHashMap<>();

    private record Key(long window, int rank) {}

    /** Adds the part of a rank, before other ranks know of the window. */
    public void add(final long window, final int rank, final WindowPart part) {
        parts.put(new Key(window, rank), part);
    }

    /** Removes the part of a rank, when no other rank accesses the window any more. */
    public void remove(final long window, final int rank) {
        parts.remove(new Key(window, rank));
    }

    /** Returns the part of a rank; null when it is not on this node. */
    public @Nullable WindowPart find(final long window, final int rank) {
        return parts.get(new Key(window, rank));
    }

    /** Returns the number of parts. */
    public int size() {
        return parts.size();
    }

    /**
     * Carries out an access of another node.
     *
     * @param to    the queue of frames to the other node
     * @param id    number of the operation there; -1 when it expects no answer
     * @param at    begin of the frame's payload
     * @param bytes length of the payload
     * @throws IllegalArgumentException when the frame is no access
     */
    public void access(final SerialExecutor to, final long id, final MemorySegment m, final long at, final int bytes) {
        final int runs = bytes < AccessFrame.FIELDS ? -1 : AccessFrame.runs(m, at);
        final int number = runs < 0 ? -1 : AccessFrame.action(m, at);
        if (number < 0 || number >= ACTIONS.length || runs > (bytes - AccessFrame.FIELDS) / DataRuns.BYTES) {
            throw new IllegalArgumentException("access out of range, action=" + number + ", runs=" + runs + ", bytes=" + bytes);
        }
        final AccessOperation.Action action = ACTIONS[number];
        if (action.isAnswered() != id >= 0) {
            throw new IllegalArgumentException("access whose number does not fit to its action, action=" + action);
        }
        final WindowPart part = find(AccessFrame.window(m, at), AccessFrame.target(m, at));
        try {
            if (part == null) {
                throw new MpiFailure(ErrorClass.WIN, "window has been freed: target=" + AccessFrame.target(m, at));
            }
            if (action.isOfMemory()) {
                accessMemory(part.memory(), action, to, id, m, at, bytes - AccessFrame.FIELDS - runs * DataRuns.BYTES);
            } else {
                synchronize(part, action, to, id, AccessFrame.origin(m, at));
            }
        } catch (final MpiFailure e) {
            if (id >= 0) {
                to.submit(AccessAnswer.failed(id, e, AccessFrame.bytes(m, at)));
            } else if (part != null) {
                part.failed(AccessFrame.origin(m, at), e);
            }
        }
    }

    private static void synchronize(final WindowPart part, final AccessOperation.Action action, final SerialExecutor to, final long id,
        final int origin) {
        switch (action) {
            case LOCK, LOCK_SHARED -> part.locks().request(origin, action == AccessOperation.Action.LOCK, () -> to.submit(AccessAnswer.done(id)));
            case UNLOCK, UNLOCK_FLUSHED -> {
                if (!part.locks().release(origin)) {
                    throw new MpiFailure(ErrorClass.RMA_SYNC, "rank has no lock: origin=" + origin);
                }
                if (action == AccessOperation.Action.UNLOCK) {
                    answer(part, to, id, origin);
                }
            }
            case LOCK_ENDED -> part.locks().grantNext();
            default -> answer(part, to, id, origin);
        }
    }

    /** Answers that all earlier accesses have taken effect, or why one has not. */
    private static void answer(final WindowPart part, final SerialExecutor to, final long id, final int origin) {
        final MpiFailure why = part.failure(origin);
        to.submit(why == null ? AccessAnswer.done(id) : AccessAnswer.failed(id, why, 0));
    }

    private static void accessMemory(final WindowMemory memory, final AccessOperation.Action action, final SerialExecutor to, final long id,
        final MemorySegment m, final long at, final int length) {
        final long first = at + AccessFrame.FIELDS;
        final int runs = AccessFrame.runs(m, at);
        final long data = first + (long) runs * DataRuns.BYTES;
        final long position = AccessFrame.position(m, at);
        final long bytes = AccessFrame.bytes(m, at);
        check(m, first, runs, bytes);
        final int kind = AccessFrame.kind(m, at);
        final Op op = Op.ofCode(AccessFrame.operation(m, at));
        if (op == null || kind < 0 || kind >= KINDS.length || KINDS[kind] == ElementKind.NONE) {
            throw new IllegalArgumentException("access out of range, operation=" + AccessFrame.operation(m, at) + ", kind=" + kind);
        }
        final Datatype type = Op.basic(KINDS[kind]);
        final long expected = switch (action) {
            case PUT, ACCUMULATE -> bytes;
            case FETCH -> op == Op.NO_OP ? 0 : bytes;
            case SWAP -> 2 * type.size();
            default -> 0;
        };
        if (expected != length || action == AccessOperation.Action.SWAP && bytes != type.size()) {
            throw new IllegalArgumentException("access whose length differs from its frame, bytes=" + bytes + ", data=" + length);
        }
        if (action == AccessOperation.Action.GET) {
            get(memory, to, id, m, first, runs, position, bytes);
            return;
        }
        if (action.isAnswered() && bytes > MAX_RESULT) {
            throw new IllegalArgumentException("access out of range, bytes=" + bytes);
        }
        final MemorySegment result = action.isAnswered() ? MemorySegment.ofArray(new byte[(int) bytes]) : null;
        switch (action) {
            case PUT -> put(memory, m, first, runs, data);
            case SWAP -> memory.swap(bytes, DataRuns.offset(m, first), m, data, m, data + bytes,
                Objects.requireNonNull(result, "a swap is answered"), 0);
            default -> memory.accumulateRuns(op.bind(type), m, first, runs, bytes, m, data, result, 0);
        }
        if (result != null) {
            to.submit(AccessAnswer.data(id, position, result, 0, bytes));
        }
    }

    private static void put(final WindowMemory memory, final MemorySegment m, final long first, final int runs, final long data) {
        long done = 0;
        for (int i = 0; i < runs; i++) {
            final long run = first + (long) i * DataRuns.BYTES;
            final long block = DataRuns.length(m, run);
            final long repeat = DataRuns.repeat(m, run);
            memory.write(DataRuns.offset(m, run), DataRuns.stride(m, run), block, repeat, m, data + done);
            done += block * repeat;
        }
    }

    /** Refuses runs that are none, or say another length than the frame. */
    private static void check(final MemorySegment m, final long first, final int runs, final long bytes) {
        long sum = 0;
        for (int i = 0; i < runs; i++) {
            final long run = first + (long) i * DataRuns.BYTES;
            final long length = DataRuns.length(m, run);
            final long repeat = DataRuns.repeat(m, run);
            if (length <= 0 || repeat <= 0 || Math.multiplyHigh(length, repeat) != 0 || length * repeat < 0) {
                throw new IllegalArgumentException("access out of range, length=" + length + ", repeat=" + repeat);
            }
            Math.addExact(DataRuns.offset(m, run), Math.multiplyExact(repeat - 1, DataRuns.stride(m, run)));
            sum += length * repeat;
        }
        if (sum != bytes) {
            throw new IllegalArgumentException("access whose runs have another length, bytes=" + bytes + ", runs=" + sum);
        }
    }

    private static void get(final WindowMemory memory, final SerialExecutor to, final long id, final MemorySegment m, final long first,
        final int runs,
        final long position, final long bytes) {
        final boolean isOneBlock = runs == 1 && DataRuns.repeat(m, first) == 1;
        if (isOneBlock && bytes > AccessOperation.MOST_READ_AT_ONCE) {
            to.submit(AccessAnswer.data(id, position, memory.slice(DataRuns.offset(m, first), bytes), 0, bytes));
            return;
        }
        for (int i = 0; i < runs; i++) {
            final long run = first + (long) i * DataRuns.BYTES;
            memory.check(DataRuns.offset(m, run), DataRuns.stride(m, run), DataRuns.length(m, run), DataRuns.repeat(m, run));
        }
        final MemorySegment list = m.asSlice(first, (long) runs * DataRuns.BYTES);
        if (bytes > AccessOperation.MOST_READ_AT_ONCE) {
            to.submit(AccessAnswer.data(id, position, memory, list, bytes));
            return;
        }
        // the next frame may end the lock, before the answer is sent
        final MemorySegment read = MemorySegment.ofArray(new byte[(int) bytes]);
        if (isOneBlock) {
            memory.read(DataRuns.offset(m, first), bytes, read);
        } else {
            AccessAnswer.read(memory, list, read);
        }
        to.submit(AccessAnswer.data(id, position, read, 0, bytes));
    }
}
