package tutti.runtime.comm;

import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.request.Request;

/**
 * The collective operations of a communicator, as MPI defines them.
 *
 * <p>Each method checks its arguments and returns a request: of an operation that was started, of one that was waited for
 * ({@link Communicator#blocking()}), or of one that is ready to be started ({@link Communicator#persistent()}).
 * {@link Communicator#IN_PLACE} as send buffer makes a call in place. Displacements are elements but for alltoallw, where they
 * are bytes. Arguments that are not significant on a rank may be null.
 *
 * @param <R> what the methods return
 */
public final class Collectives<R extends Request> {
    private static final Call.Barrier BARRIER = new Call.Barrier();

    private final Communicator comm;
    private final CollectiveEngine engine;
    private final Mode<R> mode;

    /** What becomes of a call whose arguments are in order. */
    interface Mode<R extends Request> {
        /** Takes a call; sides are null where it has none. */
        <C extends Call> R take(Operation<C> operation, C call, Side send, Side recv);
    }

    Collectives(final Communicator comm, final CollectiveEngine engine, final Mode<R> mode) {
        this.comm = comm;
        this.engine = engine;
        this.mode = mode;
    }

    private <C extends Call> R go(final Operation<C> operation, final C call, final Side send, final Side recv) {
        Side.checkApart(send, recv, "use the form without a send buffer, which is in place");
        return mode.take(operation, call, send, recv);
    }

    /** Those between neighbours: the ones that this rank has. */
    public NeighborCollectives<R> among(final Neighborhood neighborhood) {
        return new NeighborCollectives<>(comm, neighborhood, mode);
    }

    /** How many schedules were planned for this communicator; the others came from the cache. */
    public long planned() {
        return engine.planned();
    }

    /** Barrier. */
    public R barrier() {
        comm.checkUsable();
        return go(Operation.BARRIER, BARRIER, null, null);
    }

    /** Bcast. */
    public R bcast(final Object buffer, final long count, final Datatype type, final int root) {
        checkRoot(root);
        final Side data = root == comm.rank() ? Side.of(buffer, count, type) : Side.into(buffer, count, type);
        return go(Operation.BCAST, new Call.Bcast(data.bytes(), root), null, data);
    }

    /** Gather. */
    public R gather(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long recvCount,
                          final Datatype recvType, final int root) {
        checkRoot(root);
        if (root != comm.rank()) {
            final Side from = sending(send, sendCount, sendType);
            return go(Operation.GATHER, new Call.Gather(from.bytes(), uniform(from.bytes()), root, false), from, null);
        }
        final Side into = Side.into(recv, times(recvCount), recvType);
        final Side from = send == Communicator.IN_PLACE ? null : sending(send, sendCount, sendType);
        final long block = into.bytes() / comm.size();
        checkOwnBlock(from, block);
        return go(Operation.GATHER, new Call.Gather(block, uniform(block), root, from == null), from, into);
    }

    /** Gatherv. */
    public R gatherv(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long[] recvCounts,
                           final long[] displs, final Datatype recvType, final int root) {
        checkRoot(root);
        if (root != comm.rank()) {
            final Side from = sending(send, sendCount, sendType);
            return go(Operation.GATHERV, new Call.Gather(from.bytes(), null, root, false), from, null);
        }
        final Side into = Side.blocks(recv, recvCounts, displs, recvType, comm.size(), true);
        final Side from = send == Communicator.IN_PLACE ? null : sending(send, sendCount, sendType);
        final long block = into.blocks().bytes(comm.rank());
        checkOwnBlock(from, block);
        return go(Operation.GATHERV, new Call.Gather(block, into.blocks(), root, from == null), from, into);
    }

    /** Scatter. */
    public R scatter(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long recvCount,
                           final Datatype recvType, final int root) {
        checkRoot(root);
        if (root != comm.rank()) {
            final Side into = receiving(recv, recvCount, recvType);
            return go(Operation.SCATTER, new Call.Scatter(uniform(into.bytes()), into.bytes(), root, false), null, into);
        }
        final Side from = sending(send, times(sendCount), sendType);
        final Side into = recv == Communicator.IN_PLACE ? null : receiving(recv, recvCount, recvType);
        final long block = from.bytes() / comm.size();
        checkOwnBlock(into, block);
        return go(Operation.SCATTER, new Call.Scatter(uniform(block), block, root, into == null), from, into);
    }

