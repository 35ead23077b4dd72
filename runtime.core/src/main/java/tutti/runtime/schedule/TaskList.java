package tutti.runtime.schedule;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;
import tutti.coll.plan.Assignment;
import tutti.coll.plan.PlanRecorder;
import tutti.coll.plan.Predecessors;
import tutti.coll.plan.TaskKind;
import tutti.coll.plan.TaskSink;
import tutti.runtime.datatype.BoundReduction;

/** The tasks of a plan under construction and their dependencies, in flat arrays that grow. For one thread. */
final class TaskList implements TaskSink<ChannelComm> {
    int count;
    byte[] kind = new byte[16];
    int[] peer = new int[16];
    int[] ordinal = new int[16];
    short[] channel = new short[16];
    /** Per task: the buffer that it reads; of no meaning where it reads none. */
    Buffer[] from = new Buffer[16];
    long[] fromOffset = new long[16];
    /** Per task: the buffer that it writes; of no meaning where it writes none. */
    Buffer[] into = new Buffer[16];
    long[] intoOffset = new long[16];
    long[] bytes = new long[16];
    /** Per task: the reduction; null for tasks that do not reduce. */
    @Nullable
    BoundReduction[] reduction = new BoundReduction[16];
    /** Per task that shares memory, or uses shared memory of its rank: the segment of the plan that it belongs to. */
    short[] segment = new short[16];
    /** Per task: which part of a module carries it out, or null; empty as long as no task has one. */
    @Nullable
    Assignment[] assignment = {};
    int edges;
    int[] edgeFrom = new int[32];
    int[] edgeTo = new int[32];
    final PlanSegments segments = new PlanSegments();

    @Override
    public void begin(final PlanRecorder<ChannelComm> part) {
        segments.begin(part);
    }

    @Override
    public void reserve(final BufferRange range) {
        // the segments know the scratch memory of their parts
    }

    @Override
    public void add(final PlanRecorder<ChannelComm> part, final TaskKind what, final @Nullable BufferRange source, final @Nullable BufferRange target,
        final int other, final int post, final @Nullable Reduction operation, final Predecessors before) {
        final BoundReduction bound = operation == null ? null : bound(operation);
        final byte code = Schedule.code(what);
        final boolean isMessage = code == Schedule.SEND || code == Schedule.RECV;
        final boolean isOffloaded = code == Schedule.OFFLOADED;
        final boolean isShared = code >= Schedule.RESERVE;
        final boolean usesShared = source != null && source.buffer() == Buffer.SHARED || target != null && target.buffer() == Buffer.SHARED;
        final short on = isMessage || isShared || isOffloaded ? index(segments.channel(part.index()), "communicators") : 0;
        final short within = isShared || usesShared ? index(part.index(), "nested collectives") : 0;
        if (count == kind.length) {
            grow();
        }
        final int task = count++;
        kind[task] = code;
        reduction[task] = bound;
        channel[task] = on;
        segment[task] = within;
        from[task] = source == null ? Buffer.SCRATCH : source.buffer();
        into[task] = target == null ? Buffer.SCRATCH : target.buffer();
        if (source != null) {
            fromOffset[task] = code >= Schedule.GET ? source.offset() : offset(part, source);
            bytes[task] = source.bytes();
        }
        if (target != null) {
            intoOffset[task] = offset(part, target);
            bytes[task] = Math.max(isOffloaded ? bytes[task] : 0, target.bytes());
        }
        peer[task] = Math.max(0, other);
        ordinal[task] = isMessage ? segments.message(code, on, other) : isOffloaded ? segments.offloaded(on) : Math.max(0, post);
        if (isShared) {
            segments.share(part.index());
        }
        for (int i = 0; i < before.count(); i++) {
            edge(before.task(i), task);
        }
    }

    @Override
    public void assign(final Assignment to) {
        final int task = count - 1;
        final BoundReduction by = reduction[task];
        if (by != null && !by.isPredefined()) {
            // threads of the rank call functions of its program
            return;
        }
        if (assignment.length == 0) {
            assignment = new Assignment[kind.length];
        }
        assignment[task] = to;
        if (to instanceof Assignment.ByWorker) {
            kind[task] = kind[task] == Schedule.COPY ? Schedule.WORKER_COPY : Schedule.WORKER_REDUCE;
        } else if (to instanceof Assignment.Opaque opaque) {
            opaque.reads().forEach(r -> bytes[task] += r.bytes());
            opaque.writes().forEach(w -> bytes[task] += w.bytes());
        }
    }

    @Override
    public void share(final PlanRecorder<ChannelComm> part, final int... readers) {
        segments.share(part.index(), readers);
    }

    /** Returns the offset of a range in the memory in which an execution finds it: for shared memory, that of the segment. */
    private static long offset(final PlanRecorder<ChannelComm> part, final BufferRange range) {
        return range.buffer() == Buffer.SHARED ? range.offset() - part.buffer(Buffer.SHARED).offset() : range.offset();
    }

    /** Returns a reduction of this runtime. */
    private static BoundReduction bound(final Reduction operation) {
        if (operation instanceof BoundReduction bound) {
            return bound;
        }
        throw new IllegalArgumentException("not a reduction of this runtime: reduction=" + operation);
    }

    /** Returns an index as tasks store it. */
    private static short index(final int value, final String what) {
        if (value > Short.MAX_VALUE) {
            throw new IllegalArgumentException("too many " + what + " in a plan: max=" + (Short.MAX_VALUE + 1));
        }
        return (short) value;
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
        assignment = assignment.length == 0 ? assignment : Arrays.copyOf(assignment, n);
    }
}
