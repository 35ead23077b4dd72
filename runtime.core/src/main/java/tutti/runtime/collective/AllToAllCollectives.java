package tutti.runtime.collective;

import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.request.Request;

/**
 * The collective operations in which every rank sends and receives blocks: with all ranks ({@link Collectives}) or with its neighbours
 * ({@link Collectives#among}).
 *
 * @param <R> type of the returned requests
 */
public interface AllToAllCollectives<R extends Request> {

    /** Performs an allgather. */
    R allgather(@Nullable Object send, long sendCount, Datatype sendType, @Nullable Object recv, long recvCount, Datatype recvType);

    /** Performs an allgather with a count per block. */
    R allgatherv(@Nullable Object send, long sendCount, Datatype sendType, @Nullable Object recv, long @Nullable [] recvCounts,
        long @Nullable [] displs, Datatype recvType);

    /** Performs an alltoall. */
    R alltoall(@Nullable Object send, long sendCount, Datatype sendType, @Nullable Object recv, long recvCount, Datatype recvType);

    /** Performs an alltoall with a count per block. */
    R alltoallv(@Nullable Object send, long @Nullable [] sendCounts, long @Nullable [] sendDispls, Datatype sendType, @Nullable Object recv,
        long @Nullable [] recvCounts, long @Nullable [] recvDispls, Datatype recvType);

    /** Performs an alltoall with a count and a type per block; displacements are in bytes. */
    R alltoallw(@Nullable Object send, long @Nullable [] sendCounts, long @Nullable [] sendDispls, Datatype @Nullable [] sendTypes,
        @Nullable Object recv, long @Nullable [] recvCounts, long @Nullable [] recvDispls, Datatype @Nullable [] recvTypes);
}
