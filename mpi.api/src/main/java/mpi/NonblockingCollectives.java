package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;

/** The collective operations of {@link Comm} that return a request at once. Buffers must rest until it is complete. */
abstract class NonblockingCollectives extends BlockingCollectives {
    final CollectiveCalls<tutti.runtime.request.Request> start;

    NonblockingCollectives(final Communicator on) {
        super(on);
        this.start = new CollectiveCalls<>(on.collectives(), this);
    }

    /** Starts {@link #barrier()}. */
    public Request iBarrier() throws MPIException {
        return request(start.barrier());
    }

    /** Starts {@link #bcast(Object, int, Datatype, int)}. */
    public Request iBcast(final Buffer buf, final int count, final Datatype type, final int root) throws MPIException {
        return request(start.bcast(buf, count, type, root));
    }

    /** Starts {@link #gather(Object, int, Datatype, Object, int, Datatype, int)}. */
    public Request iGather(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int recvCount,
        final Datatype recvType, final int root) throws MPIException {
        return request(start.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #gather(Object, int, Datatype, int)}. */
    public Request iGather(final Buffer buf, final int count, final Datatype type, final int root) throws MPIException {
        return request(start.gather(buf, count, type, root));
    }

    /** Starts {@link #gatherv(Object, int, Datatype, Object, int[], int[], Datatype, int)}. */
    public Request iGatherv(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int[] recvCounts,
        final int[] displs, final Datatype recvType, final int root) throws MPIException {
        return request(start.gatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Starts {@link #gatherv(Object, int[], int[], Datatype, int)}. */
    public Request iGatherv(final Buffer recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType,
        final int root) throws MPIException {
        return request(start.gatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Starts {@link #gatherv(Object, int, Datatype, int)}. */
    public Request iGatherv(final Buffer sendBuf, final int sendCount, final Datatype sendType, final int root) throws MPIException {
        return request(start.gatherv(sendBuf, sendCount, sendType, null, (long[]) null, null, sendType, root));
    }

    /** Starts {@link #scatter(Object, int, Datatype, Object, int, Datatype, int)}. */
    public Request iScatter(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int recvCount,
        final Datatype recvType, final int root) throws MPIException {
        return request(start.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #scatter(Object, int, Datatype, int)}. */
    public Request iScatter(final Buffer buf, final int count, final Datatype type, final int root) throws MPIException {
        return request(start.scatter(buf, count, type, root));
    }

    /** Starts {@link #scatterv(Object, int[], int[], Datatype, Object, int, Datatype, int)}. */
    public Request iScatterv(final Buffer sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType, final Buffer recvBuf,
        final int recvCount, final Datatype recvType, final int root) throws MPIException {
        return request(start.scatterv(sendBuf, sendCounts, displs, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #scatterv(Object, int[], int[], Datatype, int)}. */
    public Request iScatterv(final Buffer sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType,
        final int root) throws MPIException {
        return request(start.scatterv(sendBuf, sendCounts, displs, sendType, CollectiveCalls.IN_PLACE, 0, sendType, root));
    }

    /** Starts {@link #scatterv(Object, int, Datatype, int)}. */
    public Request iScatterv(final Buffer recvBuf, final int recvCount, final Datatype recvType, final int root) throws MPIException {
        return request(start.scatterv(null, (long[]) null, null, recvType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #allGather(Object, int, Datatype, Object, int, Datatype)}. */
    public Request iAllGather(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int recvCount,
        final Datatype recvType) throws MPIException {
        return request(start.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #allGather(Object, int, Datatype)}. */
    public Request iAllGather(final Buffer buf, final int count, final Datatype type) throws MPIException {
        return request(start.allGather(CollectiveCalls.IN_PLACE, 0, type, buf, count, type));
    }

    /** Starts {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}. */
    public Request iAllGatherv(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int[] recvCounts,
        final int[] displs, final Datatype recvType) throws MPIException {
        return request(start.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allGatherv(Object, int[], int[], Datatype)}. */
    public Request iAllGatherv(final Buffer recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return request(start.allGatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allToAll(Object, int, Datatype, Object, int, Datatype)}. */
    public Request iAllToAll(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int recvCount,
        final Datatype recvType) throws MPIException {
        return request(start.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}. */
    public Request iAllToAllv(final Buffer sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType, final Buffer recvBuf,
        final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return request(start.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}. */
    public Request iAllToAllw(final Buffer sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes, final Buffer recvBuf,
        final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return request(start.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Starts {@link #reduce(Object, Object, int, Datatype, Op, int)}. */
    public Request iReduce(final Buffer sendBuf, final Buffer recvBuf, final int count, final Datatype type, final Op op,
        final int root) throws MPIException {
        return request(start.reduce(sendBuf, recvBuf, count, type, op, root));
    }

    /** Starts {@link #reduce(Object, int, Datatype, Op, int)}. */
    public Request iReduce(final Buffer buf, final int count, final Datatype type, final Op op, final int root) throws MPIException {
        return request(start.reduce(buf, count, type, op, root));
    }

    /** Starts {@link #allReduce(Object, Object, int, Datatype, Op)}. */
    public Request iAllReduce(final Buffer sendBuf, final Buffer recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(start.allReduce(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #allReduce(Object, int, Datatype, Op)}. */
    public Request iAllReduce(final Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(start.allReduce(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #reduceScatter(Object, Object, int[], Datatype, Op)}. */
    public Request iReduceScatter(final Buffer sendBuf, final Buffer recvBuf, final int[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        return request(start.reduceScatter(sendBuf, recvBuf, recvCounts, type, op));
    }

    /** Starts {@link #reduceScatter(Object, int[], Datatype, Op)}. */
    public Request iReduceScatter(final Buffer buf, final int[] counts, final Datatype type, final Op op) throws MPIException {
        return request(start.reduceScatter(CollectiveCalls.IN_PLACE, buf, counts, type, op));
    }

    /** Starts {@link #reduceScatterBlock(Object, Object, int, Datatype, Op)}. */
    public Request iReduceScatterBlock(final Buffer sendBuf, final Buffer recvBuf, final int recvCount, final Datatype type,
        final Op op) throws MPIException {
        return request(start.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op));
    }

    /** Starts {@link #reduceScatterBlock(Object, int, Datatype, Op)}. */
    public Request iReduceScatterBlock(final Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(start.reduceScatterBlock(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }
}
