package tutti.coll.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.OffloadDevice;
import tutti.coll.advanced.OpaqueWork;
import tutti.coll.advanced.Worker;

/**
 * Records the plan of one rank: checks every argument as {@link tutti.coll.Plan} demands, orders the tasks by the memory that they access, and
 * passes them on to a {@link TaskSink}. For one thread.
 *
 * <p>A nested collective is a part of the plan, with a recorder of its own. Its tasks are numbered with those of the whole plan, and their ranges are
 * translated to the buffers of the whole plan.
 *
 * @param <M> the type of communicators
 */
public class PlanRecorder<M extends PlanComm<M>> implements AdvancedPlan {
    /** The largest number of posts of a part. */
    public static final int MAX_POSTS = (1 << 20) - 1;
    /** A reservation of scratch memory starts on its own cache line. */
    private static final long ALIGNMENT = 64;
    /** A reservation of shared memory starts on an element of any type. */
    private static final long SHARED_ALIGNMENT = 16;

    private final TaskSink<M> sink;
    private final TaskOrder<M> tasks;
    private final M comm;
    /** Rank and sizes of the communicator, copied because algorithms read them often. */
    private final int rank;
    private final int size;
    private final int peers;
    private final boolean inter;
    private final @Nullable PlanRecorder<M> outer;
    private final PlanRecorder<M> outermost;
    private final @Nullable Operation<?> operation;
    private final @Nullable BufferRange send;
    private final @Nullable BufferRange recv;
    /** Offset of this part's scratch memory in that of the whole plan. */
    private final long base;
    private final Reservations reservations = new Reservations();
    private final Reservations sharedReservations = new Reservations();
    private final int index;
    /** Whether the surroundings of this part take it for a reader of its receive buffer: the part of the root of a nested broadcast. */
    private final boolean reader;
    /** The number of parts, and the end of the scratch memory: of the outermost plan alone. */
    private int parts;
    private long extent;
    /** End of this part's scratch memory; -1 until the part is complete. */
    private long end = -1;
    /** The first task of which the next fence is a successor. */
    private int first;
    /** The task that comes before all further ones: the start of the part or its last fence; none at first. */
    private int start = TaskOrder.NO_TASK;
    private int posts;
    private int lastPost = TaskOrder.NO_TASK;
    /** End of this part's reservations of shared memory. */
    private long sharedEnd;
    /** Whether the task was added that comes before all tasks that write shared memory of this part. */
    private boolean reserves;

    /**
     * Begins the plan for a call; the subclass makes it known to the sink.
     *
     * @param sink receives the tasks
     * @param comm the communicator
     * @param call the call, which gives the sizes of the buffers
     */
    protected PlanRecorder(final TaskSink<M> sink, final M comm, final Call call) {
        this.sink = sink;
        this.tasks = new TaskOrder<>(sink);
        this.comm = comm;
        this.rank = comm.rank();
        this.size = comm.size();
        this.peers = comm.remoteSize();
        this.inter = comm.isInter();
        this.outer = null;
        this.outermost = this;
        this.operation = null;
        this.send = has(call, Buffer.SEND) ? Buffer.SEND.at(0, call.sendBytes(rank, inter)) : null;
        this.recv = has(call, Buffer.RECV) ? Buffer.RECV.at(0, call.recvBytes(rank, inter)) : null;
        this.base = 0;
        this.index = parts++;
        this.reader = false;
    }

    /** Begins a part. Its buffers are ranges of the whole plan; null if they are empty. */
    private PlanRecorder(final PlanRecorder<M> outer, final M comm, final Operation<?> operation, final Call call, final @Nullable BufferRange from,
        final @Nullable BufferRange into, final int start) {
        this.sink = outer.sink;
        this.tasks = outer.tasks;
        this.comm = comm;
        this.rank = comm.rank();
        this.size = comm.size();
        this.peers = comm.remoteSize();
        this.inter = comm.isInter();
        this.outer = outer;
        this.outermost = outer.outermost;
        this.operation = operation;
        this.send = has(call, Buffer.SEND) ? limited(from, call.sendBytes(rank)) : null;
        this.recv = has(call, Buffer.RECV) ? limited(into, call.recvBytes(rank)) : null;
        this.base = outermost.extent;
        this.index = outermost.parts++;
        this.reader = isBcastRoot(call, rank);
        this.first = tasks.count();
        this.start = start;
    }