    /** Scatterv. */
    public R scatterv(final Object send, final long[] sendCounts, final long[] displs, final Datatype sendType, final Object recv,
                            final long recvCount, final Datatype recvType, final int root) {
        checkRoot(root);
        if (root != comm.rank()) {
            final Side into = receiving(recv, recvCount, recvType);
            return go(Operation.SCATTERV, new Call.Scatter(null, into.bytes(), root, false), null, into);
        }
        final Side from = Side.blocks(send, sendCounts, displs, sendType, comm.size(), false);
        final Side into = recv == Communicator.IN_PLACE ? null : receiving(recv, recvCount, recvType);
        final long block = from.blocks().bytes(comm.rank());
        checkOwnBlock(into, block);
        return go(Operation.SCATTERV, new Call.Scatter(from.blocks(), block, root, into == null), from, into);
    }

    /** Allgather. */
    public R allgather(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long recvCount,
                             final Datatype recvType) {
        comm.checkUsable();
        final Side into = Side.into(recv, times(recvCount), recvType);
        final Side from = send == Communicator.IN_PLACE ? null : sending(send, sendCount, sendType);
        final long block = into.bytes() / comm.size();
        checkOwnBlock(from, block);
        return go(Operation.ALLGATHER, new Call.Allgather(block, uniform(block), from == null), from, into);
    }

    /** Allgatherv. */
    public R allgatherv(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long[] recvCounts,
                              final long[] displs, final Datatype recvType) {
        comm.checkUsable();
        final Side into = Side.blocks(recv, recvCounts, displs, recvType, comm.size(), true);
        final Side from = send == Communicator.IN_PLACE ? null : sending(send, sendCount, sendType);
        final long block = into.blocks().bytes(comm.rank());
        checkOwnBlock(from, block);
        return go(Operation.ALLGATHERV, new Call.Allgather(block, into.blocks(), from == null), from, into);
    }

    /** Alltoall. */
    public R alltoall(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long recvCount,
                            final Datatype recvType) {
        comm.checkUsable();
        final Side into = Side.into(recv, times(recvCount), recvType);
        final Side from = send == Communicator.IN_PLACE ? null : sending(send, times(sendCount), sendType);
        final Blocks recvBlocks = uniform(into.bytes() / comm.size());
        final Blocks sendBlocks = from == null ? recvBlocks : uniform(from.bytes() / comm.size());
        return go(Operation.ALLTOALL, new Call.Alltoall(sendBlocks, recvBlocks, from == null), from, into);
    }

    /** Alltoallv. */
    public R alltoallv(final Object send, final long[] sendCounts, final long[] sendDispls, final Datatype sendType, final Object recv,
                             final long[] recvCounts, final long[] recvDispls, final Datatype recvType) {
        comm.checkUsable();
        final Side into = Side.blocks(recv, recvCounts, recvDispls, recvType, comm.size(), true);
        final Side from = send == Communicator.IN_PLACE ? null : Side.blocks(send, sendCounts, sendDispls, sendType, comm.size(), false);
        return go(Operation.ALLTOALLV, alltoall(from, into), from, into);
    }

    /** Alltoallw; displacements are bytes. */
    public R alltoallw(final Object send, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
                             final Object recv, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) {
        comm.checkUsable();
        final Side into = Side.blocks(recv, recvCounts, recvDispls, recvTypes, comm.size(), true);
        final Side from = send == Communicator.IN_PLACE ? null : Side.blocks(send, sendCounts, sendDispls, sendTypes, comm.size(), false);
        return go(Operation.ALLTOALLW, alltoall(from, into), from, into);
    }

    private static Call.Alltoall alltoall(final Side from, final Side into) {
        return new Call.Alltoall(from == null ? into.blocks() : from.blocks(), into.blocks(), from == null);
    }

    /** Reduce. */
    public R reduce(final Object send, final Object recv, final long count, final Datatype type, final Op op, final int root) {
        checkRoot(root);
        final BoundReduction reduction = bind(op, type);
        final boolean inPlace = send == Communicator.IN_PLACE;
        if (inPlace && root != comm.rank()) {
            throw new MpiFailure(ErrorClass.BUFFER, "only the root reduces in place: rank=" + comm.rank() + ", root=" + root);
        }
        final Side into = root == comm.rank() ? Side.into(recv, count, type) : null;
        final Side from = inPlace ? null : Side.of(send, count, type);
        return go(Operation.REDUCE, new Call.Reduce(reduction, elements(count, type), root, inPlace), from, into);
    }

