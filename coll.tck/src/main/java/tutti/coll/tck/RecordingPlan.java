package tutti.coll.tck;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.CollGroup;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.Span;
import tutti.coll.Table;

/**
 * A plan that keeps its tasks to be looked at, and refuses bad arguments as {@link Plan} demands. The peers of its tasks are places in
 * {@link Groups}: on an intracommunicator, ranks.
 */
public final class RecordingPlan implements Plan {
    private final Groups groups;
    private final int place;
    private final Call call;
    private final List<Task> tasks = new ArrayList<>();
    private final List<Span> reserved = new ArrayList<>();
    private long scratchBytes;
    private int fence = -1;

    /** An empty plan of {@code rank} on an intracommunicator for what it calls. */
    public RecordingPlan(final int rank, final int size, final Call call) {
        this(Groups.one(size), rank, call);
    }

    /** An empty plan of the rank at {@code place} for what it calls. */
    RecordingPlan(final Groups groups, final int place, final Call call) {
        this.groups = groups;
        this.place = place;
        this.call = call;
    }

    int place() {
        return place;
    }

    /** The tasks so far, in the order of planning. */
    public List<Task> tasks() {
        return Collections.unmodifiableList(tasks);
    }

    /** All that was reserved. */
    public long scratchBytes() {
        return scratchBytes;
    }

    @Override
    public int rank() {
        return groups.rank(place);
    }

    @Override
    public int size() {
        return groups.members(place);
    }

    @Override
    public boolean isInter() {
        return groups.isInter();
    }

    @Override
    public int remoteSize() {
        return groups.remoteMembers(place);
    }

    @Override
    public Span scratch(final long bytes) {
        final Span span = Buffer.SCRATCH.at(scratchBytes, bytes);
        reserved.add(span);
        scratchBytes += bytes;
        return span;
    }

    @Override
    public int send(final Span data, final int peer, final int... after) {
        return sendTo(data, placeOf(peer), after);
    }

    int sendTo(final Span data, final int peer, final int... after) {
        return add(Task.Kind.SEND, checked(data), null, peer, null, after);
    }

    @Override
    public int recv(final Span into, final int peer, final int... after) {
        return recvFrom(into, placeOf(peer), after);
    }

    int recvFrom(final Span into, final int peer, final int... after) {
        return add(Task.Kind.RECV, null, checked(into), peer, null, after);
    }

    @Override
    public int copy(final Span from, final Span into, final int... after) {
        checkPair(from, into);
        return add(Task.Kind.COPY, from, into, -1, null, after);
    }

    @Override
    public int reduce(final Reduction reduction, final Span from, final Span into, final int... after) {
        checkPair(from, into);
        if (from.bytes() % reduction.elementBytes() != 0) {
            throw new IllegalArgumentException("not whole elements: bytes=" + from.bytes() + ", element=" + reduction.elementBytes());
        }
        return add(Task.Kind.REDUCE, from, into, -1, reduction, after);
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
    public <C extends Call> int nested(final CollGroup group, final Operation<C> operation, final C part, final Span send, final Span recv,
                                       final int... after) {
        if (!groups.isInter() || !new LocalGroup(rank(), size()).equals(group)) {
            throw new IllegalArgumentException("not a sub-communicator of this communicator: group=" + group);
        }
        for (final Span s : new Span[] {send, recv}) {
            if (s != null) {
                checked(s);
            }
        }
        final Table.Entry<C> entry = groups.inside().intra(operation);
        final NestedRecording nested = new NestedRecording(this, group, groups.base(place), part, send, recv, join(after));
        if (!entry.skipEmpty() || part.sendBytes(rank()) + part.recvBytes(rank()) > 0) {
            entry.algorithm().plan(part, nested);
        }
        return nested.end();
    }

    /** A task that does nothing and comes after the given ones. */
    int join(final int... after) {
        return add(Task.Kind.FENCE, null, null, -1, null, fence < 0 ? after : IntStream.concat(IntStream.of(after), IntStream.of(fence)).toArray());
    }

    @Override
    public int fence() {
        final int first = Math.max(fence, 0);
        fence = add(Task.Kind.FENCE, null, null, -1, null, IntStream.range(first, tasks.size()).toArray());
        return fence;
    }

    private int add(final Task.Kind kind, final Span from, final Span into, final int peer, final Reduction reduction, final int... after) {
        final int id = tasks.size();
        for (final int a : after) {
            if (a < 0 || a >= id) {
                throw new IllegalArgumentException("no such task: after=" + a + ", tasks=" + id);
            }
        }
        final int[] all = fence < 0 || kind == Task.Kind.FENCE ? after.clone() : IntStream.concat(IntStream.of(after), IntStream.of(fence)).toArray();
        tasks.add(new Task(id, kind, from, into, peer, reduction, all));
        return id;
    }

    private int placeOf(final int peer) {
        if (peer < 0 || peer >= remoteSize()) {
            throw new IllegalArgumentException("peer out of range: peer=" + peer + ", size=" + remoteSize());
        }
        return groups.remoteBase(place) + peer;
    }

    private void checkPair(final Span from, final Span into) {
        checked(from);
        checked(into);
        if (from.bytes() != into.bytes()) {
            throw new IllegalArgumentException("lengths differ: from=" + from + ", into=" + into);
        }
        if (Task.overlap(from, into)) {
            throw new IllegalArgumentException("spans overlap: from=" + from + ", into=" + into);
        }
    }

    private Span checked(final Span span) {
        final boolean fits = switch (span.buffer()) {
            case SEND -> isPresent(Buffer.SEND) && span.end() <= call.sendBytes(rank(), isInter());
            case RECV -> isPresent(Buffer.RECV) && span.end() <= call.recvBytes(rank(), isInter());
            case SCRATCH -> reserved.stream().anyMatch(r -> r.offset() <= span.offset() && span.end() <= r.end());
        };
        if (!fits) {
            throw new IllegalArgumentException("span out of range: span=" + span + ", send=" + call.sendBytes(rank(), isInter())
                + ", recv=" + call.recvBytes(rank(), isInter()) + ", scratch=" + reserved);
        }
        return span;
    }

    private boolean isPresent(final Buffer buffer) {
        final Buffer absent = switch (call) {
            case Call.Barrier c -> buffer;
            case Call.Bcast c -> Buffer.SEND;
            case Call.Scatter c -> c.inPlace() ? Buffer.RECV : null;
            case Call.Gather c -> c.inPlace() ? Buffer.SEND : null;
            case Call.Allgather c -> c.inPlace() ? Buffer.SEND : null;
            case Call.Alltoall c -> c.inPlace() ? Buffer.SEND : null;
            case Call.Reduce c -> c.inPlace() ? Buffer.SEND : null;
            case Call.Allreduce c -> c.inPlace() ? Buffer.SEND : null;
            case Call.Scan c -> c.inPlace() ? Buffer.SEND : null;
            case Call.ReduceScatter c -> c.inPlace() ? Buffer.SEND : null;
            case Call.NeighborAllgather c -> null;
            case Call.NeighborAlltoall c -> null;
        };
        return buffer != absent;
    }
}
