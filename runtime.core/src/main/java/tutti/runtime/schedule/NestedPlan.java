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

/** The plan of a collective on a sub-communicator, whose tasks become tasks of the plan around it. For one thread. */
final class NestedPlan implements Plan {
    private final PlanBuilder outer;
    private final int channel;
    private final int part;
    private final Channel to;
    private final PlanBuilder.Nesting nesting;
    private final CollGroup group;
    private final Span send;
    private final Span recv;
    /** Where the scratch memory of this part begins in that of the plan around it. */
    private final long scratch;
    private final List<Integer> tasks = new ArrayList<>();
    /** What a task without predecessors of its own comes after: the begin of the part, or its last fence. */
    private int start;

    NestedPlan(final PlanBuilder outer, final int channel, final Channel to, final PlanBuilder.Nesting nesting, final CollGroup group,
               final Call call, final Span send, final Span recv, final int start) {
        this.outer = outer;
        this.channel = channel;
        this.to = to;
        this.nesting = nesting;
        this.group = group;
        this.send = limited(send, call.sendBytes(group.rank()));
        this.recv = limited(recv, call.recvBytes(group.rank()));
        this.part = outer.begin(channel, this.send, this.recv);
        this.scratch = outer.scratchBytes;
        this.start = start;
    }

    private static Span limited(final Span span, final long bytes) {
        return span == null ? Buffer.SCRATCH.at(0, 0) : span.slice(0, Math.min(bytes, span.bytes()));
    }

    /** A task that comes after all of this part. */
    int end() {
        outer.end(part);
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
    public Span scratch(final long bytes) {
        final Span span = outer.scratch(bytes);
        return Buffer.SCRATCH.at(span.offset() - scratch, bytes);
    }

    @Override
    public int send(final Span data, final int peer, final int... after) {
        checkPeer(peer);
        return added(outer.send(channel, place(data), peer, following(after)));
    }

    @Override
    public int recv(final Span into, final int peer, final int... after) {
        checkPeer(peer);
        checkWritten(into);
        return added(outer.recv(channel, place(into), peer, following(after)));
    }

    @Override
    public int copy(final Span from, final Span into, final int... after) {
        checkWritten(into);
        return added(outer.copy(place(from), place(into), following(after)));
    }

    @Override
    public int reduce(final Reduction reduction, final Span from, final Span into, final int... after) {
        checkWritten(into);
        return added(outer.reduce(reduction, place(from), place(into), following(after)));
    }

    @Override
    public int post(final int... after) {
        return added(outer.addPost(part, following(after)));
    }

    @Override
    public int await(final int peer, final int post, final int... after) {
        checkNear(peer);
        return added(outer.addAwait(part, peer, post, following(after)));
    }

    @Override
    public int get(final int peer, final Span from, final Span into, final int... after) {
        checkNear(peer);
        checkWritten(into);
        return added(outer.addGet(part, peer, from, place(into), following(after)));
    }

    @Override
    public int reduce(final Reduction reduction, final int peer, final Span from, final Span into, final int... after) {
        checkNear(peer);
        checkWritten(into);
        return added(outer.addReduce(reduction, part, peer, from, place(into), following(after)));
    }

    @Override
    public <C extends Call> int nested(final CollGroup other, final Operation<C> operation, final C inner, final Span from, final Span into,
                                       final int... after) {
        final Channel there = nesting.channel(other);
        if (into != null) {
            checkWritten(into);
        }
        final Span source = from == null ? null : place(from);
        final Span target = into == null ? null : place(into);
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
        final int[] all = Arrays.copyOf(after, after.length + 1);
        all[after.length] = start;
        return all;
    }

    private void checkPeer(final int peer) {
        if (peer < 0 || peer >= group.size()) {
            throw new IllegalArgumentException("peer out of range: peer=" + peer + ", ranks=" + group.size());
        }
    }

    private static void checkWritten(final Span span) {
        if (span.buffer() == Buffer.SEND) {
            throw new IllegalArgumentException("the send buffer is read only: into=" + span);
        }
    }

    private void checkNear(final int peer) {
        checkPeer(peer);
        PlanBuilder.checkNear(peer, rank(), to.isNear(peer));
    }

    /** The span of the plan around this one that a span of this part stands for. */
    private Span place(final Span span) {
        final Span there = switch (span.buffer()) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> Buffer.SCRATCH.at(scratch, outer.scratchBytes - scratch);
        };
        if (span.bytes() > 0 && span.end() > there.bytes()) {
            throw new IllegalArgumentException("span out of range: span=" + span + ", bytes=" + there.bytes());
        }
        return span.bytes() == 0 ? Buffer.SCRATCH.at(0, 0) : there.slice(span.offset(), span.bytes());
    }
}
