package tutti.runtime.collective;

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
    R allgather(Object send, long sendCount, Datatype sendType, Object recv, long recvCount, Datatype recvType);

    /** Performs an allgather with a count per block. */
    R allgatherv(Object send, long sendCount, Datatype sendType, Object recv, long[] recvCounts, long[] displs, Datatype recvType);

    /** Performs an alltoall. */
    R alltoall(Object send, long sendCount, Datatype sendType, Object recv, long recvCount, Datatype recvType);

    /** Performs an alltoall with a count per block. */
    R alltoallv(Object send, long[] sendCounts, long[] sendDispls, Datatype sendType, Object recv, long[] recvCounts, long[] recvDispls,
        Datatype recvType);

    /** Performs an alltoall with a count and a type per block; displacements are in bytes. */
    R alltoallw(Object send, long[] sendCounts, long[] sendDispls, Datatype[] sendTypes, Object recv, long[] recvCounts, long[] recvDispls,
        Datatype[] recvTypes);
}
