package tutti.coll.tck;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/**
 * A plan that records its tasks for inspection, and rejects bad arguments as {@link Plan} demands. Peers of its tasks are ranks of its communicator.
 * On an intercommunicator the ranks of the second group are numbered after those of the first.
 *
 * <p>A nested collective is recorded as a plan of the same kind, whose tasks are among those of the outer plan.
 */
public final class RecordingPlan implements Plan {
    private final RecordedTasks recorded;
    private final VirtualComm comm;
    private final int rank;
    private final Call call;
    private final RecordingPlan outer;
    private final Operation<?> operation;
    private final BufferRange send;
    private final BufferRange recv;
    private final long base;
    private final int ordinal;
    private final List<BufferRange> reserved = new ArrayList<>();
    private final List<Integer> recent = new ArrayList<>();
    /** The task on which all further tasks depend: the start of the part or the last fence; -1 for none. */
    private int start = -1;
    private int posts;
    private int lastPost = -1;

    /**
     * Creates an empty plan for one rank's call on an intracommunicator whose ranks are all on one node.
     *
     * @param rank the planning rank
     * @param size number of ranks
     * @param call its call, which gives the sizes of the buffers
     */
    public RecordingPlan(final int rank, final int size, final Call call) {
        this(VirtualComm.of(new int[size]), rank, call);
    }

    /** Creates an empty plan for the call of a rank. */
    RecordingPlan(final VirtualComm comm, final int rank, final Call call) {
        this.recorded = new RecordedTasks(comm.index(rank));
        this.comm = comm;
        this.rank = rank;
        this.call = call;
        this.outer = null;
        this.operation = null;
        this.send = isPresent(Buffer.SEND) ? Buffer.SEND.at(0, call.sendBytes(rank, comm.isInter())) : null;
        this.recv = isPresent(Buffer.RECV) ? Buffer.RECV.at(0, call.recvBytes(rank, comm.isInter())) : null;
        this.base = 0;
        this.ordinal = recorded.beginPart(this, comm.channel());
    }

    private RecordingPlan(final RecordingPlan outer, final VirtualComm comm, final int rank, final Operation<?> operation, final Call call,
        final BufferRange send, final BufferRange recv) {
        this.recorded = outer.recorded;
        this.comm = comm;
        this.rank = rank;
        this.call = call;
        this.outer = outer;
        this.operation = operation;
        this.send = send;
        this.recv = recv;
        this.base = recorded.extent();
        this.ordinal = recorded.beginPart(this, comm.channel());
    }

    RecordedTasks recorded() {
        return recorded;
    }

    /** Returns the communicator of this part. */
    VirtualComm comm() {
        return comm;
    }

    /** Returns the number of parts that were planned before on its communicator. */
    int ordinal() {
        return ordinal;
    }

    /** Returns the operation of a nested part; null for the outermost plan. */
    Operation<?> operation() {
        return operation;
    }

    RecordingPlan outermost() {
        return outer == null ? this : outer.outermost();
    }

    /** Returns the tasks so far, in the order of planning. */
    public List<RecordedTask> tasks() {
        return Collections.unmodifiableList(recorded.tasks());
    }

    /** Returns the sum of all reservations of scratch memory in bytes. */
    public long scratchBytes() {
        return recorded.reserved();
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return comm.size();
    }

    @Override
    public boolean isInter() {
        return comm.isInter();
    }

    @Override
    public int remoteSize() {
        return comm.remoteSize();
    }

    @Override
    public BufferRange scratch(final long bytes) {
        final BufferRange span = Buffer.SCRATCH.at(recorded.extent() - base, bytes);
        reserved.add(span);
        recorded.reserve(bytes);
        return span;
    }

    @Override
    public int send(final BufferRange data, final int peer, final int... after) {
        return add(RecordedTask.Kind.SEND, resolve(data), null, indexOf(peer), -1, null, after);
    }

    @Override
    public int recv(final BufferRange into, final int peer, final int... after) {
        return add(RecordedTask.Kind.RECV, null, resolve(into), indexOf(peer), -1, null, after);
    }

    @Override
    public int copy(final BufferRange from, final BufferRange into, final int... after) {
        final BufferRange source = resolve(from);
        final BufferRange target = resolve(into);
        checkPair(from, into, RecordedTask.overlap(source, target));
        return add(RecordedTask.Kind.COPY, source, target, -1, -1, null, after);
    }

    @Override
    public int reduce(final Reduction reduction, final BufferRange from, final BufferRange into, final int... after) {
        final BufferRange source = resolve(from);
        final BufferRange target = resolve(into);
        checkPair(from, into, RecordedTask.overlap(source, target));
        checkElements(reduction, into);
        return add(RecordedTask.Kind.REDUCE, source, target, -1, -1, reduction, after);
    }

    @Override
    public int post(final int... after) {
        checkIntra();
        final int[] implied = lastPost < 0 ? implied() : IntStream.concat(IntStream.of(lastPost), IntStream.of(implied())).toArray();
        lastPost = kept(recorded.add(this, RecordedTask.Kind.POST, null, null, -1, posts++, null, after, implied));
        return lastPost;
    }

    @Override
    public int await(final int peer, final int post, final int... after) {
        if (post < 0) {
            throw new IllegalArgumentException("no such post: post=" + post);
        }
        return add(RecordedTask.Kind.AWAIT, null, null, neighbor(peer), post, null, after);
    }

    @Override
    public int get(final int peer, final BufferRange from, final BufferRange into, final int... after) {
        final int index = neighbor(peer);
        final BufferRange target = resolve(into);
        checkPair(from, into, false);
        return add(RecordedTask.Kind.GET, from, target, index, -1, null, after);
    }

