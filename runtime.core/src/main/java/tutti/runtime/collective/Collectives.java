package tutti.runtime.collective;

import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.buffer.MessageBufferCache;
import tutti.runtime.context.CommContext;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/**
 * The collective operations of a communicator, as MPI defines them.
 *
 * <p>Each method checks its arguments and returns a request: of an operation that was started, of one that is complete ({@link
 * CollectiveEngine#blocking()}), or of one that can be started repeatedly ({@link CollectiveEngine#persistent()}). {@link Reserved#IN_PLACE} as send
 * buffer makes a call in place. Displacements are in elements, for alltoallw in bytes. Buffers and arrays that are not significant on a rank may be
 * null.
 *
 * <p>On an intercommunicator blocks belong to the ranks of the remote group (for reduce_scatter, of the local group). The root is {@link
 * Reserved#ROOT} on the root itself and {@link Reserved#PROC_NULL} on the other ranks of its group, where no other argument is
 * significant. No call is in place.
 *
 * @param <R> type of the returned requests
 */
public final class Collectives<R extends Request> implements AllToAllCollectives<R> {
    private static final Call.Barrier BARRIER = new Call.Barrier();

    private final CommContext comm;
    private final CollectiveEngine engine;
    private final Mode<R> mode;
    private final MessageBufferCache buffers;
    private final CallCache calls;

    /** The role of a rank in a rooted call. */
    private enum Role {
        /** The root. */
        ROOT,
        /** A rank that the root sends to or receives from. */
        OTHER,
        /** A rank in the root's group of an intercommunicator that takes no part. */
        UNINVOLVED
    }

    /** How a validated call runs: blocking, nonblocking or persistent. */
    interface Mode<R extends Request> {
        /** Runs a call; a buffer is null where the call has none. */
        <C extends Call> R run(Operation<C> operation, C call, @Nullable MessageBuffer send, @Nullable MessageBuffer recv);
    }

    Collectives(final CollectiveEngine engine, final Mode<R> mode) {
        this.comm = engine.comm();
        this.engine = engine;
        this.mode = mode;
        this.buffers = comm.buffers();
        this.calls = new CallCache(comm.remoteSize());
    }

    /** Returns the blocking operations. */
    static Collectives<Request> blocking(final CollectiveEngine engine) {
        return new Collectives<>(engine, engine::run);
    }

    /** Returns the nonblocking operations. */
    static Collectives<Request> nonblocking(final CollectiveEngine engine) {
        return new Collectives<>(engine, engine::start);
    }

    /** Returns the persistent operations. */
    static Collectives<PersistentRequest> persistent(final CollectiveEngine engine) {
        return new Collectives<>(engine, engine::prepare);
    }

    private <C extends Call> R submit(final Operation<C> operation, final C call, final @Nullable MessageBuffer send,
        final @Nullable MessageBuffer recv) {
        MessageBuffer.checkApart(send, recv, "use the form without a send buffer, which is in place");
        return mode.run(operation, call, send, recv);
    }

    /**
     * Returns the neighbourhood collectives for the neighbours of this rank. All ranks call them alike, including ranks without neighbours. There is
     * a block for each source and destination, including PROC_NULL; the latter blocks are not accessed. No call is in place.
     */
    public AllToAllCollectives<R> among(final Neighborhood neighborhood) {
        return new NeighborCollectives<>(comm, neighborhood, mode);
    }

    /** Returns the number of schedules that were planned for this communicator; further calls found theirs in the cache. */
    public long planned() {
        return engine.ownStatistics().plans();
    }

    /** Performs a barrier. */
    public R barrier() {
        comm.checkUsable();
        return submit(Operation.BARRIER, BARRIER, null, null);
    }

    /** Performs a broadcast. */
    public R bcast(final @Nullable Object buffer, final long count, final Datatype type, final int root) {
        final Role role = role(root);
        if (role == Role.UNINVOLVED) {
            return submit(Operation.BCAST, new Call.Bcast(0, root), null, null);
        }
        final MessageBuffer data = role == Role.ROOT ? buffers.of(buffer, count, type) : buffers.into(buffer, count, type);
        return submit(Operation.BCAST, calls.bcast(data.bytes(), root), null, data);
    }