    private static BufferRange limited(final @Nullable BufferRange range, final long bytes) {
        return range == null ? Buffer.SCRATCH.at(0, 0) : range.slice(0, Math.min(bytes, range.bytes()));
    }

    private static boolean isBcastRoot(final Call call, final int rank) {
        return call instanceof final Call.Bcast bcast && bcast.root() == rank;
    }

    /** Returns whether a rank has a buffer in a call. */
    private static boolean has(final Call call, final Buffer buffer) {
        return switch (call) {
            case Call.Barrier c -> false;
            case Call.Bcast c -> buffer == Buffer.RECV;
            case Call.Scatter c -> buffer == Buffer.SEND || !c.inPlace();
            case Call.NeighborAllgather c -> true;
            case Call.NeighborAlltoall c -> true;
            default -> buffer == Buffer.RECV || !call.inPlace();
        };
    }

    /** Returns the communicator of this part. */
    public M comm() {
        return comm;
    }

    /** Returns the number of this part among the parts of the plan in the order in which they begin; 0 for the outermost. */
    public int index() {
        return index;
    }

    /** Returns the operation of a nested part; null for the outermost. */
    public @Nullable Operation<?> operation() {
        return operation;
    }

    /** Returns the whole plan. */
    public PlanRecorder<M> outermost() {
        return outermost;
    }

    /** Returns the number of tasks of the whole plan so far. */
    public int taskCount() {
        return tasks.count();
    }

    /** Returns the number of posts of this part so far. */
    public int posts() {
        return posts;
    }

    /**
     * Returns the range of the whole plan that is this part's buffer, empty if it has none; for scratch and shared memory, all reserved so far. The
     * whole plan has {@link AdvancedPlan#MAX_SHARED} bytes of shared memory for each part.
     */
    public BufferRange buffer(final Buffer buffer) {
        return switch (buffer) {
            case SEND -> send == null ? Buffer.SCRATCH.at(0, 0) : send;
            case RECV -> recv == null ? Buffer.SCRATCH.at(0, 0) : recv;
            case SCRATCH -> Buffer.SCRATCH.at(base, (end < 0 ? outermost.extent : end) - base);
            case SHARED -> Buffer.SHARED.at((long) index * MAX_SHARED, sharedEnd);
        };
    }

    /**
     * Returns the range of the whole plan that a range of this part stands for.
     *
     * @throws IllegalArgumentException if this part has no such range
     */
    public BufferRange resolve(final BufferRange range) {
        if (range.buffer() == Buffer.SCRATCH) {
            if (!reservations.contain(range)) {
                throw new IllegalArgumentException("range not within a reservation: range=" + range);
            }
            return outer == null ? range : Buffer.SCRATCH.at(base + range.offset(), range.bytes());
        }
        if (range.buffer() == Buffer.SHARED) {
            if (!sharedReservations.contain(range)) {
                throw new IllegalArgumentException("range not within a reservation: range=" + range);
            }
            return buffer(Buffer.SHARED).slice(range.offset(), range.bytes());
        }
        final BufferRange whole = range.buffer() == Buffer.SEND ? send : recv;
        if (whole == null) {
            throw new IllegalArgumentException("no such buffer in this call: range=" + range);
        }
        if (range.end() > whole.bytes()) {
            throw new IllegalArgumentException("range out of bounds: range=" + range + ", bytes=" + whole.bytes());
        }
        return outer == null ? range : whole.slice(range.offset(), range.bytes());
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
        return peers;
    }