    @Override
    public int reduce(final Reduction reduction, final int peer, final BufferRange from, final BufferRange into, final int... after) {
        final int index = neighbor(peer);
        final BufferRange target = resolve(into);
        checkPair(from, into, false);
        checkElements(reduction, into);
        return add(RecordedTask.Kind.PEER_REDUCE, from, target, index, -1, reduction, after);
    }

    @Override
    public <C extends Call> int nested(final CollSubComm group, final Operation<C> what, final C part, final BufferRange from, final BufferRange into,
        final int... after) {
        if (!(group instanceof VirtualComm.Group g) || g.comm().parent() != comm || g.comm().index(g.rank()) != comm.index(rank)) {
            throw new IllegalArgumentException("not a sub-communicator of this communicator: group=" + group);
        }
        final RecordingPlan nested = new RecordingPlan(this, g.comm(), g.rank(), what, part, from == null ? null : resolve(from),
            into == null ? null : resolve(into));
        final AlgorithmTable.Entry<C> entry = g.comm().serving(g.rank(), what, part.reduction());
        if (entry == null) {
            throw new IllegalArgumentException("nothing serves: operation=" + what + ", group=" + group);
        }
        nested.start = add(RecordedTask.Kind.FENCE, null, null, -1, -1, null, after);
        if (!entry.skipEmpty() || part.sendBytes(g.rank()) + part.recvBytes(g.rank()) > 0) {
            entry.algorithm().plan(part, nested);
        }
        return kept(nested.fence());
    }

    @Override
    public int fence() {
        final int[] all = IntStream.concat(IntStream.of(implied()), recent.stream().mapToInt(Integer::intValue)).toArray();
        recent.clear();
        start = recorded.add(this, RecordedTask.Kind.FENCE, null, null, -1, -1, null, all);
        return start;
    }

    private int add(final RecordedTask.Kind kind, final BufferRange from, final BufferRange into, final int peer, final int post,
        final Reduction reduction,
        final int... after) {
        return kept(recorded.add(this, kind, from, into, peer, post, reduction, after, implied()));
    }

    private int[] implied() {
        return start < 0 ? new int[0] : new int[] {start};
    }

    private int kept(final int task) {
        recent.add(task);
        return task;
    }

    private int indexOf(final int peer) {
        if (peer < 0 || peer >= remoteSize()) {
            throw new IllegalArgumentException("peer out of range: peer=" + peer + ", size=" + remoteSize());
        }
        return comm.peer(peer);
    }

    /** Returns the index of another rank of the node. */
    private int neighbor(final int peer) {
        checkIntra();
        final int index = indexOf(peer);
        if (peer == rank || comm.nodeOf(peer) != comm.nodeOf(rank)) {
            throw new IllegalArgumentException("not another rank of the node: peer=" + peer + ", rank=" + rank);
        }
        return index;
    }

    private void checkIntra() {
        if (isInter()) {
            throw new IllegalArgumentException("groups of an intercommunicator share no memory");
        }
    }

    private static void checkPair(final BufferRange from, final BufferRange into, final boolean overlap) {
        if (from.bytes() != into.bytes()) {
            throw new IllegalArgumentException("lengths differ: from=" + from + ", into=" + into);
        }
        if (overlap) {
            throw new IllegalArgumentException("spans overlap: from=" + from + ", into=" + into);
        }
    }

    private static void checkElements(final Reduction reduction, final BufferRange span) {
        if (span.bytes() % reduction.elementBytes() != 0) {
            throw new IllegalArgumentException("not whole elements: bytes=" + span.bytes() + ", element=" + reduction.elementBytes());
        }
    }

    /** Returns the range of the outermost plan that a range of this plan stands for. */
    BufferRange resolve(final BufferRange span) {
        if (outer != null && span.bytes() == 0) {
            return Buffer.SCRATCH.at(0, 0);
        }
        final BufferRange there = switch (span.buffer()) {
            case SEND -> within(span, send, call.sendBytes(rank, isInter()));
            case RECV -> within(span, recv, call.recvBytes(rank, isInter()));
            case SCRATCH -> reserved.stream().anyMatch(r -> r.offset() <= span.offset() && span.end() <= r.end())
                ? Buffer.SCRATCH.at(base + span.offset(), span.bytes()) : null;
        };
        if (there == null) {
            throw new IllegalArgumentException("span out of range: span=" + span + ", send=" + call.sendBytes(rank, isInter())
                + ", recv=" + call.recvBytes(rank, isInter()) + ", scratch=" + reserved);
        }
        return there;
    }

    /** Returns whether the caller's buffer has a range. */
    boolean hasCallerRange(final BufferRange span) {
        return (span.buffer() == Buffer.SEND ? within(span, send, Long.MAX_VALUE) : within(span, recv, Long.MAX_VALUE)) != null;
    }

    private static BufferRange within(final BufferRange span, final BufferRange buffer, final long limit) {
        return buffer == null || span.end() > Math.min(limit, buffer.bytes()) ? null : buffer.slice(span.offset(), span.bytes());
    }

    private boolean isPresent(final Buffer buffer) {
        final Buffer absent = switch (call) {
            case Call.Barrier c -> buffer;
            case Call.Bcast c -> Buffer.SEND;
            case Call.Scatter c -> c.inPlace() ? Buffer.RECV : null;
            case Call.NeighborAllgather c -> null;
            case Call.NeighborAlltoall c -> null;
            default -> call.inPlace() ? Buffer.SEND : null;
        };
        return buffer != absent;
    }
}
