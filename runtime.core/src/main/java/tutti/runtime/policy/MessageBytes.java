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
