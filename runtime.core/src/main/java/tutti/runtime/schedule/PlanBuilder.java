package tutti.runtime.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.CollGroup;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.Span;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.reading.TracedCall;

/** Takes down the plan of one rank, checking every argument, and freezes it. For one thread. */
public final class PlanBuilder implements Plan {
    private final int rank;
    private final int size;
    private final boolean inter;
    private final int remoteSize;
    private final long sendBytes;
    private final long recvBytes;
    private final Nesting nesting;
    long call;
    long reduced;
    TracedCall label;
    private final List<Channel> channels = new ArrayList<>();
    private final List<int[]> sent = new ArrayList<>();
    private final List<int[]> received = new ArrayList<>();

    int tasks;
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
    int edges;
    int[] edgeFrom = new int[32];
    int[] edgeTo = new int[32];
    long scratchBytes;

    private boolean[] last = new boolean[16];
    private int fence = -1;

    /** Knows the sub-communicators of the communicator that a plan is for. */
    public interface Nesting {
        /** For communicators without any. */
        Nesting NONE = new Nesting() {
            @Override
            public Channel channel(final CollGroup group) {
                throw new IllegalArgumentException("not a sub-communicator of this communicator: group=" + group);
            }

            @Override
            public <C extends Call> void plan(final CollGroup group, final Operation<C> operation, final C call, final Plan plan) {
                throw new IllegalStateException("there is no sub-communicator: group=" + group);
            }
        };

        /**
         * Where the messages of a group go.
         *
         * @throws IllegalArgumentException when it does not belong to the communicator
         */
        Channel channel(CollGroup group);

        /** Has the module that serves the operation on the group plan it. */
        <C extends Call> void plan(CollGroup group, Operation<C> operation, C call, Plan plan);
    }

    /** An empty plan of a rank for a call. */
    public PlanBuilder(final Call call, final int rank, final int size, final boolean inter, final int remoteSize, final Nesting nesting) {
        this.rank = rank;
        this.size = size;
        this.inter = inter;
        this.remoteSize = remoteSize;
        this.sendBytes = call.sendBytes(rank, inter);
        this.recvBytes = call.recvBytes(rank, inter);
        this.nesting = nesting;
        this.sent.add(new int[remoteSize]);
        this.received.add(new int[remoteSize]);
    }

    /** Says which call it is of, as {@link Fingerprint} and what the call reduces; its messages are compared by that. */
    public void stamp(final long fingerprint, final long whatIsReduced) {
        call = fingerprint;
        reduced = whatIsReduced;
    }

    /** Says which call it is of, for those who watch its runs. */
    public void label(final TracedCall what) {
        label = what;
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
        return send(0, data, to, after);
    }

    int send(final int on, final Span data, final int to, final int... after) {
        final int task = add(Schedule.SEND, data, null, data.bytes(), after);
        peer[task] = to;
        channel[task] = (short) on;
        ordinal[task] = sent.get(on)[to]++;
        return task;
    }

    @Override
    public int recv(final Span target, final int source, final int... after) {
        checkPeer(source);
        check(target, true);
        return recv(0, target, source, after);
    }

    int recv(final int on, final Span target, final int source, final int... after) {
        final int task = add(Schedule.RECV, null, target, target.bytes(), after);
        peer[task] = source;
        channel[task] = (short) on;
        ordinal[task] = received.get(on)[source]++;
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
    public int post(final int... after) {
        throw new UnsupportedOperationException("shared memory");
    }

    @Override
    public int await(final int peer, final int post, final int... after) {
        throw new UnsupportedOperationException("shared memory");
    }

    @Override
    public int get(final int peer, final Span from, final Span into, final int... after) {
        throw new UnsupportedOperationException("shared memory");
    }

    @Override
    public int reduce(final Reduction reduction, final int peer, final Span from, final Span into, final int... after) {
        throw new UnsupportedOperationException("shared memory");
    }

    @Override
    public <C extends Call> int nested(final CollGroup group, final Operation<C> operation, final C call, final Span send, final Span recv,
                                       final int... after) {
        final Channel to = nesting.channel(group);
        if (send != null) {
            check(send, false);
        }
        if (recv != null) {
            check(recv, true);
        }
        int on = channels.indexOf(to) + 1;
        if (on == 0) {
            channels.add(to);
            sent.add(new int[group.size()]);
            received.add(new int[group.size()]);
            on = channels.size();
        }
        final NestedPlan part = new NestedPlan(this, on, group, call, send, recv, join(after));
        nesting.plan(group, operation, call, part);
        return part.end();
    }

    /** A task that does nothing and comes after the given ones. */
    int join(final int... after) {
        return add(Schedule.FENCE, null, null, 0, after);
    }

    /** How many tasks there are so far. */
    public int tasks() {
        return tasks;
    }

    /** Whether parts of it are collectives of sub-communicators. */
    public boolean isNested() {
        return !channels.isEmpty();
    }

    /** Whether messages go to or come from a peer. */
    public boolean hasTraffic(final int other) {
        return sent.getFirst()[other] > 0 || received.getFirst()[other] > 0;
    }

    /** The lengths of the messages to or from a peer, in the order of matching. */
    long[] messages(final byte what, final int other) {
        final long[] lengths = new long[(what == Schedule.SEND ? sent : received).getFirst()[other]];
        for (int t = 0; t < tasks; t++) {
            if (kind[t] == what && peer[t] == other && channel[t] == 0) {
                lengths[ordinal[t]] = bytes[t];
            }
        }
        return lengths;
    }

    /** Where the messages of nested parts go, from index 1 in {@link #channel}. */
    Channel[] channels() {
        return channels.toArray(Channel[]::new);
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
        channel = Arrays.copyOf(channel, n);
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
