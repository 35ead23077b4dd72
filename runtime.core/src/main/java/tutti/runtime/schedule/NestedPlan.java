package tutti.runtime.schedule;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/** The plan of a collective on a sub-communicator, whose tasks become tasks of the plan around it. For one thread. */
final class NestedPlan implements Plan {
    private final PlanBuilder outer;
    private final int channel;
    private final int part;
    private final CollectiveChannel to;
    private final PlanContext nesting;
    private final CollSubComm group;
    private final BufferRange send;
    private final BufferRange recv;
    /** Where the scratch memory of this part begins in that of the plan around it. */
    private final long scratch;
    private final List<Integer> tasks = new ArrayList<>();
    /** What a task without predecessors of its own comes after: the begin of the part, or its last fence. */
    private int start;

    NestedPlan(final PlanBuilder outer, final int channel, final CollectiveChannel to, final PlanContext nesting, final CollSubComm group,
               final Call call, final BufferRange send, final BufferRange recv, final int start) {
        this.outer = outer;
        this.channel = channel;
        this.to = to;
        this.nesting = nesting;
        this.group = group;
        this.send = limited(send, call.sendBytes(group.rank()));
        this.recv = limited(recv, call.recvBytes(group.rank()));
        this.part = outer.parts.begin(channel, this.send, this.recv, outer.scratchBytes);
        this.scratch = outer.scratchBytes;
        this.start = start;
    }

    private static BufferRange limited(final BufferRange span, final long bytes) {
        return span == null ? Buffer.SCRATCH.at(0, 0) : span.slice(0, Math.min(bytes, span.bytes()));
    }

    /** A task that comes after all of this part. */
    int end() {
        outer.parts.end(part, outer.scratchBytes);
        return outer.join(sinceStart());
    }

    private int[] sinceStart() {
        tasks.add(start);
        return tasks.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public int rank() {
        return group.rank();
    }

    @Override
    public int size() {
        return group.size();
    }

    @Override
    public boolean isInter() {
        return false;
    }

    @Override
    public int remoteSize() {
        return group.size();
    }

    @Override
    public BufferRange scratch(final long bytes) {
        final BufferRange span = outer.scratch(bytes);
        return Buffer.SCRATCH.at(span.offset() - scratch, bytes);
    }

    @Override
    public int send(final BufferRange data, final int peer, final int... after) {
        TaskArguments.checkPeer(peer, group.size());
        return added(outer.send(channel, place(data), peer, following(after)));
    }

    @Override
    public int recv(final BufferRange into, final int peer, final int... after) {
        TaskArguments.checkPeer(peer, group.size());
        TaskArguments.checkWritten(into);
        return added(outer.recv(channel, place(into), peer, following(after)));
    }

    @Override
    public int copy(final BufferRange from, final BufferRange into, final int... after) {
        TaskArguments.checkWritten(into);
        return added(outer.copy(place(from), place(into), following(after)));
    }

    @Override
    public int reduce(final Reduction reduction, final BufferRange from, final BufferRange into, final int... after) {
        TaskArguments.checkWritten(into);
        return added(outer.reduce(reduction, place(from), place(into), following(after)));
    }

    @Override
    public int post(final int... after) {
        return added(outer.post(part, following(after)));
    }

    @Override
    public int await(final int peer, final int post, final int... after) {
        checkNear(peer);
        return added(outer.await(part, peer, post, following(after)));
    }

    @Override
    public int get(final int peer, final BufferRange from, final BufferRange into, final int... after) {
        checkNear(peer);
        TaskArguments.checkWritten(into);
        return added(outer.get(part, peer, from, place(into), following(after)));
    }

    @Override
    public int reduce(final Reduction reduction, final int peer, final BufferRange from, final BufferRange into, final int... after) {
        checkNear(peer);
        TaskArguments.checkWritten(into);
        return added(outer.reduce(reduction, part, peer, from, place(into), following(after)));
    }

    @Override
    public <C extends Call> int nested(final CollSubComm other, final Operation<C> operation, final C inner, final BufferRange from,
        final BufferRange into,
                                       final int... after) {
        final CollectiveChannel there = nesting.channel(other);
        if (into != null) {
            TaskArguments.checkWritten(into);
        }
        final BufferRange source = from == null ? null : place(from);
        final BufferRange target = into == null ? null : place(into);
        return added(outer.nest(nesting, there, other, operation, inner, source, target, outer.join(following(after))));
    }

    @Override
    public int fence() {
        final int fence = outer.join(sinceStart());
        tasks.clear();
        start = fence;
        return fence;
    }

    private int added(final int task) {
        tasks.add(task);
        return task;
    }

    private int[] following(final int... after) {
        return PlanBuilder.following(after, start);
    }

    private void checkNear(final int peer) {
        TaskArguments.checkPeer(peer, group.size());
        TaskArguments.checkNear(peer, rank(), to.isNear(peer));
    }

    /** The span of the plan around this one that a span of this part stands for. */
    private BufferRange place(final BufferRange span) {
        final BufferRange there = switch (span.buffer()) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> Buffer.SCRATCH.at(scratch, outer.scratchBytes - scratch);
        };
        TaskArguments.checkWithin(span, there.bytes());
        return span.bytes() == 0 ? Buffer.SCRATCH.at(0, 0) : there.slice(span.offset(), span.bytes());
    }
}