    /** Allreduce. */
    public R allreduce(final Object send, final Object recv, final long count, final Datatype type, final Op op) {
        comm.checkUsable();
        final BoundReduction reduction = bind(op, type);
        final Side into = Side.into(recv, count, type);
        final Side from = send == Communicator.IN_PLACE ? null : Side.of(send, count, type);
        return go(Operation.ALLREDUCE, new Call.Allreduce(reduction, elements(count, type), from == null), from, into);
    }

    /** Reduce-scatter with a count per rank. */
    public R reduceScatter(final Object send, final Object recv, final long[] recvCounts, final Datatype type, final Op op) {
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

    /** Reduce-scatter with one count for all ranks. */
    public R reduceScatterBlock(final Object send, final Object recv, final long recvCount, final Datatype type, final Op op) {
        comm.checkUsable();
        final BoundReduction reduction = bind(op, type);
        final long total = times(recvCount);
        return reduceScatter(Operation.REDUCE_SCATTER_BLOCK, send, recv, uniform(exact(recvCount, type.size())), total, recvCount, type, reduction);
    }

    private R reduceScatter(final Operation<Call.ReduceScatter> operation, final Object send, final Object recv, final Blocks blocks,
                                  final long total, final long own, final Datatype type, final BoundReduction reduction) {
        final boolean inPlace = send == Communicator.IN_PLACE;
        final Side into = Side.into(recv, inPlace ? total : own, type);
        final Side from = inPlace ? null : Side.of(send, total, type);
        return go(operation, new Call.ReduceScatter(reduction, blocks, inPlace), from, into);
    }

    /** Scan. */
    public R scan(final Object send, final Object recv, final long count, final Datatype type, final Op op) {
        return scan(Operation.SCAN, send, recv, count, type, op);
    }

    /** Exscan. */
    public R exscan(final Object send, final Object recv, final long count, final Datatype type, final Op op) {
        return scan(Operation.EXSCAN, send, recv, count, type, op);
    }

    private R scan(final Operation<Call.Scan> operation, final Object send, final Object recv, final long count, final Datatype type,
                         final Op op) {
        comm.checkUsable();
        final BoundReduction reduction = bind(op, type);
        final Side into = Side.into(recv, count, type);
        final Side from = send == Communicator.IN_PLACE ? null : Side.of(send, count, type);
        return go(operation, new Call.Scan(reduction, elements(count, type), from == null), from, into);
    }

    private Side sending(final Object send, final long count, final Datatype type) {
        if (send == Communicator.IN_PLACE) {
            throw new MpiFailure(ErrorClass.BUFFER, "only the root is in place: rank=" + comm.rank());
        }
        return Side.of(send, count, type);
    }

    private Side receiving(final Object recv, final long count, final Datatype type) {
        if (recv == Communicator.IN_PLACE) {
            throw new MpiFailure(ErrorClass.BUFFER, "only the root is in place: rank=" + comm.rank());
        }
        return Side.into(recv, count, type);
    }

    private static void checkOwnBlock(final Side side, final long block) {
        if (side != null && side.bytes() != block) {
            throw new MpiFailure(side.bytes() > block ? ErrorClass.TRUNCATE : ErrorClass.COUNT,
                "own block differs in length on both sides: bytes=" + side.bytes() + ", other side=" + block);
        }
    }

    private static BoundReduction bind(final Op op, final Datatype type) {
        if (op == null) {
            throw new MpiFailure(ErrorClass.OP, "operation is null");
        }
        if (op.isForWindows()) {
            throw new MpiFailure(ErrorClass.OP, "operation of one-sided communication in a reduction: op=" + op.name());
        }
        return op.bind(type);
    }

    /** Elements without data are no elements. */
    private static long elements(final long count, final Datatype type) {
        return type.size() == 0 ? 0 : count;
    }

    private Blocks uniform(final long bytes) {
        return Blocks.uniform(comm.size(), bytes);
    }

    private long times(final long count) {
        if (count < 0) {
            throw new MpiFailure(ErrorClass.COUNT, "count is negative: count=" + count);
        }
        return exact(count, comm.size());
    }

    private static long exact(final long count, final long factor) {
        if (count > Long.MAX_VALUE / Math.max(1, factor)) {
            throw new MpiFailure(ErrorClass.COUNT, "count too large: count=" + count);
        }
        return count * factor;
    }

    private void checkRoot(final int root) {
        comm.checkUsable();
        if (root < 0 || root >= comm.size()) {
            throw new MpiFailure(ErrorClass.ROOT, "root out of range: root=" + root + ", size=" + comm.size());
        }
    }
}
