package mpi;

import org.jspecify.annotations.Nullable;
import tutti.runtime.collective.AllToAllCollectives;
import tutti.runtime.collective.Collectives;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.request.Request;

/**
 * Adapts one form (blocking, nonblocking or persistent) of the runtime's collective operations to the arguments and errors of package mpi. Counts
 * and displacements are {@code int[]} or {@code long[]}. As thread-safe as they are.
 *
 * @param <R> type of the runtime's requests
 */
final class CollectiveCalls<R extends Request> extends AllToAllCalls<R> {
    private final Collectives<R> collectives;
    private volatile @Nullable AllToAllCalls<R> neighbors;

    CollectiveCalls(final Collectives<R> on, final Comm comm) {
        super(on, comm);
        this.collectives = on;
    }

    R barrier() throws MPIException {
        try {
            return collectives.barrier();
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R bcast(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        try {
            return collectives.bcast(buf, count, Datatype.of(type), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R gather(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv, final long recvCount,
        final @Nullable Datatype recvType, final int root) throws MPIException {
        try {
            return collectives.gather(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R gatherv(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv,
        final @Nullable Object recvCounts, final @Nullable Object displs, final @Nullable Datatype recvType, final int root) throws MPIException {
        try {
            return collectives.gatherv(send, sendCount, Datatype.of(sendType), recv, Counts.of(recvCounts), Counts.of(displs), Datatype.of(recvType),
                root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R scatter(final @Nullable Object send, final long sendCount, final @Nullable Datatype sendType, final @Nullable Object recv, final long recvCount,
        final Datatype recvType, final int root) throws MPIException {
        try {
            return collectives.scatter(send, sendCount, Datatype.of(sendType), recv, recvCount, Datatype.of(recvType), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R scatterv(final @Nullable Object send, final @Nullable Object sendCounts, final @Nullable Object displs, final @Nullable Datatype sendType,
        final @Nullable Object recv, final long recvCount, final Datatype recvType, final int root) throws MPIException {
        try {
            return collectives.scatterv(send, Counts.of(sendCounts), Counts.of(displs), Datatype.of(sendType), recv, recvCount, Datatype.of(recvType),
                root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R reduce(final @Nullable Object send, final @Nullable Object recv, final long count, final Datatype type, final Op op, final int root)
        throws MPIException {
        try {
            // the operation is not significant in the root's group of an intercommunicator
            final boolean isUninvolved = comm.handle.isInter() && root == Reserved.PROC_NULL;
            return collectives.reduce(send, recv, count, Datatype.of(type), isUninvolved ? null : Op.of(op, type), root);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R allReduce(final @Nullable Object send, final @Nullable Object recv, final long count, final Datatype type, final Op op) throws MPIException {
        try {
            return collectives.allreduce(send, recv, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R reduceScatter(final @Nullable Object send, final @Nullable Object recv, final Object counts, final Datatype type, final Op op)
        throws MPIException {
        try {
            return collectives.reduceScatter(send, recv, Counts.of(counts), Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R reduceScatterBlock(final @Nullable Object send, final @Nullable Object recv, final long count, final Datatype type, final Op op)
        throws MPIException {
        try {
            return collectives.reduceScatterBlock(send, recv, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R scan(final @Nullable Object send, final @Nullable Object recv, final long count, final Datatype type, final Op op) throws MPIException {
        try {
            return collectives.scan(send, recv, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    R exScan(final @Nullable Object send, final @Nullable Object recv, final long count, final Datatype type, final Op op) throws MPIException {
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
    R gather(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return isInPlace(root) ? gather(Reserved.IN_PLACE, count, type, buf, count, type, root) : gather(buf, count, type, null, 0, type, root);
    }

    /** Scatters in place at the root; other ranks receive into the buffer. */
    R scatter(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return isInPlace(root) ? scatter(buf, count, type, Reserved.IN_PLACE, count, type, root) : scatter(null, 0, type, buf, count, type, root);
    }

    /** Reduces in place at the root; other ranks send the buffer. */
    R reduce(final @Nullable Object buf, final long count, final Datatype type, final Op op, final int root) throws MPIException {
        return isInPlace(root) ? reduce(Reserved.IN_PLACE, buf, count, type, op, root) : reduce(buf, null, count, type, op, root);
    }

    /** Returns the neighbourhood collectives; the topology of a communicator never changes. */
    AllToAllCalls<R> neighbors() throws MPIException {
        comm.checkUsable();
        AllToAllCalls<R> calls = neighbors;
        if (calls == null) {
            calls = new AllToAllCalls<>(amongNeighbors(), comm);
            neighbors = calls;
        }
        return calls;
    }

    private AllToAllCollectives<R> amongNeighbors() throws MPIException {
        final Topology topology = comm.topology();
        try {
            if (topology == null) {
                // Cause: neighbourhood collectives need neighbours. Remedy: a communicator of `createCart`, `createGraph` or `createDistGraph`.
                throw new MpiFailure(ErrorClass.TOPOLOGY, "communicator has no topology: comm=" + comm);
            }
            return collectives.among(topology.neighborhood(comm.handle.rank()));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }
}