    @Override
    public BufferRange scratch(final long bytes) {
        final BufferRange range = Buffer.SCRATCH.at(outermost.extent - base, bytes);
        sink.reserve(Buffer.SCRATCH.at(outermost.extent, bytes));
        reservations.add(range.offset(), range.end());
        outermost.extent = outermost.extent + bytes + ALIGNMENT - 1 & -ALIGNMENT;
        return range;
    }

    @Override
    public BufferRange shared(final long bytes, final int... readers) {
        checkShared();
        for (final int reader : readers) {
            checkSameNode(reader);
        }
        final BufferRange range = Buffer.SHARED.at(sharedEnd + SHARED_ALIGNMENT - 1 & -SHARED_ALIGNMENT, bytes);
        if (range.end() > MAX_SHARED) {
            throw new IllegalArgumentException("too much shared memory: bytes=" + range.end() + ", max=" + MAX_SHARED);
        }
        sharedReservations.add(range.offset(), range.end());
        sharedEnd = range.end();
        if (!reserves) {
            reserves = true;
            tasks.addBefore(this, TaskKind.RESERVE, null, Buffer.SHARED.at((long) index * MAX_SHARED, MAX_SHARED));
        }
        sink.share(this, readers);
        return range;
    }

    @Override
    public Task send(final BufferRange data, final int peer, final Task... after) {
        checkPeer(peer);
        checkNotShared(data);
        final BufferRange from = resolve(data);
        return add(TaskKind.SEND, from, from, null, peer, null, after);
    }

    @Override
    public Task recv(final BufferRange into, final int peer, final Task... after) {
        checkPeer(peer);
        checkNotShared(into);
        return add(TaskKind.RECV, null, null, target(into), peer, null, after);
    }

    @Override
    public Task copy(final BufferRange from, final BufferRange into, final Task... after) {
        return addLocal(TaskKind.COPY, null, from, into, after);
    }

    @Override
    public Task reduce(final Reduction reduction, final BufferRange from, final BufferRange into, final Task... after) {
        checkElements(reduction, into);
        return addLocal(TaskKind.REDUCE, reduction, from, into, after);
    }

    @Override
    public Task copy(final Worker worker, final BufferRange from, final BufferRange into, final Task... after) {
        return assign(worker, TaskKind.COPY, null, from, into, after);
    }

    @Override
    public Task reduce(final Worker worker, final Reduction reduction, final BufferRange from, final BufferRange into, final Task... after) {
        checkElements(reduction, into);
        return assign(worker, TaskKind.REDUCE, reduction, from, into, after);
    }

    @Override
    public Task post(final Task... after) {
        checkShared();
        if (posts == MAX_POSTS) {
            throw new IllegalArgumentException("too many posts: posts=" + posts);
        }
        lastPost = tasks.add(this, TaskKind.POST, null, null, null, -1, posts, null, lastPost, after);
        posts++;
        return tasks.task(lastPost);
    }

    @Override
    public Task await(final int peer, final int post, final Task... after) {
        checkSameNode(peer);
        if (post < 0 || post >= MAX_POSTS) {
            throw new IllegalArgumentException("post out of range: post=" + post);
        }
        return tasks.task(tasks.add(this, TaskKind.AWAIT, null, null, null, peer, post, null, TaskOrder.NO_TASK, after));
    }

    @Override
    public Task get(final int peer, final BufferRange from, final BufferRange into, final Task... after) {
        checkSameNode(peer);
        checkLengths(from, into);
        return add(TaskKind.GET, from, null, target(into), peer, null, after);
    }

    @Override
    public Task reduce(final Reduction reduction, final int peer, final BufferRange from, final BufferRange into, final Task... after) {
        checkSameNode(peer);
        checkLengths(from, into);
        checkElements(reduction, into);
        return add(TaskKind.PEER_REDUCE, from, null, target(into), peer, reduction, after);
    }

