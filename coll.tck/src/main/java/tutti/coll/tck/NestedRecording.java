package tutti.coll.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.CollGroup;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.Span;

/** The plan of a collective within a group, as a part of the plan around it: its tasks are recorded there. */
final class NestedRecording implements Plan {
    private final RecordingPlan outer;
    private final CollGroup group;
    private final int base;
    private final Call call;
    private final Span send;
    private final Span recv;
    private final List<Integer> tasks = new ArrayList<>();
    private int start;

    /**
     * An empty part.
     *
     * @param base  the place of rank 0 of the group
     * @param start the task that all of the part comes after
     */
    NestedRecording(final RecordingPlan outer, final CollGroup group, final int base, final Call call, final Span send, final Span recv,
                    final int start) {
        this.outer = outer;
        this.group = group;
        this.base = base;
        this.call = call;
        this.send = send;
        this.recv = recv;
        this.start = start;
    }

    /** A task that comes after all of this part. */
    int end() {
        return outer.join(all());
    }

    private int[] all() {
        return IntStream.concat(IntStream.of(start), tasks.stream().mapToInt(Integer::intValue)).toArray();
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
        return added(outer.sendTo(placed(data), place(peer), following(after)));
    }

    @Override
    public int recv(final Span into, final int peer, final int... after) {
        return added(outer.recvFrom(placed(into), place(peer), following(after)));
    }

    @Override
    public int copy(final Span from, final Span into, final int... after) {
        return added(outer.copy(placed(from), placed(into), following(after)));
    }

    @Override
    public int reduce(final Reduction reduction, final Span from, final Span into, final int... after) {
        return added(outer.reduce(reduction, placed(from), placed(into), following(after)));
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
        start = outer.join(all());
        tasks.clear();
        return start;
    }

    private int added(final int task) {
        tasks.add(task);
        return task;
    }

    private int[] following(final int... after) {
        return IntStream.concat(IntStream.of(start), IntStream.of(after)).toArray();
    }

    private int place(final int peer) {
        if (peer < 0 || peer >= size()) {
            throw new IllegalArgumentException("peer out of range: peer=" + peer + ", size=" + size());
        }
        return base + peer;
    }

    /** The span of the plan around this one that a span of this part stands for. */
    private Span placed(final Span span) {
        if (span.buffer() == Buffer.SCRATCH) {
            return span;
        }
        final Span there = span.buffer() == Buffer.SEND ? send : recv;
        final long limit = span.buffer() == Buffer.SEND ? call.sendBytes(rank()) : call.recvBytes(rank());
        if (span.bytes() > 0 && (there == null || span.end() > Math.min(limit, there.bytes()))) {
            throw new IllegalArgumentException("span out of range: span=" + span + ", in=" + there);
        }
        return span.bytes() == 0 ? outer.scratch(0) : there.slice(span.offset(), span.bytes());
    }
}
