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

/** The plan of a collective on a sub-communicator; its tasks become tasks of the enclosing plan. For one thread. */
final class NestedPlan implements Plan {
    private final PlanBuilder outer;
    private final int channel;
    private final int part;
    private final CollectiveChannel to;
    private final PlanContext nesting;
    private final CollSubComm group;
    private final BufferRange send;
    private final BufferRange recv;
    /** Offset of this segment's scratch memory in that of the enclosing plan. */
    private final long scratch;
    private final List<Integer> tasks = new ArrayList<>();
    /** The predecessor of tasks that have none of their own: the start of the segment, or its last fence. */
    private int start;

    NestedPlan(final PlanBuilder outer, final int channel, final CollectiveChannel to, final PlanContext context, final CollSubComm group,
               final Call call, final BufferRange send, final BufferRange recv, final int start) {
        this.outer = outer;
        this.channel = channel;
        this.to = to;
        this.nesting = context;
        this.group = group;
        this.send = limited(send, call.sendBytes(group.rank()));
        this.recv = limited(recv, call.recvBytes(group.rank()));
        this.part = outer.parts.begin(channel, this.send, this.recv, outer.scratchBytes);
        this.scratch = outer.scratchBytes;
        this.start = start;
    }

    private static BufferRange limited(final BufferRange range, final long bytes) {
        return range == null ? Buffer.SCRATCH.at(0, 0) : range.slice(0, Math.min(bytes, range.bytes()));
    }

    /** Ends the segment. Returns a task that comes after all of its tasks. */
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
        final BufferRange range = outer.scratch(bytes);
        return Buffer.SCRATCH.at(range.offset() - scratch, bytes);
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
        final CollectiveChannel innerChannel = nesting.channel(other);
        if (into != null) {
            TaskArguments.checkWritten(into);
        }
        final BufferRange source = from == null ? null : place(from);
        final BufferRange target = into == null ? null : place(into);
        return added(outer.nest(nesting, innerChannel, other, operation, inner, source, target, outer.join(following(after))));
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

    /** Translates a range of this segment to the range of the enclosing plan. */
    private BufferRange place(final BufferRange range) {
        final BufferRange outerRange = switch (range.buffer()) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> Buffer.SCRATCH.at(scratch, outer.scratchBytes - scratch);
        };
        TaskArguments.checkWithin(range, outerRange.bytes());
        return range.bytes() == 0 ? Buffer.SCRATCH.at(0, 0) : outerRange.slice(range.offset(), range.bytes());
    }
}
