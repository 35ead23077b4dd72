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
    private final int segment;
    private final CollectiveChannel nestedChannel;
    private final PlanContext context;
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
        this.nestedChannel = to;
        this.context = context;
        this.group = group;
        this.send = limited(send, call.sendBytes(group.rank()));
        this.recv = limited(recv, call.recvBytes(group.rank()));
        this.segment = outer.segments.begin(channel, this.send, this.recv, outer.scratchBytes);
        this.scratch = outer.scratchBytes;
        this.start = start;
    }

    private static BufferRange limited(final BufferRange range, final long bytes) {
        return range == null ? Buffer.SCRATCH.at(0, 0) : range.slice(0, Math.min(bytes, range.bytes()));
    }

    /** Ends the segment. Returns a task that comes after all of its tasks. */
    int end() {
        outer.segments.end(segment, outer.scratchBytes);
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
        return track(outer.send(channel, translate(data), peer, orStart(after)));
    }

    @Override
    public int recv(final BufferRange into, final int peer, final int... after) {
        TaskArguments.checkPeer(peer, group.size());
        TaskArguments.checkWritten(into);
        return track(outer.recv(channel, translate(into), peer, orStart(after)));
    }

    @Override
    public int copy(final BufferRange from, final BufferRange into, final int... after) {
        TaskArguments.checkWritten(into);
        return track(outer.copy(translate(from), translate(into), orStart(after)));
    }

    @Override
    public int reduce(final Reduction reduction, final BufferRange from, final BufferRange into, final int... after) {
        TaskArguments.checkWritten(into);
        return track(outer.reduce(reduction, translate(from), translate(into), orStart(after)));
    }

    @Override
    public int post(final int... after) {
        return track(outer.post(segment, orStart(after)));
    }

    @Override
    public int await(final int peer, final int post, final int... after) {
        checkSameNode(peer);
        return track(outer.await(segment, peer, post, orStart(after)));
    }

    @Override
    public int get(final int peer, final BufferRange from, final BufferRange into, final int... after) {
        checkSameNode(peer);
        TaskArguments.checkWritten(into);
        return track(outer.get(segment, peer, from, translate(into), orStart(after)));
    }

    @Override
    public int reduce(final Reduction reduction, final int peer, final BufferRange from, final BufferRange into, final int... after) {
        checkSameNode(peer);
        TaskArguments.checkWritten(into);
        return track(outer.reduce(reduction, segment, peer, from, translate(into), orStart(after)));
    }

    @Override
    public <C extends Call> int nested(final CollSubComm other, final Operation<C> operation, final C inner, final BufferRange from,
        final BufferRange into,
        final int... after) {
        final CollectiveChannel innerChannel = context.channel(other);
        if (into != null) {
            TaskArguments.checkWritten(into);
        }
        final BufferRange source = from == null ? null : translate(from);
        final BufferRange target = into == null ? null : translate(into);
        return track(outer.nest(context, innerChannel, other, operation, inner, source, target, outer.join(orStart(after))));
    }

    @Override
    public int fence() {
        final int fence = outer.join(sinceStart());
        tasks.clear();
        start = fence;
        return fence;
    }

    private int track(final int task) {
        tasks.add(task);
        return task;
    }

    private int[] orStart(final int... after) {
        return PlanBuilder.append(after, start);
    }

    private void checkSameNode(final int peer) {
        TaskArguments.checkPeer(peer, group.size());
        TaskArguments.checkSameNode(peer, rank(), nestedChannel.isOnSameNode(peer));
    }

    /** Translates a range of this segment to the range of the enclosing plan. */
    private BufferRange translate(final BufferRange range) {
        final BufferRange outerRange = switch (range.buffer()) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> Buffer.SCRATCH.at(scratch, outer.scratchBytes - scratch);
        };
        TaskArguments.checkWithin(range, outerRange.bytes());
        return range.bytes() == 0 ? Buffer.SCRATCH.at(0, 0) : outerRange.slice(range.offset(), range.bytes());
    }
}
