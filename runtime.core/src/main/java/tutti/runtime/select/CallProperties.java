package tutti.runtime.select;

import java.util.Set;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;

/**
 * The properties of a call that decide which algorithm serves it. They are equal on all ranks.
 *
 * @param bytes     the bytes of the call as defined by {@link MessageBytes}
 * @param reduction the call's reduction; null where the operation is no reduction, or where this rank does not know it
 * @param inPlace   whether all ranks are in place; false where ranks may differ
 */
record CallProperties(long bytes, Reduction reduction, boolean inPlace) {
    private static final Set<Operation<?>> REDUCTIONS = Set.of(Operation.REDUCE, Operation.ALLREDUCE, Operation.SCAN, Operation.EXSCAN,
        Operation.REDUCE_SCATTER, Operation.REDUCE_SCATTER_BLOCK);
    /** The operations for which MPI requires that either all ranks are in place or none. */
    private static final Set<Operation<?>> UNIFORM_IN_PLACE = Set.of(Operation.ALLGATHER, Operation.ALLGATHERV, Operation.ALLREDUCE,
        Operation.ALLTOALL, Operation.ALLTOALLV, Operation.ALLTOALLW);

    /** Returns the properties of a call; {@code inter} tells whether the communicator is an intercommunicator. */
    static CallProperties of(final Operation<?> operation, final Call call, final boolean inter) {
        return new CallProperties(inter ? MessageBytes.UNKNOWN : MessageBytes.of(operation, call), call.reduction(),
            isInPlaceUniform(operation) && call.inPlace());
    }

    /** Returns whether the operation is a reduction. */
    static boolean reduces(final Operation<?> operation) {
        return REDUCTIONS.contains(operation);
    }

    /** Returns whether either all ranks of a call are in place or none. */
    static boolean isInPlaceUniform(final Operation<?> operation) {
        return UNIFORM_IN_PLACE.contains(operation);
    }
}