    /** Performs a gather. */
    public R gather(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv, final long recvCount,
        final Datatype recvType, final int root) {
        final Role role = role(root);
        final boolean inPlace = isInPlace(send);
        if (role == Role.UNINVOLVED) {
            return submit(Operation.GATHER, new Call.Gather(0, null, root, false), null, null);
        }
        if (role == Role.OTHER) {
            final MessageBuffer from = sending(send, sendCount, sendType);
            return submit(Operation.GATHER, calls.gather(from.bytes(), ofOwnGroup(from.bytes()), root, false), from, null);
        }
        final MessageBuffer into = buffers.into(recv, times(recvCount), recvType);
        final MessageBuffer from = inPlace || comm.isInter() ? null : buffers.of(send, sendCount, sendType);
        final Blocks blocks = uniform(into);
        checkOwnBlock(from, blocks);
        return submit(Operation.GATHER, calls.gather(blocks.bytes(0), blocks, root, inPlace), from, into);
    }

    /** Performs a gather with a count per rank. */
    public R gatherv(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv,
        final long @Nullable [] recvCounts, final long @Nullable [] displs, final Datatype recvType, final int root) {
        final Role role = role(root);
        final boolean inPlace = isInPlace(send);
        if (role == Role.UNINVOLVED) {
            return submit(Operation.GATHERV, new Call.Gather(0, null, root, false), null, null);
        }
        if (role == Role.OTHER) {
            final MessageBuffer from = sending(send, sendCount, sendType);
            return submit(Operation.GATHERV, new Call.Gather(from.bytes(), null, root, false), from, null);
        }
        final MessageBuffer into = buffers.blocks(recv, recvCounts, displs, recvType, comm.remoteSize(), true);
        final MessageBuffer from = inPlace || comm.isInter() ? null : buffers.of(send, sendCount, sendType);
        checkOwnBlock(from, into.blocks());
        return submit(Operation.GATHERV, new Call.Gather(ownBlock(into.blocks()), into.blocks(), root, inPlace), from, into);
    }

    /** Performs a scatter. */
    public R scatter(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv, final long recvCount,
        final Datatype recvType, final int root) {
        final Role role = role(root);
        final boolean inPlace = isInPlace(recv);
        if (role == Role.UNINVOLVED) {
            return submit(Operation.SCATTER, new Call.Scatter((Blocks) null, 0, root, false), null, null);
        }
        if (role == Role.OTHER) {
            final MessageBuffer into = receivingFromRoot(recv, recvCount, recvType);
            return submit(Operation.SCATTER, calls.scatter(ofOwnGroup(into.bytes()), into.bytes(), root, false), null, into);
        }
        final MessageBuffer from = buffers.of(send, times(sendCount), sendType);
        final MessageBuffer into = inPlace || comm.isInter() ? null : buffers.into(recv, recvCount, recvType);
        final Blocks blocks = uniform(from);
        checkOwnBlock(into, blocks);
        return submit(Operation.SCATTER, calls.scatter(blocks, blocks.bytes(0), root, inPlace), from, into);
    }

    /** Performs a scatter with a count per rank. */
    public R scatterv(final @Nullable Object send, final long @Nullable [] sendCounts, final long @Nullable [] displs, final Datatype sendType,
        final @Nullable Object recv, final long recvCount, final Datatype recvType, final int root) {
        final Role role = role(root);
        final boolean inPlace = isInPlace(recv);
        if (role == Role.UNINVOLVED) {
            return submit(Operation.SCATTERV, new Call.Scatter((Blocks) null, 0, root, false), null, null);
        }
        if (role == Role.OTHER) {
            final MessageBuffer into = receivingFromRoot(recv, recvCount, recvType);
            return submit(Operation.SCATTERV, new Call.Scatter(null, into.bytes(), root, false), null, into);
        }
        final MessageBuffer from = buffers.blocks(send, sendCounts, displs, sendType, comm.remoteSize(), false);
        final MessageBuffer into = inPlace || comm.isInter() ? null : buffers.into(recv, recvCount, recvType);
        checkOwnBlock(into, from.blocks());
        return submit(Operation.SCATTERV, new Call.Scatter(from.blocks(), ownBlock(from.blocks()), root, inPlace), from, into);
    }

    /** Performs an allgather. */
    @Override
    public R allgather(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv, final long recvCount,
        final Datatype recvType) {
        comm.checkUsable();
        final MessageBuffer from = isInPlace(send) ? null : buffers.of(send, sendCount, sendType);
        final MessageBuffer into = receiving(recv, times(recvCount), recvType);
        return submit(Operation.ALLGATHER, allgather(from, uniform(into)), from, into);
    }

