package mpi;

import tutti.runtime.comm.NeighborCollectives;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.request.Request;

/**
 * Adapts one form of the runtime's neighbourhood collectives (blocking, nonblocking or persistent) to the arguments and errors of package mpi. As
 * thread-safe as they are.
 */
final class NeighborCalls<R extends Request> {
    private final NeighborCollectives<R> on;
    private final CommBase comm;

    NeighborCalls(final NeighborCollectives<R> on, final CommBase comm) {
        this.on = on;
        this.comm = comm;
    }

    R allGather(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long recvCount,
        final Datatype recvType) throws MPIException {
        try {
            return on.allgather(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allGatherv(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long[] recvCounts, final long[] displs,
        final Datatype recvType) throws MPIException {
        try {
            return on.allgatherv(send, sendCount, Datatype.of(sendType), recv, recvCounts, displs, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allToAll(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long recvCount,
        final Datatype recvType) throws MPIException {
        try {
            return on.alltoall(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allToAllv(final Object send, final long[] sendCounts, final long[] sendDispls, final Datatype sendType, final Object recv,
        final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        try {
            return on.alltoallv(send, sendCounts, sendDispls, Datatype.of(sendType), recv, recvCounts, recvDispls, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allToAllw(final Object send, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes, final Object recv,
        final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        try {
            return on.alltoallw(send, sendCounts, sendDispls, Datatype.of(sendTypes), recv, recvCounts, recvDispls, Datatype.of(recvTypes));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allGatherv(final Object send, final long sendCount, final Datatype sendType, final Object recv, final int[] recvCounts, final int[] displs,
        final Datatype recvType) throws MPIException {
        return allGatherv(send, sendCount, sendType, recv, CollectiveCalls.longs(recvCounts), CollectiveCalls.longs(displs), recvType);
    }

    R allToAllv(final Object send, final int[] sendCounts, final int[] sendDispls, final Datatype sendType, final Object recv,
        final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return allToAllv(send, CollectiveCalls.longs(sendCounts), CollectiveCalls.longs(sendDispls), sendType, recv,
            CollectiveCalls.longs(recvCounts), CollectiveCalls.longs(recvDispls), recvType);
    }

    R allToAllw(final Object send, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes, final Object recv,
        final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return allToAllw(send, CollectiveCalls.longs(sendCounts), CollectiveCalls.longs(sendDispls), sendTypes, recv,
            CollectiveCalls.longs(recvCounts), CollectiveCalls.longs(recvDispls), recvTypes);
    }
}