    @Override
    public <C extends Call> Task nested(final CollSubComm group, final Operation<C> what, final C call, final @Nullable BufferRange from,
        final @Nullable BufferRange into, final Task... after) {
        final M sub = comm.sub(group);
        checkNotShared(from);
        checkNotShared(into);
        final BufferRange input = from == null ? null : resolve(from);
        final BufferRange output = into == null ? null : target(into);
        if (input != null && output != null) {
            checkDisjoint(input, output);
        }
        // the root may nest several broadcasts of the same data at the same time
        final boolean isRoot = isBcastRoot(call, sub.rank());
        final BufferRange reads = isRoot ? output : input;
        final BufferRange writes = isRoot ? null : output;
        final int before = tasks.addBefore(this, TaskKind.FENCE, reads, writes, after);
        final PlanRecorder<M> part = new PlanRecorder<>(this, sub, what, call, input, output, before);
        sink.begin(part);
        sub.plan(what, call, part);
        part.end = outermost.extent;
        return tasks.task(part.fence(reads, writes));
    }

    @Override
    public Task opaque(final OpaqueWork work, final List<BufferRange> reads, final List<BufferRange> writes, final Task... after) {
        Objects.requireNonNull(work, "work");
        final List<BufferRange> sources = new ArrayList<>();
        for (final BufferRange range : reads) {
            checkNotShared(range);
            sources.add(resolve(range));
        }
        final List<BufferRange> targets = new ArrayList<>();
        for (final BufferRange range : writes) {
            checkNotShared(range);
            final BufferRange target = target(range);
            sources.forEach(source -> checkDisjoint(source, target));
            targets.forEach(other -> checkDisjoint(other, target));
            targets.add(target);
        }
        final int task = tasks.addOpaque(this, sources, targets, after);
        sink.assign(new Assignment.Opaque(work, sources, targets));
        return tasks.task(task);
    }

    @Override
    public <C extends Call> Task offloaded(final OffloadDevice device, final Operation<C> what, final C call, final @Nullable BufferRange from,
        final @Nullable BufferRange into, final Task... after) {
        Objects.requireNonNull(device, "device");
        checkOffloaded(what, call);
        checkNotShared(from);
        checkNotShared(into);
        checkLength("send", from, call.sendBytes(rank));
        checkLength("receive", into, call.recvBytes(rank));
        final BufferRange input = from == null ? null : resolve(from);
        final BufferRange output = into == null ? null : target(into);
        if (input != null && output != null) {
            checkDisjoint(input, output);
        }
        final boolean isRoot = isBcastRoot(call, rank);
        final BufferRange reads = isRoot ? output : input;
        final Task task = add(TaskKind.OFFLOADED, reads, reads, isRoot ? null : output, -1, null, after);
        sink.assign(new Assignment.Offloaded(device, what, call, input, output));
        return task;
    }

    @Override
    public Task fence() {
        return tasks.task(fence(null, null));
    }

    private int fence(final @Nullable BufferRange input, final @Nullable BufferRange output) {
        final int fence = tasks.addFence(this, first, start, input, output);
        start = fence;
        first = fence + 1;
        return fence;
    }

    /** Returns the first task of which the next fence is a successor. */
    int first() {
        return first;
    }

    /** Returns whether tasks outside this part may read its receive buffer at the same time: one that writes it must follow them itself. */
    boolean isReader() {
        return reader;
    }

    /** Returns the task that comes before all further ones: the start of the part or its last fence; none at first. */
    int start() {
        return start;
    }

    private Task addLocal(final TaskKind kind, final @Nullable Reduction reduction, final BufferRange from, final BufferRange into,
        final Task... after) {
        checkLengths(from, into);
        final BufferRange source = resolve(from);
        final BufferRange target = target(into);
        checkDisjoint(source, target);
        return add(kind, source, source, target, -1, reduction, after);
    }

