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
    private final CollGroup group;
    private final Call call;
    private final Span send;
    private final Span recv;
    private final List<Integer> tasks = new ArrayList<>();
    /** What a task without predecessors of its own comes after: the begin of the part, or its last fence. */
    private int start;

    NestedPlan(final PlanBuilder outer, final int channel, final CollGroup group, final Call call, final Span send, final Span recv,
               final int start) {
        this.outer = outer;
        this.channel = channel;
        this.group = group;
        this.call = call;
        this.send = send;
        this.recv = recv;
        this.start = start;
    }

    /** A task that comes after all of this part. */
    int end() {
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
        return outer.scratch(bytes);
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
    public <C extends Call> int nested(final CollGroup other, final Operation<C> operation, final C part, final Span from, final Span into,
                                       final int... after) {
        throw new IllegalArgumentException("not a sub-communicator of this communicator: group=" + other);
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

    /** The span of the plan around this one that a span of this part stands for. */
    private Span place(final Span span) {
        if (span.buffer() == Buffer.SCRATCH) {
            return span;
        }
        final Span there = span.buffer() == Buffer.SEND ? send : recv;
        final long limit = span.buffer() == Buffer.SEND ? call.sendBytes(rank()) : call.recvBytes(rank());
        if (span.bytes() > 0 && (there == null || span.end() > Math.min(limit, there.bytes()))) {
            throw new IllegalArgumentException("span out of range: span=" + span + ", in=" + there);
        }
        return span.bytes() == 0 ? Buffer.SCRATCH.at(0, 0) : there.buffer().at(there.offset() + span.offset(), span.bytes());
    }
}
