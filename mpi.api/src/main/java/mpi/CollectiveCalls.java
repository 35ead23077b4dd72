package mpi;

import java.util.Arrays;
import tutti.runtime.comm.Collectives;
import tutti.runtime.comm.Communicator;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.request.Request;

/**
 * Adapts one form of the runtime's collective operations (blocking, nonblocking or persistent) to the arguments and errors of package mpi. As
 * thread-safe as they are.
 */
final class CollectiveCalls<R extends Request> {
    static final Object IN_PLACE = Communicator.IN_PLACE;

    private final Collectives<R> collectives;
    private final CommBase comm;
    private volatile NeighborCalls<R> neighbors;

    CollectiveCalls(final Collectives<R> on, final CommBase comm) {
        this.collectives = on;
        this.comm = comm;
    }

    R barrier() throws MPIException {
        try {
            return collectives.barrier();
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R bcast(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        try {
            return collectives.bcast(buf, count, Datatype.of(type), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R gather(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long recvCount, final Datatype recvType,
        final int root) throws MPIException {
        try {
            return collectives.gather(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R gatherv(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long[] recvCounts, final long[] displs,
        final Datatype recvType, final int root) throws MPIException {
        try {
            return collectives.gatherv(send, sendCount, Datatype.of(sendType), recv, recvCounts, displs, Datatype.of(recvType), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R scatter(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long recvCount, final Datatype recvType,
        final int root) throws MPIException {
        try {
            return collectives.scatter(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R scatterv(final Object send, final long[] sendCounts, final long[] displs, final Datatype sendType, final Object recv, final long recvCount,
        final Datatype recvType, final int root) throws MPIException {
        try {
            return collectives.scatterv(send, sendCounts, displs, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allGather(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long recvCount,
        final Datatype recvType) throws MPIException {
        try {
            return collectives.allgather(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allGatherv(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long[] recvCounts, final long[] displs,
        final Datatype recvType) throws MPIException {
        try {
            return collectives.allgatherv(send, sendCount, Datatype.of(sendType), recv, recvCounts, displs, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allToAll(final Object send, final long sendCount, final Datatype sendType, final Object recv, final long recvCount,
        final Datatype recvType) throws MPIException {
        try {
            return collectives.alltoall(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allToAllv(final Object send, final long[] sendCounts, final long[] sendDispls, final Datatype sendType, final Object recv,
        final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        try {
            return collectives.alltoallv(send, sendCounts, sendDispls, Datatype.of(sendType), recv, recvCounts, recvDispls, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allToAllw(final Object send, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes, final Object recv,
        final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        try {
            return collectives.alltoallw(send, sendCounts, sendDispls, Datatype.of(sendTypes), recv, recvCounts, recvDispls, Datatype.of(recvTypes));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R reduce(final Object send, final Object recv, final long count, final Datatype type, final Op op, final int root) throws MPIException {
        try {
            return collectives.reduce(send, recv, count, Datatype.of(type), Op.of(op, type), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allReduce(final Object send, final Object recv, final long count, final Datatype type, final Op op) throws MPIException {
        try {
            return collectives.allreduce(send, recv, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R reduceScatter(final Object send, final Object recv, final long[] counts, final Datatype type, final Op op) throws MPIException {
        try {
            return collectives.reduceScatter(send, recv, counts, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R reduceScatterBlock(final Object send, final Object recv, final long count, final Datatype type, final Op op) throws MPIException {
        try {
            return collectives.reduceScatterBlock(send, recv, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R scan(final Object send, final Object recv, final long count, final Datatype type, final Op op) throws MPIException {
        try {
            return collectives.scan(send, recv, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R exScan(final Object send, final Object recv, final long count, final Datatype type, final Op op) throws MPIException {
        try {
            return collectives.exscan(send, recv, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    /**
     * Returns whether a call with one buffer is in place: at the root. Intercommunicators have no in-place calls; the runtime reports that error.
     */
    private boolean isInPlace(final int root) {
        return comm.handle.isInter() || comm.handle.rank() == root;
    }

    /** Gathers in place at the root; other ranks send the buffer. */
    R gather(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return isInPlace(root) ? gather(IN_PLACE, count, type, buf, count, type, root) : gather(buf, count, type, null, 0, type, root);
    }

    /** Scatters in place at the root; other ranks receive into the buffer. */
    R scatter(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return isInPlace(root) ? scatter(buf, count, type, IN_PLACE, count, type, root) : scatter(null, 0, type, buf, count, type, root);
    }

    /** Reduces in place at the root; other ranks send the buffer. */
    R reduce(final Object buf, final long count, final Datatype type, final Op op, final int root) throws MPIException {
        return isInPlace(root) ? reduce(IN_PLACE, buf, count, type, op, root) : reduce(buf, null, count, type, op, root);
    }

    R gatherv(final Object send, final long sendCount, final Datatype sendType, final Object recv, final int[] recvCounts, final int[] displs,
        final Datatype recvType, final int root) throws MPIException {
        return gatherv(send, sendCount, sendType, recv, longs(recvCounts), longs(displs), recvType, root);
    }

    R scatterv(final Object send, final int[] sendCounts, final int[] displs, final Datatype sendType, final Object recv, final long recvCount,
        final Datatype recvType, final int root) throws MPIException {
        return scatterv(send, longs(sendCounts), longs(displs), sendType, recv, recvCount, recvType, root);
    }

    R allGatherv(final Object send, final long sendCount, final Datatype sendType, final Object recv, final int[] recvCounts, final int[] displs,
        final Datatype recvType) throws MPIException {
        return allGatherv(send, sendCount, sendType, recv, longs(recvCounts), longs(displs), recvType);
    }

    R allToAllv(final Object send, final int[] sendCounts, final int[] sendDispls, final Datatype sendType, final Object recv,
        final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return allToAllv(send, longs(sendCounts), longs(sendDispls), sendType, recv, longs(recvCounts), longs(recvDispls), recvType);
    }

    R allToAllw(final Object send, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes, final Object recv,
        final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return allToAllw(send, longs(sendCounts), longs(sendDispls), sendTypes, recv, longs(recvCounts), longs(recvDispls), recvTypes);
    }

    R reduceScatter(final Object send, final Object recv, final int[] counts, final Datatype type, final Op op) throws MPIException {
        return reduceScatter(send, recv, longs(counts), type, op);
    }

    static long[] longs(final int[] values) {
        return values == null ? null : Arrays.stream(values).asLongStream().toArray();
    }

    /** Returns counts or displacements of either form as longs. */
    long[] longs(final Object values) throws MPIException {
        return switch (values) {
            case null -> null;
            case int[] a -> longs(a);
            case long[] a -> a;
            default -> throw comm.raise(new MpiFailure(ErrorClass.ARG, "neither int[] nor long[]: class=" + values.getClass().getTypeName()));
        };
    }

    /** Returns the neighbourhood collectives; the topology of a communicator never changes. */
    NeighborCalls<R> neighbors(final Topology topology) throws MPIException {
        NeighborCalls<R> calls = neighbors;
        if (calls == null) {
            try {
                calls = new NeighborCalls<>(collectives.among(topology.neighborhood(comm.handle.rank())), comm);
            } catch (final MpiFailure e) {
                throw comm.raise(e);
            }
            neighbors = calls;
        }
        return calls;
    }
}