    private Task assign(final Worker worker, final TaskKind kind, final @Nullable Reduction reduction, final BufferRange from, final BufferRange into,
        final Task... after) {
        Objects.requireNonNull(worker, "worker");
        final Task task = addLocal(kind, reduction, from, into, after);
        sink.assign(new Assignment.ByWorker(worker));
        return task;
    }

    private Task add(final TaskKind kind, final @Nullable BufferRange from, final @Nullable BufferRange reads, final @Nullable BufferRange into,
        final int peer, final @Nullable Reduction reduction, final Task... after) {
        return tasks.task(tasks.add(this, kind, from, reads, into, peer, -1, reduction, TaskOrder.NO_TASK, after));
    }

    /** Returns the range of the whole plan that a range stands for which is written. */
    private BufferRange target(final BufferRange range) {
        if (range.buffer() == Buffer.SEND) {
            throw new IllegalArgumentException("the send buffer is read only: into=" + range);
        }
        return resolve(range);
    }

    private void checkPeer(final int peer) {
        if (peer < 0 || peer >= peers) {
            throw new IllegalArgumentException("peer out of range: peer=" + peer + ", ranks=" + peers);
        }
    }

    private void checkShared() {
        if (inter) {
            throw new IllegalArgumentException("the ranks of an intercommunicator share no memory: nest a collective on the local group");
        }
    }

    private void checkOffloaded(final Operation<?> what, final Call call) {
        if (inter) {
            throw new IllegalArgumentException("no device serves an intercommunicator: nest a collective on the local group");
        }
        if (!what.callType().isInstance(call)) {
            throw new IllegalArgumentException("not a call of the operation: operation=" + what + ", call=" + call);
        }
        if (call instanceof Call.NeighborAllgather || call instanceof Call.NeighborAlltoall) {
            throw new IllegalArgumentException("no device carries out neighbourhood collectives: operation=" + what);
        }
        if (call instanceof final Call.Rooted rooted) {
            checkPeer(rooted.root());
        }
        final Reduction reduction = call.reduction();
        if (reduction != null && reduction.operation() == null) {
            throw new IllegalArgumentException("no device carries out an operation of the program: reduction=" + reduction
                + ", plan other tasks where Reduction.operation() is null");
        }
    }

    private static void checkLength(final String name, final @Nullable BufferRange range, final long bytes) {
        final long given = range == null ? 0 : range.bytes();
        if (given != bytes) {
            throw new IllegalArgumentException(name + " buffer of another length than the call: bytes=" + given + ", call=" + bytes);
        }
    }

    private static void checkNotShared(final @Nullable BufferRange range) {
        if (range != null && range.buffer() == Buffer.SHARED) {
            throw new IllegalArgumentException("only local tasks use shared memory: range=" + range);
        }
    }

    private void checkSameNode(final int peer) {
        checkShared();
        checkPeer(peer);
        if (peer == rank) {
            throw new IllegalArgumentException("a rank does not await or read itself: peer=" + peer);
        }
        if (!comm.isOnSameNode(peer)) {
            throw new IllegalArgumentException("peer on another node: peer=" + peer + ", rank=" + rank);
        }
    }

    private static void checkDisjoint(final BufferRange from, final BufferRange into) {
        if (from.buffer() == into.buffer() && from.offset() < into.end() && into.offset() < from.end()) {
            throw new IllegalArgumentException("ranges overlap: from=" + from + ", into=" + into);
        }
    }

    private static void checkLengths(final BufferRange from, final BufferRange into) {
        if (from.bytes() != into.bytes()) {
            throw new IllegalArgumentException("ranges of different length: from=" + from + ", into=" + into);
        }
    }

    private static void checkElements(final Reduction reduction, final BufferRange range) {
        if (range.bytes() % reduction.elementBytes() != 0) {
            throw new IllegalArgumentException("not a multiple of the element: bytes=" + range.bytes() + ", element=" + reduction.elementBytes());
        }
    }
}
