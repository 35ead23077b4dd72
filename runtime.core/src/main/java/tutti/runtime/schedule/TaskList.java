package tutti.runtime.schedule;

import java.util.Arrays;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.runtime.datatype.BoundReduction;

/** The tasks of a plan under construction and their dependencies, in flat arrays that grow. For one thread. */
final class TaskList {
    int count;
    byte[] kind = new byte[16];
    int[] peer = new int[16];
    int[] ordinal = new int[16];
    short[] channel = new short[16];
    Buffer[] from = new Buffer[16];
    long[] fromOffset = new long[16];
    Buffer[] into = new Buffer[16];
    long[] intoOffset = new long[16];
    long[] bytes = new long[16];
    BoundReduction[] reduction = new BoundReduction[16];
    /** Per task that shares memory: the segment of the plan that it belongs to. */
    short[] segment = new short[16];
    int edges;
    int[] edgeFrom = new int[32];
    int[] edgeTo = new int[32];
    /** Per task: whether it has no successor so far. */
    private boolean[] last = new boolean[16];
    private int fence = -1;

    /** Adds a task that comes after the given ones; the caller sets what is specific to its kind. */
    int add(final byte what, final BufferRange source, final BufferRange target, final long length, final int... after) {
        if (count == kind.length) {
            grow();
        }
        final int task = count;
        for (final int t : after) {
            if (t < 0 || t >= task) {
                throw new IllegalArgumentException("no such task: after=" + t + ", tasks=" + task);
            }
        }
        kind[task] = what;
        if (source != null) {
            from[task] = source.buffer();
            fromOffset[task] = source.offset();
        }
        if (target != null) {
            into[task] = target.buffer();
            intoOffset[task] = target.offset();
        }
        bytes[task] = length;
        last[task] = true;
        count++;
        if (fence >= 0) {
            edge(fence, task);
        }
        for (final int t : after) {
            edge(t, task);
        }
        return task;
    }

    /** Adds a task that comes after all present tasks and before all later ones. */
    int fence() {
        final int before = fence + 1;
        final int task = add(Schedule.FENCE, null, null, 0);
        for (int t = before; t < task; t++) {
            if (last[t]) {
                edge(t, task);
            }
        }
        fence = task;
        return task;
    }

    /** Returns whether a task of the plan itself, not of a nested collective, awaits or reads a peer. */
    boolean sharesMemoryWith(final int other) {
        for (int t = 0; t < count; t++) {
            if (kind[t] > Schedule.POST && peer[t] == other && channel[t] == 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns the lengths of the messages of the plan itself to or from a peer, in the order of matching. */
    long[] messages(final byte what, final int other, final int many) {
        final long[] lengths = new long[many];
        for (int t = 0; t < count; t++) {
            if (kind[t] == what && peer[t] == other && channel[t] == 0) {
                lengths[ordinal[t]] = bytes[t];
            }
        }
        return lengths;
    }

    private void edge(final int first, final int second) {
        if (edges == edgeFrom.length) {
            edgeFrom = Arrays.copyOf(edgeFrom, 2 * edges);
            edgeTo = Arrays.copyOf(edgeTo, 2 * edges);
        }
        edgeFrom[edges] = first;
        edgeTo[edges++] = second;
        last[first] = false;
    }

    private void grow() {
        final int n = 2 * count;
        kind = Arrays.copyOf(kind, n);
        peer = Arrays.copyOf(peer, n);
        ordinal = Arrays.copyOf(ordinal, n);
        channel = Arrays.copyOf(channel, n);
        from = Arrays.copyOf(from, n);
        fromOffset = Arrays.copyOf(fromOffset, n);
        into = Arrays.copyOf(into, n);
        intoOffset = Arrays.copyOf(intoOffset, n);
        bytes = Arrays.copyOf(bytes, n);
        reduction = Arrays.copyOf(reduction, n);
        segment = Arrays.copyOf(segment, n);
        last = Arrays.copyOf(last, n);
    }
}