    /** Performs an allgather with a count per rank. */
    @Override
    public R allgatherv(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv,
        final long @Nullable [] recvCounts, final long @Nullable [] displs, final Datatype recvType) {
        comm.checkUsable();
        final MessageBuffer from = isInPlace(send) ? null : buffers.of(send, sendCount, sendType);
        final MessageBuffer into = buffers.blocks(recv, recvCounts, displs, recvType, comm.remoteSize(), true);
        return submit(Operation.ALLGATHERV, allgather(from, into.blocks()), from, into);
    }

    private Call.Allgather allgather(final @Nullable MessageBuffer from, final Blocks blocks) {
        checkOwnBlock(from, blocks);
        return calls.allgather(from != null && comm.isInter() ? from.bytes() : ownBlock(blocks), blocks, from == null);
    }

    /** Performs an alltoall. */
    @Override
    public R alltoall(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv, final long recvCount,
        final Datatype recvType) {
        comm.checkUsable();
        final MessageBuffer from = isInPlace(send) ? null : buffers.of(send, times(sendCount), sendType);
        final MessageBuffer into = receiving(recv, times(recvCount), recvType);
        final Blocks recvBlocks = uniform(into);
        return submit(Operation.ALLTOALL, calls.alltoall(from == null ? recvBlocks : uniform(from), recvBlocks, from == null), from, into);
    }

    /** Performs an alltoall with a count per rank. */
    @Override
    public R alltoallv(final @Nullable Object send, final long @Nullable [] sendCounts, final long @Nullable [] sendDispls, final Datatype sendType,
        final @Nullable Object recv, final long @Nullable [] recvCounts, final long @Nullable [] recvDispls, final Datatype recvType) {
        comm.checkUsable();
        final int blocks = comm.remoteSize();
        final MessageBuffer from = isInPlace(send) ? null : buffers.blocks(send, sendCounts, sendDispls, sendType, blocks, false);
        final MessageBuffer into = buffers.blocks(recv, recvCounts, recvDispls, recvType, blocks, true);
        return submit(Operation.ALLTOALLV, alltoall(from, into), from, into);
    }

    /** Performs an alltoall with a count and a type per rank; displacements are in bytes. */
    @Override
    public R alltoallw(final @Nullable Object send, final long @Nullable [] sendCounts, final long @Nullable [] sendDispls,
        final Datatype @Nullable [] sendTypes, final @Nullable Object recv, final long @Nullable [] recvCounts, final long @Nullable [] recvDispls,
        final Datatype @Nullable [] recvTypes) {
        comm.checkUsable();
        final int blocks = comm.remoteSize();
        final MessageBuffer from = isInPlace(send) ? null : buffers.blocks(send, sendCounts, sendDispls, sendTypes, blocks, false);
        final MessageBuffer into = buffers.blocks(recv, recvCounts, recvDispls, recvTypes, blocks, true);
        return submit(Operation.ALLTOALLW, alltoall(from, into), from, into);
    }

    private static Call.Alltoall alltoall(final @Nullable MessageBuffer from, final MessageBuffer into) {
        return new Call.Alltoall(from == null ? into.blocks() : from.blocks(), into.blocks(), from == null);
    }

    /** Performs a reduce. */
    public R reduce(final @Nullable Object send, final @Nullable Object recv, final long count, final Datatype type, final @Nullable Op op,
        final int root) {
        final Role role = role(root);
        final boolean inPlace = isInPlace(send);
        if (role == Role.UNINVOLVED) {
            return submit(Operation.REDUCE, new Call.Reduce(null, 0, root, false), null, null);
        }
        final BoundReduction reduction = bind(op, type);
        if (role == Role.OTHER) {
            final MessageBuffer from = sending(send, count, type);
            return submit(Operation.REDUCE, calls.reduce(reduction, elements(count, type), root, false), from, null);
        }
        final MessageBuffer into = receiving(recv, count, type);
        final MessageBuffer from = inPlace || comm.isInter() ? null : buffers.of(send, count, type);
        return submit(Operation.REDUCE, calls.reduce(reduction, elements(count, type), root, inPlace), from, into);
    }

    /** Performs an allreduce. */
    public R allreduce(final @Nullable Object send, final @Nullable Object recv, final long count, final Datatype type, final Op op) {
        comm.checkUsable();
        final boolean inPlace = isInPlace(send);
        final BoundReduction reduction = bind(op, type);
        final MessageBuffer into = receiving(recv, count, type);
        final MessageBuffer from = inPlace ? null : buffers.of(send, count, type);
        return submit(Operation.ALLREDUCE, calls.allreduce(reduction, elements(count, type), inPlace), from, into);
    }

