package tutti.runtime.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.introspect.TracedCall;

/**
 * Records the plan of one rank, checks every argument, and freezes it into a {@link Schedule}. For one thread.
 *
 * <p>Nested collectives are recorded by a {@link NestedPlan}, which says where a task belongs: {@code on} is the index of a channel, {@code
 * within} that of a segment.
 */
public final class PlanBuilder implements Plan {
    final TaskList tasks = new TaskList();
    final PlanSegments segments = new PlanSegments();
    long scratchBytes;
    long call;
    long reductionCode;
    TracedCall label;

    private final int rank;
    private final int size;
    private final boolean inter;
    private final int remoteSize;
    private final long sendBytes;
    private final long recvBytes;
    private final PlanContext context;
    private final List<CollectiveChannel> channels = new ArrayList<>();
    /** Per channel: the number of messages to and from each peer. */
    private final List<int[]> sent = new ArrayList<>();
    private final List<int[]> received = new ArrayList<>();

    /** Creates an empty plan of a rank for a call. */
    public PlanBuilder(final Call call, final int rank, final int size, final boolean inter, final int remoteSize, final PlanContext context) {
        this.rank = rank;
        this.size = size;
        this.inter = inter;
        this.remoteSize = remoteSize;
        this.sendBytes = call.sendBytes(rank, inter);
        this.recvBytes = call.recvBytes(rank, inter);
        this.context = context;
        this.sent.add(new int[remoteSize]);
        this.received.add(new int[remoteSize]);
        segments.begin(0, Buffer.SEND.at(0, sendBytes), Buffer.RECV.at(0, recvBytes), 0);
    }

    /**
     * Sets the {@link CallSignature} and what the call reduces. The messages of the plan carry the signature, so that calls are compared.
     *
     * @param signature the signature of the call
     * @param reduction {@link CallSignature#reductionOf}
     */
    public void setSignature(final long signature, final long reduction) {
        call = signature;
        reductionCode = reduction;
    }

    /** Sets the call for tracing. */
    public void setLabel(final TracedCall what) {
        label = what;
    }

