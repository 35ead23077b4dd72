package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;

/**
 * The nonblocking collective operations of {@link Comm} with a root. They return a request at once; buffers must not be accessed until it is
 * complete.
 */
abstract class NonblockingRooted extends BlockingCollectives {
    final CollectiveCalls<tutti.runtime.request.Request> nonblocking;

    NonblockingRooted(final Communicator on) {
        super(on);
        this.nonblocking = new CollectiveCalls<>(on.collectives(), this);
    }

    /** Starts {@link #bcast(Object, int, Datatype, int)}. */
    public Request iBcast(final Buffer buf, final int count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.bcast(buf, count, type, root));
    }

    /** Starts {@link #bcast(Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public Request iBcast(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.bcast(buf, count, type, root));
    }

    /** Starts {@link #gather(Object, int, Datatype, Object, int, Datatype, int)}. */
    public Request iGather(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int recvCount,
        final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #gather(Object, int, Datatype, Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public Request iGather(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #gather(Object, int, Datatype, int)}. */
    public Request iGather(final Buffer buf, final int count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.gather(buf, count, type, root));
    }

    /** Starts {@link #gather(Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public Request iGather(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.gather(buf, count, type, root));
    }

    /** Starts {@link #gatherv(Object, int, Datatype, Object, int[], int[], Datatype, int)}. */
    public Request iGatherv(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int[] recvCounts,
        final int[] displs, final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.gatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType, root));
    }

    /**
     * Starts {@link #gatherv(Object, int, Datatype, Object, int[], int[], Datatype, int)}; buffers may be arrays, and counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public Request iGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final Object recvCounts,
        final Object displs, final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.gatherv(sendBuf, sendCount, sendType, recvBuf, nonblocking.longs(recvCounts), nonblocking.longs(displs),
            recvType, root));
    }

    /** Starts {@link #gatherv(Object, int[], int[], Datatype, int)}. */
    public Request iGatherv(final Buffer recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType,
        final int root) throws MPIException {
        return request(nonblocking.gatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Starts {@link #gatherv(Object, int[], int[], Datatype, int)}; buffers may be arrays. */
    public Request iGatherv(final Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType,
        final int root) throws MPIException {
        return request(nonblocking.gatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Starts {@link #gatherv(Object, int[], int[], Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public Request iGatherv(final Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType,
        final int root) throws MPIException {
        return request(nonblocking.gatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Starts {@link #gatherv(Object, int, Datatype, int)}. */
    public Request iGatherv(final Buffer sendBuf, final int sendCount, final Datatype sendType, final int root) throws MPIException {
        return request(nonblocking.gatherv(sendBuf, sendCount, sendType, null, (long[]) null, null, sendType, root));
    }

    /** Starts {@link #gatherv(Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public Request iGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final int root) throws MPIException {
        return request(nonblocking.gatherv(sendBuf, sendCount, sendType, null, (long[]) null, null, sendType, root));
    }

    /** Starts {@link #scatter(Object, int, Datatype, Object, int, Datatype, int)}. */
    public Request iScatter(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int recvCount,
        final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #scatter(Object, int, Datatype, Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public Request iScatter(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #scatter(Object, int, Datatype, int)}. */
    public Request iScatter(final Buffer buf, final int count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.scatter(buf, count, type, root));
    }

    /** Starts {@link #scatter(Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public Request iScatter(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.scatter(buf, count, type, root));
    }

    /** Starts {@link #scatterv(Object, int[], int[], Datatype, Object, int, Datatype, int)}. */
    public Request iScatterv(final Buffer sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType, final Buffer recvBuf,
        final int recvCount, final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.scatterv(sendBuf, sendCounts, displs, sendType, recvBuf, recvCount, recvType, root));
    }

    /**
     * Starts {@link #scatterv(Object, int[], int[], Datatype, Object, int, Datatype, int)}; buffers may be arrays, and counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public Request iScatterv(final Object sendBuf, final Object sendCounts, final Object displs, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.scatterv(sendBuf, nonblocking.longs(sendCounts), nonblocking.longs(displs), sendType, recvBuf, recvCount,
            recvType, root));
    }

    /** Starts {@link #scatterv(Object, int[], int[], Datatype, int)}. */
    public Request iScatterv(final Buffer sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType,
        final int root) throws MPIException {
        return request(nonblocking.scatterv(sendBuf, sendCounts, displs, sendType, CollectiveCalls.IN_PLACE, 0, sendType, root));
    }

    /** Starts {@link #scatterv(Object, int[], int[], Datatype, int)}; buffers may be arrays. */
    public Request iScatterv(final Object sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType,
        final int root) throws MPIException {
        return request(nonblocking.scatterv(sendBuf, sendCounts, displs, sendType, CollectiveCalls.IN_PLACE, 0, sendType, root));
    }

    /** Starts {@link #scatterv(Object, int[], int[], Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public Request iScatterv(final Object sendBuf, final long[] sendCounts, final long[] displs, final Datatype sendType,
        final int root) throws MPIException {
        return request(nonblocking.scatterv(sendBuf, sendCounts, displs, sendType, CollectiveCalls.IN_PLACE, 0, sendType, root));
    }

    /** Starts {@link #scatterv(Object, int, Datatype, int)}. */
    public Request iScatterv(final Buffer recvBuf, final int recvCount, final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.scatterv(null, (long[]) null, null, recvType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #scatterv(Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public Request iScatterv(final Object recvBuf, final long recvCount, final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.scatterv(null, (long[]) null, null, recvType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #reduce(Object, Object, int, Datatype, Op, int)}. */
    public Request iReduce(final Buffer sendBuf, final Buffer recvBuf, final int count, final Datatype type, final Op op,
        final int root) throws MPIException {
        return request(nonblocking.reduce(sendBuf, recvBuf, count, type, op, root));
    }

    /** Starts {@link #reduce(Object, Object, int, Datatype, Op, int)}; buffers may be arrays, and counts are {@code long}. */
    public Request iReduce(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op,
        final int root) throws MPIException {
        return request(nonblocking.reduce(sendBuf, recvBuf, count, type, op, root));
    }

    /** Starts {@link #reduce(Object, int, Datatype, Op, int)}. */
    public Request iReduce(final Buffer buf, final int count, final Datatype type, final Op op, final int root) throws MPIException {
        return request(nonblocking.reduce(buf, count, type, op, root));
    }

    /** Starts {@link #reduce(Object, int, Datatype, Op, int)}; buffers may be arrays, and counts are {@code long}. */
    public Request iReduce(final Object buf, final long count, final Datatype type, final Op op, final int root) throws MPIException {
        return request(nonblocking.reduce(buf, count, type, op, root));
    }
}
