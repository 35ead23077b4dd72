package tutti.runtime.select;

import java.util.Set;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;

/**
 * What of a call decides who serves it; equal on all ranks.
 *
 * @param bytes     as in {@link MessageBytes}
 * @param reduction what it combines with; null where it combines nothing, or where this rank does not know
 * @param inPlace   whether all ranks are in place; false where they may differ
 */
record CallProperties(long bytes, Reduction reduction, boolean inPlace) {
    private static final Set<Operation<?>> REDUCTIONS = Set.of(Operation.REDUCE, Operation.ALLREDUCE, Operation.SCAN, Operation.EXSCAN,
        Operation.REDUCE_SCATTER, Operation.REDUCE_SCATTER_BLOCK);
    /** Where MPI has all ranks in place or none. */
    private static final Set<Operation<?>> IN_PLACE_TOGETHER = Set.of(Operation.ALLGATHER, Operation.ALLGATHERV, Operation.ALLREDUCE,
        Operation.ALLTOALL, Operation.ALLTOALLV, Operation.ALLTOALLW);

    /** Of a call. */
    static CallProperties of(final Operation<?> operation, final Call call, final boolean inter) {
        return new CallProperties(inter ? MessageBytes.UNKNOWN : MessageBytes.of(operation, call), call.reduction(),
            inPlaceTogether(operation) && call.inPlace());
    }

    /** Whether calls of the operation combine contributions. */
    static boolean reduces(final Operation<?> operation) {
        return REDUCTIONS.contains(operation);
    }

    /** Whether all ranks of a call are in place or none is. */
    static boolean inPlaceTogether(final Operation<?> operation) {
        return IN_PLACE_TOGETHER.contains(operation);
    }
}
