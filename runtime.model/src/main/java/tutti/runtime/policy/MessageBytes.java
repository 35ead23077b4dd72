package tutti.runtime.policy;

import java.util.Objects;
import java.util.Set;
import tutti.coll.Call;
import tutti.coll.Operation;

/**
 * The bytes of a call as rules define them: a number that is the same on every rank of the communicator that takes part in the call.
 * <ul>
 * <li>bcast, reduce, allreduce, scan, exscan: the data of one rank;
 * <li>reduce_scatter, reduce_scatter_block: all blocks together, which is the contribution of one rank;
 * <li>gather, scatter, allgather, allgatherv: the blocks of all ranks together;
 * <li>alltoall: all blocks of one rank together;
 * <li>barrier: 0;
 * <li>gatherv, scatterv, alltoallv, alltoallw and the neighbour operations: unknown, since MPI lets sizes differ from rank to rank.
 * </ul>
 * On intercommunicators
 * <ul>
 * <li>bcast, reduce, allreduce, reduce_scatter, reduce_scatter_block, barrier: the same;
 * <li>gather, scatter: the blocks of all ranks of the group that sends or receives them;
 * <li>allgather, alltoall: all blocks that a rank of one group and a rank of the other receive together;
 * <li>all other operations: unknown, also allgatherv, since a group does not know the lengths of its own blocks.
 * </ul>
 * The average block is the bytes divided by the number of blocks that they are; of reduce_scatter on an intercommunicator by the number of all
 * ranks, and counted for both groups.
 */
public final class MessageBytes {
    /** The value for operations whose bytes not every rank knows. */
    public static final long UNKNOWN = -1;
    private static final Set<Operation<?>> SIZE_VARIES = Set.of(Operation.GATHERV, Operation.SCATTERV, Operation.ALLTOALLV, Operation.ALLTOALLW,
        Operation.NEIGHBOR_ALLGATHER, Operation.NEIGHBOR_ALLGATHERV, Operation.NEIGHBOR_ALLTOALL, Operation.NEIGHBOR_ALLTOALLV,
        Operation.NEIGHBOR_ALLTOALLW);

    private MessageBytes() {}

    /** Returns whether every rank of an intracommunicator knows the bytes of the operation. */
    public static boolean known(final Operation<?> operation) {
        return !SIZE_VARIES.contains(operation);
    }

    /** Returns whether every rank that takes part in the operation knows its bytes. */
    public static boolean known(final Operation<?> operation, final boolean inter) {
        return known(operation) && (!inter || operation != (Operation<?>) Operation.ALLGATHERV);
    }

    /**
     * Returns the bytes of a call on an intercommunicator, or {@link #UNKNOWN} where not every rank knows them, or this one takes no part.
     *
     * @param group the number of ranks of the local group
     */
    public static long between(final Operation<?> operation, final Call call, final int group) {
        if (!known(operation, true) || call.isUninvolved()) {
            return UNKNOWN;
        }
        return switch (call) {
            case Call.Allgather c -> c.recv().total() + group * c.sendBytes();
            case Call.Alltoall c -> c.recv().total() + group * c.send().bytes(0);
            default -> of(operation, call);
        };
    }

    /** Returns whether the data of the operation are blocks, whose average length rules may ask for. */
    public static boolean hasBlocks(final Operation<?> operation) {
        return operation.callType() != Call.Barrier.class && operation.callType() != Call.Bcast.class && (!RuleCondition.isReduction(operation)
            || operation.callType() == Call.ReduceScatter.class);
    }

    /**
     * Returns the average block of calls, or {@link #UNKNOWN} where not every rank knows it or the operation has no blocks.
     *
     * @param bytes  the bytes of the calls, which may be unknown
     * @param blocks number of ranks of the communicator; for gather and scatter on an intercommunicator of the group that has no root
     */
    public static long block(final Operation<?> operation, final long bytes, final boolean inter, final int blocks) {
        final boolean isTotalOfEachGroup = inter && operation.callType() == Call.ReduceScatter.class;
        return bytes == UNKNOWN || !hasBlocks(operation) ? UNKNOWN : (isTotalOfEachGroup ? 2 * Math.min(bytes, Long.MAX_VALUE / 2) : bytes) / blocks;
    }

    /** Returns the bytes of a call on an intracommunicator, or {@link #UNKNOWN} where not every rank knows them. */
    public static long of(final Operation<?> operation, final Call call) {
        return !known(operation) ? UNKNOWN : switch (call) {
            case Call.Barrier c -> 0;
            case Call.Bcast c -> c.bytes();
            case Call.Reduce c -> c.bytes();
            case Call.Allreduce c -> c.bytes();
            case Call.Scan c -> c.bytes();
            case Call.ReduceScatter c -> c.blocks().total();
            case Call.Gather c -> Objects.requireNonNull(c.recv()).total();
            case Call.Scatter c -> Objects.requireNonNull(c.send()).total();
            case Call.Allgather c -> c.recv().total();
            case Call.Alltoall c -> c.recv().total();
            case Call.NeighborAllgather c -> UNKNOWN;
            case Call.NeighborAlltoall c -> UNKNOWN;
        };
    }
}
