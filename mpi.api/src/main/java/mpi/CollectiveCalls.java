package mpi;

import tutti.runtime.comm.Collectives;
import tutti.runtime.comm.Communicator;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.request.Request;

/** The runtime's collective operations with the arguments and errors of package mpi, blocking or not. As safe for threads as they are. */
final class CollectiveCalls {
    static final Object IN_PLACE = Communicator.IN_PLACE;

    private final Collectives on;
    private final CommBase comm;

    CollectiveCalls(final Collectives on, final CommBase comm) {
        this.on = on;
        this.comm = comm;
    }

    Request barrier() throws MPIException {
        try {
            return on.barrier();
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request bcast(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        try {
            return on.bcast(buf, count, Datatype.of(type), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request gather(final Object send, final int sendCount, final Datatype sendType, final Object recv, final int recvCount, final Datatype recvType,
        final int root) throws MPIException {
        try {
            return on.gather(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request gatherv(final Object send, final int sendCount, final Datatype sendType, final Object recv, final int[] recvCounts, final int[] displs,
        final Datatype recvType, final int root) throws MPIException {
        try {
            return on.gatherv(send, sendCount, Datatype.of(sendType), recv, recvCounts, displs, Datatype.of(recvType), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request scatter(final Object send, final int sendCount, final Datatype sendType, final Object recv, final int recvCount, final Datatype recvType,
        final int root) throws MPIException {
        try {
            return on.scatter(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request scatterv(final Object send, final int[] sendCounts, final int[] displs, final Datatype sendType, final Object recv, final int recvCount,
        final Datatype recvType, final int root) throws MPIException {
        try {
            return on.scatterv(send, sendCounts, displs, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request allGather(final Object send, final int sendCount, final Datatype sendType, final Object recv, final int recvCount,
        final Datatype recvType) throws MPIException {
        try {
            return on.allgather(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request allGatherv(final Object send, final int sendCount, final Datatype sendType, final Object recv, final int[] recvCounts, final int[] displs,
        final Datatype recvType) throws MPIException {
        try {
            return on.allgatherv(send, sendCount, Datatype.of(sendType), recv, recvCounts, displs, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request allToAll(final Object send, final int sendCount, final Datatype sendType, final Object recv, final int recvCount,
        final Datatype recvType) throws MPIException {
        try {
            return on.alltoall(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request allToAllv(final Object send, final int[] sendCounts, final int[] sendDispls, final Datatype sendType, final Object recv,
        final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        try {
            return on.alltoallv(send, sendCounts, sendDispls, Datatype.of(sendType), recv, recvCounts, recvDispls, Datatype.of(recvType));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request allToAllw(final Object send, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes, final Object recv,
        final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        try {
            return on.alltoallw(send, sendCounts, sendDispls, Datatype.of(sendTypes), recv, recvCounts, recvDispls, Datatype.of(recvTypes));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request reduce(final Object send, final Object recv, final int count, final Datatype type, final Op op, final int root) throws MPIException {
        try {
            return on.reduce(send, recv, count, Datatype.of(type), Op.of(op, type), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request allReduce(final Object send, final Object recv, final int count, final Datatype type, final Op op) throws MPIException {
        try {
            return on.allreduce(send, recv, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request reduceScatter(final Object send, final Object recv, final int[] counts, final Datatype type, final Op op) throws MPIException {
        try {
            return on.reduceScatter(send, recv, counts, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request reduceScatterBlock(final Object send, final Object recv, final int count, final Datatype type, final Op op) throws MPIException {
        try {
            return on.reduceScatterBlock(send, recv, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request scan(final Object send, final Object recv, final int count, final Datatype type, final Op op) throws MPIException {
        try {
            return on.scan(send, recv, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request exScan(final Object send, final Object recv, final int count, final Datatype type, final Op op) throws MPIException {
        try {
            return on.exscan(send, recv, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    /** At the root in place; elsewhere the buffer is sent. */
    Request gather(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        return comm.handle.rank() == root ? gather(IN_PLACE, count, type, buf, count, type, root) : gather(buf, count, type, null, 0, type, root);
    }

    /** At the root in place; elsewhere the buffer receives. */
    Request scatter(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        return comm.handle.rank() == root ? scatter(buf, count, type, IN_PLACE, count, type, root) : scatter(null, 0, type, buf, count, type, root);
    }

    /** At the root in place; elsewhere the buffer is sent. */
    Request reduce(final Object buf, final int count, final Datatype type, final Op op, final int root) throws MPIException {
        return comm.handle.rank() == root ? reduce(IN_PLACE, buf, count, type, op, root) : reduce(buf, null, count, type, op, root);
    }
}
