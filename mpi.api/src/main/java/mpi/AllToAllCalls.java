package mpi;

import org.jspecify.annotations.Nullable;
import tutti.runtime.collective.AllToAllCollectives;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.request.Request;

/**
 * Adapts one form (blocking, nonblocking or persistent) of the runtime's collective operations that exchange blocks, among all ranks or among
 * neighbours, to the arguments and errors of package mpi. Counts and displacements are {@code int[]} or {@code long[]}. As thread-safe as they are.
 *
 * @param <R> type of the runtime's requests
 */
class AllToAllCalls<R extends Request> {
    final Comm comm;
    private final AllToAllCollectives<R> on;

    AllToAllCalls(final AllToAllCollectives<R> on, final Comm comm) {
        this.on = on;
        this.comm = comm;
    }

    final R allGather(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv, final long recvCount,
        final Datatype recvType) throws MPIException {
        try {
            return on.allgather(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    final R allGatherv(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv,
        final @Nullable Object recvCounts, final @Nullable Object displs, final Datatype recvType) throws MPIException {
        try {
            return on.allgatherv(send, sendCount, Datatype.of(sendType), recv, Counts.of(recvCounts), Counts.of(displs), Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    final R allToAll(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv, final long recvCount,
        final Datatype recvType) throws MPIException {
        try {
            return on.alltoall(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    final R allToAllv(final @Nullable Object send, final @Nullable Object sendCounts, final @Nullable Object sendDispls, final Datatype sendType,
        final @Nullable Object recv, final @Nullable Object recvCounts, final @Nullable Object recvDispls, final Datatype recvType)
        throws MPIException {
        try {
            return on.alltoallv(send, Counts.of(sendCounts), Counts.of(sendDispls), Datatype.of(sendType), recv, Counts.of(recvCounts),
                Counts.of(recvDispls), Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    final R allToAllw(final @Nullable Object send, final @Nullable Object sendCounts, final @Nullable Object sendDispls,
        final Datatype @Nullable [] sendTypes, final @Nullable Object recv, final @Nullable Object recvCounts, final @Nullable Object recvDispls,
        final Datatype @Nullable [] recvTypes) throws MPIException {
        try {
            return on.alltoallw(send, Counts.of(sendCounts), Counts.of(sendDispls), Datatype.of(sendTypes), recv, Counts.of(recvCounts),
                Counts.of(recvDispls), Datatype.of(recvTypes));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }
}
