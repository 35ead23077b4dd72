package tutti.runtime.schedule;

import java.util.Arrays;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.Span;
import tutti.runtime.datatype.BoundReduction;

/** Takes down the plan of one rank, checking every argument, and freezes it. For one thread. */
public final class PlanBuilder implements Plan {
    private final int rank;
    private final int size;
    private final boolean inter;
    private final int remoteSize;
    private final long sendBytes;
    private final long recvBytes;
    private final int[] sent;
    private final int[] received;

    int tasks;
    byte[] kind = new byte[16];
    int[] peer = new int[16];
    int[] ordinal = new int[16];
    Buffer[] from = new Buffer[16];
    long[] fromOffset = new long[16];
    Buffer[] into = new Buffer[16];
    long[] intoOffset = new long[16];
    long[] bytes = new long[16];
    BoundReduction[] reduction = new BoundReduction[16];
    int edges;
    int[] edgeFrom = new int[32];
    int[] edgeTo = new int[32];
    long scratchBytes;

    private boolean[] last = new boolean[16];
    private int fence = -1;

    /** An empty plan of a rank for a call. */
    public PlanBuilder(final Call call, final int rank, final int size, final boolean inter, final int remoteSize) {
        this.rank = rank;
        this.size = size;
        this.inter = inter;
        this.remoteSize = remoteSize;
        this.sendBytes = call.sendBytes(rank);
        this.recvBytes = call.recvBytes(rank);
        this.sent = new int[remoteSize];
        this.received = new int[remoteSize];
    }

    /** The plan as it is now, for running. */
    public Schedule freeze() {
        return new Schedule(this);
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean isInter() {
        return inter;
    }

    @Override
    public int remoteSize() {
        return remoteSize;
    }

    @Override
    public Span scratch(final long length) {
        // a new reservation starts on its own cache line
        final Span span = Buffer.SCRATCH.at(scratchBytes, length);
        scratchBytes = scratchBytes + length + 63 & ~63L;
        return span;
    }

    @Override
    public int send(final Span data, final int to, final int... after) {
        checkPeer(to);
        check(data, false);
        final int task = add(Schedule.SEND, data, null, data.bytes(), after);
        peer[task] = to;
        ordinal[task] = sent[to]++;
        return task;
    }

    @Override
    public int recv(final Span target, final int source, final int... after) {
        checkPeer(source);
        check(target, true);
        final int task = add(Schedule.RECV, null, target, target.bytes(), after);
        peer[task] = source;
        ordinal[task] = received[source]++;
        return task;
    }

    @Override
    public int copy(final Span source, final Span target, final int... after) {
        checkPair(source, target);
        return add(Schedule.COPY, source, target, source.bytes(), after);
    }

    @Override
    public int reduce(final Reduction operation, final Span source, final Span target, final int... after) {
        checkPair(source, target);
        if (!(operation instanceof BoundReduction bound)) {
            throw new IllegalArgumentException("not a reduction of this runtime: reduction=" + operation);
        }
        if (source.bytes() % bound.elementBytes() != 0) {
            throw new IllegalArgumentException("not a multiple of the element: bytes=" + source.bytes() + ", element=" + bound.elementBytes());
        }
        final int task = add(Schedule.REDUCE, source, target, source.bytes(), after);
        reduction[task] = bound;
        return task;
    }

    @Override
    public int fence() {
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

    private int add(final byte what, final Span source, final Span target, final long length, final int... after) {
        if (tasks == kind.length) {
            grow();
        }
        final int task = tasks;
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
        tasks++;
        if (fence >= 0) {
            edge(fence, task);
        }
        for (final int t : after) {
            edge(t, task);
        }
        return task;
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
        final int n = 2 * tasks;
        kind = Arrays.copyOf(kind, n);
        peer = Arrays.copyOf(peer, n);
        ordinal = Arrays.copyOf(ordinal, n);
        from = Arrays.copyOf(from, n);
        fromOffset = Arrays.copyOf(fromOffset, n);
        into = Arrays.copyOf(into, n);
        intoOffset = Arrays.copyOf(intoOffset, n);
        bytes = Arrays.copyOf(bytes, n);
        reduction = Arrays.copyOf(reduction, n);
        last = Arrays.copyOf(last, n);
    }

    private void checkPeer(final int other) {
        if (other < 0 || other >= remoteSize) {
            throw new IllegalArgumentException("peer out of range: peer=" + other + ", ranks=" + remoteSize);
        }
    }

    private void checkPair(final Span source, final Span target) {
        check(source, false);
        check(target, true);
        if (source.bytes() != target.bytes()) {
            throw new IllegalArgumentException("spans of different length: from=" + source + ", into=" + target);
        }
        if (source.buffer() == target.buffer() && source.offset() < target.end() && target.offset() < source.end()) {
            throw new IllegalArgumentException("spans overlap: from=" + source + ", into=" + target);
        }
    }

    private void check(final Span span, final boolean written) {
        final long limit = switch (span.buffer()) {
            case SEND -> sendBytes;
            case RECV -> recvBytes;
            case SCRATCH -> scratchBytes;
        };
        if (written && span.buffer() == Buffer.SEND) {
            throw new IllegalArgumentException("the send buffer is read only: into=" + span);
        }
        if (span.bytes() > 0 && span.end() > limit) {
            throw new IllegalArgumentException("span out of range: span=" + span + ", bytes=" + limit);
        }
    }
}