    /** Performs a reduce-scatter with a count per rank. */
    public R reduceScatter(final @Nullable Object send, final @Nullable Object recv, final long @Nullable [] recvCounts, final Datatype type,
        final Op op) {
        comm.checkUsable();
        if (recvCounts == null || recvCounts.length < comm.size()) {
            throw new MpiFailure(ErrorClass.COUNT, "a count per rank is needed: counts="
                + (recvCounts == null ? "null" : recvCounts.length) + ", ranks=" + comm.size());
        }
        final BoundReduction reduction = bind(op, type);
        final long[] lengths = new long[comm.size()];
        long total = 0;
        for (int i = 0; i < lengths.length; i++) {
            if (recvCounts[i] < 0) {
                throw new MpiFailure(ErrorClass.COUNT, "count is negative: count=" + recvCounts[i] + ", block=" + i);
            }
            lengths[i] = exact(recvCounts[i], type.size());
            total = Math.addExact(total, recvCounts[i]);
        }
        return reduceScatter(Operation.REDUCE_SCATTER, send, recv, Blocks.packed(lengths), total, recvCounts[comm.rank()], type, reduction);
    }

    /** Performs a reduce-scatter with one count for all ranks. */
    public R reduceScatterBlock(final @Nullable Object send, final @Nullable Object recv, final long recvCount, final Datatype type, final Op op) {
        comm.checkUsable();
        final BoundReduction reduction = bind(op, type);
        final Blocks blocks = ofOwnGroup(exact(checked(recvCount), type.size()));
        return reduceScatter(Operation.REDUCE_SCATTER_BLOCK, send, recv, blocks, exact(recvCount, comm.size()), recvCount, type, reduction);
    }

    private R reduceScatter(final Operation<Call.ReduceScatter> operation, final @Nullable Object send, final @Nullable Object recv,
        final Blocks blocks, final long total, final long own, final Datatype type, final BoundReduction reduction) {
        final boolean inPlace = isInPlace(send);
        final MessageBuffer into = receiving(recv, inPlace ? total : own, type);
        final MessageBuffer from = inPlace ? null : buffers.of(send, total, type);
        return submit(operation, calls.reduceScatter(reduction, blocks, inPlace), from, into);
    }

    /** Performs an inclusive scan. */
    public R scan(final @Nullable Object send, final @Nullable Object recv, final long count, final Datatype type, final Op op) {
        return scan(Operation.SCAN, send, recv, count, type, op);
    }

    /** Performs an exclusive scan. */
    public R exscan(final @Nullable Object send, final @Nullable Object recv, final long count, final Datatype type, final Op op) {
        return scan(Operation.EXSCAN, send, recv, count, type, op);
    }

    private R scan(final Operation<Call.Scan> operation, final @Nullable Object send, final @Nullable Object recv, final long count,
        final Datatype type, final Op op) {
        comm.checkUsable();
        if (comm.isInter()) {
            // Cause: the standard has the operation for one group only. Remedy: `merge` makes an intracommunicator.
            throw new MpiFailure(ErrorClass.COMM, operation + " is for intracommunicators: communicator=" + comm.name());
        }
        final BoundReduction reduction = bind(op, type);
        final MessageBuffer into = receiving(recv, count, type);
        final MessageBuffer from = isInPlace(send) ? null : buffers.of(send, count, type);
        return submit(operation, calls.scan(reduction, elements(count, type), from == null), from, into);
    }

    /** Returns the role of this rank in a call with a given root. */
    private Role role(final int root) {
        comm.checkUsable();
        if (comm.isInter() && root == Reserved.PROC_NULL) {
            return Role.UNINVOLVED;
        }
        if (comm.isInter() && root == Reserved.ROOT) {
            return Role.ROOT;
        }
        if (root < 0 || root >= comm.remoteSize()) {
            // Cause: the communicator has no such rank; or on an intercommunicator the root is a rank of the other group. Remedy: 0 to size - 1; or 0
            // to remote size - 1, `MPI.ROOT` or `MPI.PROC_NULL`.
            throw new MpiFailure(ErrorClass.ROOT, "root out of range: root=" + root + (comm.isInter() ? ", remote size=" : ", size=")
                + comm.remoteSize());
        }
        return root == comm.rank() && !comm.isInter() ? Role.ROOT : Role.OTHER;
    }

