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
import tutti.runtime.share.Part;
import tutti.runtime.share.Window;

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
    /** Of tasks that share memory: which part of the plan they belong to. */
    short[] part = new short[16];
    int edges;
    int[] edgeFrom = new int[32];
    int[] edgeTo = new int[32];
    long scratchBytes;

    private final List<Stretch> stretches = new ArrayList<>();
    private boolean[] last = new boolean[16];
    private int fence = -1;

    /** Knows the communicator that a plan is for: its sub-communicators, and which of its ranks are on one node. */
    public interface Nesting {
        /** For communicators without any, whose ranks share no memory. */
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

        /** Knows the same of one of the sub-communicators. */
        default Nesting within(final CollGroup group) {
            return NONE;
        }

        /** Whether two ranks are on one node. */
        default boolean areNear(final int one, final int other) {
            return false;
        }
    }

    /** A part of the plan: the plan itself, or a collective that is nested in it. */
    static final class Stretch {
        private final int channel;
        private final int index;
        private final Span send;
        private final Span recv;
        private final long scratchFrom;
        private long scratchTo;
        private int posts;
        private int lastPost = -1;
        private boolean sharing;

        Stretch(final int channel, final int index, final Span send, final Span recv, final long scratchFrom) {
            this.channel = channel;
            this.index = index;
            this.send = send;
            this.recv = recv;
            this.scratchFrom = scratchFrom;
        }
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
        begin(0, Buffer.SEND.at(0, sendBytes), Buffer.RECV.at(0, recvBytes));
    }

    /** Says which call it is of, as {@link Fingerprint} and what the call reduces; its messages are compared by that. */
    public void stamp(final long fingerprint, final long whatIsReduced) {
        call = fingerprint;
        reduced = whatIsReduced;
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
        final BoundReduction bound = bound(operation, source);
        final int task = add(Schedule.REDUCE, source, target, source.bytes(), after);
        reduction[task] = bound;
        return task;
    }

    private static BoundReduction bound(final Reduction operation, final Span source) {
        if (!(operation instanceof BoundReduction bound)) {
            throw new IllegalArgumentException("not a reduction of this runtime: reduction=" + operation);
        }
        if (source.bytes() % bound.elementBytes() != 0) {
            throw new IllegalArgumentException("not a multiple of the element: bytes=" + source.bytes() + ", element=" + bound.elementBytes());
        }
        return bound;
    }

    @Override
    public int post(final int... after) {
        checkShared();
        return addPost(0, after);
    }

    int addPost(final int within, final int... after) {
        final Stretch stretch = stretches.get(within);
        if (stretch.posts == Window.MOST_POSTS) {
            throw new IllegalArgumentException("too many posts: posts=" + stretch.posts);
        }
        final int task = add(Schedule.POST, null, null, 0, stretch.lastPost < 0 ? after : following(after, stretch.lastPost));
        share(task, within);
        ordinal[task] = stretch.posts++;
        stretch.lastPost = task;
        return task;
    }

    @Override
    public int await(final int other, final int post, final int... after) {
        checkNear(other);
        return addAwait(0, other, post, after);
    }

    int addAwait(final int within, final int other, final int post, final int... after) {
        if (post < 0 || post >= Window.MOST_POSTS) {
            throw new IllegalArgumentException("post out of range: post=" + post);
        }
        final int task = add(Schedule.AWAIT, null, null, 0, after);
        share(task, within);
        peer[task] = other;
        ordinal[task] = post;
        return task;
    }

    @Override
    public int get(final int other, final Span source, final Span target, final int... after) {
        checkNear(other);
        check(target, true);
        return addGet(0, other, source, target, after);
    }

    int addGet(final int within, final int other, final Span source, final Span target, final int... after) {
        checkLengths(source, target);
        final int task = add(Schedule.GET, source, target, source.bytes(), after);
        share(task, within);
        peer[task] = other;
        return task;
    }

    @Override
    public int reduce(final Reduction operation, final int other, final Span source, final Span target, final int... after) {
        checkNear(other);
        check(target, true);
        return addReduce(operation, 0, other, source, target, after);
    }

    int addReduce(final Reduction operation, final int within, final int other, final Span source, final Span target, final int... after) {
        final BoundReduction bound = bound(operation, source);
        checkLengths(source, target);
        final int task = add(Schedule.COMBINE, source, target, source.bytes(), after);
        share(task, within);
        peer[task] = other;
        reduction[task] = bound;
        return task;
    }

    private void share(final int task, final int within) {
        final Stretch stretch = stretches.get(within);
        stretch.sharing = true;
        part[task] = (short) within;
        channel[task] = (short) stretch.channel;
    }

    /** Begins a part; what is reserved until it {@linkplain #end ends} is its scratch memory. */
    int begin(final int on, final Span send, final Span recv) {
        final int index = (int) stretches.stream().filter(s -> s.channel == on).count();
        stretches.add(new Stretch(on, index, send, recv, scratchBytes));
        return stretches.size() - 1;
    }

    /** Ends a part. */
    void end(final int within) {
        stretches.get(within).scratchTo = scratchBytes;
    }

    /** The parts of the plan. */
    Part[] parts() {
        end(0);
        return stretches.stream().map(s -> new Part(s.channel, s.index, s.posts, s.send, s.recv,
            Buffer.SCRATCH.at(s.scratchFrom, s.scratchTo - s.scratchFrom))).toArray(Part[]::new);
    }

    /** Whether tasks on a communicator share memory. */
    boolean isSharing(final int on) {
        return stretches.stream().anyMatch(s -> s.sharing && s.channel == on);
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
        return nest(nesting, to, group, operation, call, send, recv, join(after));
    }

    /** Has a collective planned as a part of this plan; its spans have been checked. */
    <C extends Call> int nest(final Nesting around, final Channel to, final CollGroup group, final Operation<C> operation, final C part,
                              final Span from, final Span target, final int start) {
        int on = channels.indexOf(to) + 1;
        if (on == 0) {
            channels.add(to);
            sent.add(new int[group.size()]);
            received.add(new int[group.size()]);
            on = channels.size();
        }
        final NestedPlan plan = new NestedPlan(this, on, to, around.within(group), group, part, from, target, start);
        around.plan(group, operation, part, plan);
        return plan.end();
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

    /** Whether messages go to or come from a peer, or memory is shared with it. */
    public boolean hasTraffic(final int other) {
        return sent.getFirst()[other] > 0 || received.getFirst()[other] > 0 || stretches.getFirst().sharing && sharesWith(other);
    }

    private boolean sharesWith(final int other) {
        for (int t = 0; t < tasks; t++) {
            if (kind[t] > Schedule.POST && peer[t] == other && channel[t] == 0) {
                return true;
            }
        }
        return false;
    }

    /** How many posts the plan itself makes. */
    int posts() {
        return stretches.getFirst().posts;
    }

    /** How long its buffers are. */
    long limit(final Buffer buffer) {
        return switch (buffer) {
            case SEND -> sendBytes;
            case RECV -> recvBytes;
            case SCRATCH -> scratchBytes;
        };
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

    private static int[] following(final int[] after, final int one) {
        final int[] all = Arrays.copyOf(after, after.length + 1);
        all[after.length] = one;
        return all;
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
        part = Arrays.copyOf(part, n);
        last = Arrays.copyOf(last, n);
    }

    private void checkPeer(final int other) {
        if (other < 0 || other >= remoteSize) {
            throw new IllegalArgumentException("peer out of range: peer=" + other + ", ranks=" + remoteSize);
        }
    }

    private void checkShared() {
        if (inter) {
            throw new IllegalArgumentException("the ranks of an intercommunicator share no memory: nest a collective on the local group");
        }
    }

    private void checkNear(final int other) {
        checkShared();
        checkPeer(other);
        checkNear(other, rank, nesting.areNear(rank, other));
    }

    static void checkNear(final int other, final int own, final boolean near) {
        if (other == own) {
            throw new IllegalArgumentException("a rank does not await or read itself: peer=" + other);
        }
        if (!near) {
            throw new IllegalArgumentException("peer on another node: peer=" + other + ", rank=" + own);
        }
    }

    private static void checkLengths(final Span source, final Span target) {
        if (source.bytes() != target.bytes()) {
            throw new IllegalArgumentException("spans of different length: from=" + source + ", into=" + target);
        }
    }

    private void checkPair(final Span source, final Span target) {
        check(source, false);
        check(target, true);
        checkLengths(source, target);
        if (source.buffer() == target.buffer() && source.offset() < target.end() && target.offset() < source.end()) {
            throw new IllegalArgumentException("spans overlap: from=" + source + ", into=" + target);
        }
    }

    private void check(final Span span, final boolean written) {
        final long limit = limit(span.buffer());
        if (written && span.buffer() == Buffer.SEND) {
            throw new IllegalArgumentException("the send buffer is read only: into=" + span);
        }
        if (span.bytes() > 0 && span.end() > limit) {
            throw new IllegalArgumentException("span out of range: span=" + span + ", bytes=" + limit);
        }
    }
}
