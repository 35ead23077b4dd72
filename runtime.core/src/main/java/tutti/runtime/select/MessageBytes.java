package tutti.runtime.select;

import java.util.Set;
import tutti.coll.Call;
import tutti.coll.Operation;

/**
 * What a rule means by the bytes of a call: a number that every rank of the communicator knows alike.
 * <ul>
 * <li>bcast, reduce, allreduce, scan, exscan: the data of one rank;
 * <li>reduce_scatter, reduce_scatter_block: all blocks together, which is the contribution of one rank;
 * <li>gather, scatter, allgather, allgatherv: the blocks of all ranks together;
 * <li>alltoall: all blocks of one rank together;
 * <li>barrier: 0;
 * <li>gatherv, scatterv, alltoallv, alltoallw and the operations among neighbours: unknown, since sizes differ from rank to rank by right.
 * </ul>
 * On intercommunicators they are unknown.
 */
public final class MessageBytes {
    /** Where not every rank knows them. */
    public static final long UNKNOWN = -1;
    private static final Set<Operation<?>> OF_EACH_RANK = Set.of(Operation.GATHERV, Operation.SCATTERV, Operation.ALLTOALLV, Operation.ALLTOALLW,
        Operation.NEIGHBOR_ALLGATHER, Operation.NEIGHBOR_ALLGATHERV, Operation.NEIGHBOR_ALLTOALL, Operation.NEIGHBOR_ALLTOALLV,
        Operation.NEIGHBOR_ALLTOALLW);

    private MessageBytes() { }

    /** Whether every rank knows them. */
    public static boolean known(final Operation<?> operation) {
        return !OF_EACH_RANK.contains(operation);
    }

    /** Those of a call on an intracommunicator; {@link #UNKNOWN} where not every rank knows them. */
    public static long of(final Operation<?> operation, final Call call) {
        return !known(operation) ? UNKNOWN : switch (call) {
            case Call.Barrier c -> 0;
            case Call.Bcast c -> c.bytes();
            case Call.Reduce c -> c.bytes();
            case Call.Allreduce c -> c.bytes();
            case Call.Scan c -> c.bytes();
            case Call.ReduceScatter c -> c.blocks().total();
            case Call.Gather c -> c.recv().total();
            case Call.Scatter c -> c.send().total();
            case Call.Allgather c -> c.recv().total();
            case Call.Alltoall c -> c.recv().total();
            case Call.NeighborAllgather c -> UNKNOWN;
            case Call.NeighborAlltoall c -> UNKNOWN;
        };
    }
}
