package tutti.runtime.window;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import tutti.runtime.access.AccessOperation;
import tutti.runtime.access.AccessOperation.Action;
import tutti.runtime.access.DataRuns;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.datatype.Op;
import tutti.runtime.match.DataLayout;

/**
 * Short accesses of one kind to one target that are sent together: a frame of many runs instead of many frames. What is written is copied, so the
 * program may use its buffers. For one thread at a time.
 */
final class JoinedAccess implements DataLayout {
    /** Most accesses that are joined. */
    private static final int MOST = AccessOperation.MOST_RUNS;
    /** Most bytes of an access that is joined with others. */
    static final int SHORT = AccessOperation.MOST_READ_AT_ONCE / MOST;
    private static final int FIELDS = DataRuns.BYTES / Long.BYTES;

    private final Action action;
    private final Op op;
    private final ElementKind kind;
    private long[] runs = new long[FIELDS];
    private byte[] data = {};
    private MemorySegment[] results = {};
    private int count;
    private int bytes;

    JoinedAccess(final Action action, final Op op, final ElementKind kind) {
        this.action = action;
        this.op = op;
        this.kind = kind;
    }

    /** Returns whether an access fits to those that are joined: elements that are combined must not be those of an earlier access. */
    boolean isJoinable(final Action other, final Op by, final ElementKind elements, final long at) {
        return action == other && op == by && kind == elements && (action != Action.ACCUMULATE || at >= end());
    }

    private long end() {
        final int last = (count - 1) * FIELDS;
        return runs[last] + runs[last + 1];
    }

    /**
     * Adds an access.
     *
     * @param memory what is written, or where goes what is read
     * @param at     offset in the target's memory
     * @param length number of bytes
     */
    void add(final MemorySegment memory, final long at, final int length) {
        if (count * FIELDS == runs.length) {
            runs = Arrays.copyOf(runs, Math.min(2 * runs.length, MOST * FIELDS));
        }
        final int run = count * FIELDS;
        runs[run] = at;
        runs[run + 1] = length;
        runs[run + 3] = 1;
        if (action == Action.GET) {
            results = count == results.length ? Arrays.copyOf(results, Math.max(1, Math.min(2 * count, MOST))) : results;
            results[count] = memory;
        } else {
            data = bytes + length > data.length ? Arrays.copyOf(data, Math.max(bytes + length, Math.min(2 * data.length, MOST * SHORT))) : data;
            MemorySegment.copy(memory, 0, MemorySegment.ofArray(data), bytes, length);
        }
        bytes += length;
        count++;
    }

    /** Returns whether no further access can be added. */
    boolean isFull() {
        return count == MOST;
    }

    /** Returns what the accesses do. */
    Action action() {
        return action;
    }

    /** Sets an operation that makes all accesses. */
    void set(final AccessOperation operation) {
        if (action == Action.GET) {
            operation.result(MemorySegment.NULL, 0, this, bytes);
        } else {
            operation.data(MemorySegment.ofArray(data), 0, null);
        }
        operation.memory(DataRuns.of(Arrays.copyOf(runs, count * FIELDS)), 0);
        if (action == Action.ACCUMULATE) {
            operation.combine(op, kind);
        }
    }

    @Override
    public void pack(final long first, final long length, final MemorySegment to, final long toOffset) {
        throw new UnsupportedOperationException("data that is written has no gaps");
    }

    @Override
    public void unpack(final MemorySegment from, final long fromOffset, final long first, final long length) {
        long begin = 0;
        for (int i = 0; i < count; i++) {
            final long end = begin + runs[i * FIELDS + 1];
            final long low = Math.max(begin, first);
            final long high = Math.min(end, first + length);
            if (low < high) {
                MemorySegment.copy(from, fromOffset + low - first, results[i], low - begin, high - low);
            }
            begin = end;
        }
    }
}