    /** Returns the plan as recorded so far, as a schedule. */
    public Schedule freeze() {
        segments.end(0, scratchBytes);
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
    public BufferRange scratch(final long length) {
        // a new reservation starts on its own cache line
        final BufferRange range = Buffer.SCRATCH.at(scratchBytes, length);
        scratchBytes = scratchBytes + length + 63 & ~63L;
        return range;
    }

    @Override
    public int send(final BufferRange data, final int to, final int... after) {
        TaskArguments.checkPeer(to, remoteSize);
        checkRead(data);
        return send(0, data, to, after);
    }

    int send(final int on, final BufferRange data, final int to, final int... after) {
        final int task = tasks.add(Schedule.SEND, data, null, data.bytes(), after);
        tasks.peer[task] = to;
        tasks.channel[task] = index(on, "communicators");
        tasks.ordinal[task] = sent.get(on)[to]++;
        return task;
    }

    @Override
    public int recv(final BufferRange target, final int source, final int... after) {
        TaskArguments.checkPeer(source, remoteSize);
        checkWritten(target);
        return recv(0, target, source, after);
    }

    int recv(final int on, final BufferRange target, final int source, final int... after) {
        final int task = tasks.add(Schedule.RECV, null, target, target.bytes(), after);
        tasks.peer[task] = source;
        tasks.channel[task] = index(on, "communicators");
        tasks.ordinal[task] = received.get(on)[source]++;
        return task;
    }

    @Override
    public int copy(final BufferRange source, final BufferRange target, final int... after) {
        checkPair(source, target);
        return tasks.add(Schedule.COPY, source, target, source.bytes(), after);
    }

    @Override
    public int reduce(final Reduction operation, final BufferRange source, final BufferRange target, final int... after) {
        checkPair(source, target);
        final BoundReduction bound = TaskArguments.bound(operation, source);
        final int task = tasks.add(Schedule.REDUCE, source, target, source.bytes(), after);
        tasks.reduction[task] = bound;
        return task;
    }

    @Override
    public int post(final int... after) {
        checkShared();
        return post(0, after);
    }

    /** Adds the next post of a segment, which comes after its last one. */
    int post(final int within, final int[] after) {
        segments.checkPosts(within);
        final int before = segments.lastPost(within);
        final int task = share(tasks.add(Schedule.POST, null, null, 0, before < 0 ? after : append(after, before)), within);
        tasks.ordinal[task] = segments.posted(within, task);
        return task;
    }

    @Override
    public int await(final int other, final int post, final int... after) {
        checkSameNode(other);
        return await(0, other, post, after);
    }

    int await(final int within, final int other, final int post, final int[] after) {
        TaskArguments.checkPost(post);
        final int task = share(tasks.add(Schedule.AWAIT, null, null, 0, after), within);
        tasks.peer[task] = other;
        tasks.ordinal[task] = post;
        return task;
    }

    @Override
    public int get(final int other, final BufferRange source, final BufferRange target, final int... after) {
        checkSameNode(other);
        checkWritten(target);
        return get(0, other, source, target, after);
    }

    int get(final int within, final int other, final BufferRange source, final BufferRange target, final int... after) {
        TaskArguments.checkLengths(source, target);
        final int task = share(tasks.add(Schedule.GET, source, target, source.bytes(), after), within);
        tasks.peer[task] = other;
        return task;
    }

    @Override
    public int reduce(final Reduction operation, final int other, final BufferRange source, final BufferRange target, final int... after) {
        checkSameNode(other);
        checkWritten(target);
        return reduce(operation, 0, other, source, target, after);
    }

    int reduce(final Reduction operation, final int within, final int other, final BufferRange source, final BufferRange target, final int... after) {
        final BoundReduction bound = TaskArguments.bound(operation, source);
        TaskArguments.checkLengths(source, target);
        final int task = share(tasks.add(Schedule.COMBINE, source, target, source.bytes(), after), within);
        tasks.peer[task] = other;
        tasks.reduction[task] = bound;
        return task;
    }

    private int share(final int task, final int within) {
        tasks.segment[task] = index(within, "nested collectives");
        tasks.channel[task] = index(segments.share(within), "communicators");
        return task;
    }

    /** Returns an index as tasks store it. */
    private static short index(final int value, final String what) {
        if (value > Short.MAX_VALUE) {
            throw new IllegalArgumentException("too many " + what + " in a plan: max=" + (Short.MAX_VALUE + 1));
        }
        return (short) value;
    }

    @Override
    public <C extends Call> int nested(final CollSubComm group, final Operation<C> operation, final C call, final BufferRange send,
        final BufferRange recv,
        final int... after) {
        final CollectiveChannel to = context.channel(group);
        if (send != null) {
            checkRead(send);
        }
        if (recv != null) {
            checkWritten(recv);
        }
        return nest(context, to, group, operation, call, send, recv, join(after));
    }

    /** Plans a collective as a segment of this plan; its ranges were checked. */
    <C extends Call> int nest(final PlanContext around, final CollectiveChannel to, final CollSubComm group, final Operation<C> operation,
        final C inner,
        final BufferRange from, final BufferRange target, final int start) {
        int on = channels.indexOf(to) + 1;
        if (on == 0) {
            channels.add(to);
            sent.add(new int[group.size()]);
            received.add(new int[group.size()]);
            on = channels.size();
        }
        final NestedPlan plan = new NestedPlan(this, on, to, around.within(group), group, inner, from, target, start);
        around.plan(group, operation, inner, plan);
        return plan.end();
    }

    /** Adds a task that does nothing and comes after the given ones. */
    int join(final int... after) {
        return tasks.add(Schedule.FENCE, null, null, 0, after);
    }

    @Override
    public int fence() {
        return tasks.fence();
    }

    /** Returns the number of tasks so far. */
    public int tasks() {
        return tasks.count;
    }

    /** Returns whether the plan has nested collectives. */
    public boolean isNested() {
        return !channels.isEmpty();
    }

    /** Returns whether the plan sends messages to a peer, receives from it, or shares memory with it. */
    public boolean hasTraffic(final int other) {
        return sent.getFirst()[other] > 0 || received.getFirst()[other] > 0 || segments.sharesMemory(0) && tasks.sharesMemoryWith(other);
    }

    /** Returns the number of posts of the plan itself, without nested collectives. */
    int posts() {
        return segments.posts(0);
    }

    /** Returns the length of a buffer in bytes. */
    long limit(final Buffer buffer) {
        return switch (buffer) {
            case SEND -> sendBytes;
            case RECV -> recvBytes;
            case SCRATCH -> scratchBytes;
        };
    }

    /** Returns the lengths of the messages to or from a peer, in the order of matching. */
    long[] messages(final byte what, final int other) {
        return tasks.messages(what, other, (what == Schedule.SEND ? sent : received).getFirst()[other]);
    }

    /** Returns the channels of nested collectives; they have the indices from 1 in {@link TaskList#channel}. */
    CollectiveChannel[] channels() {
        return channels.toArray(CollectiveChannel[]::new);
    }

    /** Returns the given tasks and one more. */
    static int[] append(final int[] after, final int one) {
        final int[] all = Arrays.copyOf(after, after.length + 1);
        all[after.length] = one;
        return all;
    }

    private void checkShared() {
        if (inter) {
            throw new IllegalArgumentException("the ranks of an intercommunicator share no memory: nest a collective on the local group");
        }
    }

    private void checkSameNode(final int other) {
        checkShared();
        TaskArguments.checkPeer(other, remoteSize);
        TaskArguments.checkSameNode(other, rank, context.areOnSameNode(rank, other));
    }

    private void checkPair(final BufferRange source, final BufferRange target) {
        checkRead(source);
        checkWritten(target);
        TaskArguments.checkLengths(source, target);
        TaskArguments.checkDisjoint(source, target);
    }

    private void checkRead(final BufferRange range) {
        TaskArguments.checkWithin(range, limit(range.buffer()));
    }

    private void checkWritten(final BufferRange range) {
        TaskArguments.checkWritten(range);
        checkRead(range);
    }
}