    /** Returns whether the call is in place; refuses that on an intercommunicator. */
    private boolean isInPlace(final @Nullable Object buffer) {
        if (buffer == Reserved.IN_PLACE && comm.isInter()) {
            // Cause: the form of the call with one buffer is for one group. Remedy: the form with two buffers.
            throw new MpiFailure(ErrorClass.BUFFER, "IN_PLACE is not allowed on an intercommunicator: communicator=" + comm.name());
        }
        return buffer == Reserved.IN_PLACE;
    }

    private MessageBuffer sending(final @Nullable Object send, final long count, final Datatype type) {
        if (send == Reserved.IN_PLACE) {
            // Cause: the form of the call with one buffer is for the root. Remedy: the form with two buffers.
            throw new MpiFailure(ErrorClass.BUFFER, "IN_PLACE is allowed at the root only: rank=" + comm.rank());
        }
        return buffers.of(send, count, type);
    }

    private MessageBuffer receivingFromRoot(final @Nullable Object recv, final long count, final Datatype type) {
        if (recv == Reserved.IN_PLACE) {
            throw new MpiFailure(ErrorClass.BUFFER, "IN_PLACE is allowed at the root only: rank=" + comm.rank());
        }
        return buffers.into(recv, count, type);
    }

    private MessageBuffer receiving(final @Nullable Object recv, final long count, final Datatype type) {
        if (isInPlace(recv)) {
            // Cause: an internal error: no call of package `mpi` asks for it. Remedy: report it.
            throw new MpiFailure(ErrorClass.BUFFER, "IN_PLACE is allowed as send buffer only: rank=" + comm.rank());
        }
        return buffers.into(recv, count, type);
    }

    /** Returns the length of this rank's block on an intracommunicator; 0 on an intercommunicator, where the blocks are the remote group's. */
    private long ownBlock(final Blocks blocks) {
        return comm.isInter() ? 0 : blocks.bytes(comm.rank());
    }

    /** Checks on an intracommunicator that this rank's own block is equally long in the send and the receive buffer. */
    private void checkOwnBlock(final @Nullable MessageBuffer buffer, final Blocks blocks) {
        if (buffer != null && !comm.isInter() && buffer.bytes() != ownBlock(blocks)) {
            // Cause: what a rank sends to itself has two lengths; the class is `MPI_ERR_TRUNCATE` when more is sent, otherwise `MPI_ERR_COUNT`.
            // Remedy: the same count and datatype on both sides.
            throw new MpiFailure(buffer.bytes() > ownBlock(blocks) ? ErrorClass.TRUNCATE : ErrorClass.COUNT,
                "own block differs in length between send and receive buffer: bytes=" + buffer.bytes() + ", other=" + ownBlock(blocks));
        }
    }

    private static BoundReduction bind(final @Nullable Op op, final Datatype type) {
        if (op == null) {
            throw new MpiFailure(ErrorClass.OP, "operation is null");
        }
        if (op.isForWindows()) {
            throw new MpiFailure(ErrorClass.OP, "operation of one-sided communication in a reduction: op=" + op.name());
        }
        return op.bind(type);
    }

    /** Returns the number of elements; elements without data do not count. */
    private static long elements(final long count, final Datatype type) {
        return type.size() == 0 ? 0 : count;
    }

    /** Divides a buffer into one block per rank that data is received from or sent to. */
    private Blocks uniform(final MessageBuffer buffer) {
        return calls.uniform(buffer.bytes() / comm.remoteSize());
    }

    /** Returns a layout of one block of equal size per rank of this rank's group. */
    private Blocks ofOwnGroup(final long bytes) {
        return comm.isInter() ? Blocks.uniform(comm.size(), bytes) : calls.uniform(bytes);
    }

    private long times(final long count) {
        return exact(checked(count), comm.remoteSize());
    }

    private static long checked(final long count) {
        if (count < 0) {
            throw new MpiFailure(ErrorClass.COUNT, "count is negative: count=" + count);
        }
        return count;
    }

    private static long exact(final long count, final long factor) {
        if (count > Long.MAX_VALUE / Math.max(1, factor)) {
            // Cause: the data of all ranks together exceed what 63 bits count. Remedy: a smaller count.
            throw new MpiFailure(ErrorClass.COUNT, "count too large: count=" + count + ", max=" + Long.MAX_VALUE / factor);
        }
        return count * factor;
    }
}
