package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;

/**
 * The nonblocking collective operations of {@link Comm} without a root. They return a request at once; buffers must not be accessed until it is
 * complete.
 */
abstract class NonblockingCollectives extends NonblockingRooted {

    NonblockingCollectives(final Communicator on) {
        super(on);
    }

    /** Starts {@link #barrier()}. */
    public Request iBarrier() throws MPIException {
        return request(nonblocking.barrier());
    }

    /** Starts {@link #allGather(Object, int, Datatype, Object, int, Datatype)}. */
    public Request iAllGather(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int recvCount,
        final Datatype recvType) throws MPIException {
        return request(nonblocking.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #allGather(Object, int, Datatype, Object, int, Datatype)}; buffers may be arrays, and counts are {@code long}. */
    public Request iAllGather(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType) throws MPIException {
        return request(nonblocking.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #allGather(Object, int, Datatype)}. */
    public Request iAllGather(final Buffer buf, final int count, final Datatype type) throws MPIException {
        return request(nonblocking.allGather(CollectiveCalls.IN_PLACE, 0, type, buf, count, type));
    }

    /** Starts {@link #allGather(Object, int, Datatype)}; buffers may be arrays, and counts are {@code long}. */
    public Request iAllGather(final Object buf, final long count, final Datatype type) throws MPIException {
        return request(nonblocking.allGather(CollectiveCalls.IN_PLACE, 0, type, buf, count, type));
    }

    /** Starts {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}. */
    public Request iAllGatherv(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int[] recvCounts,
        final int[] displs, final Datatype recvType) throws MPIException {
        return request(nonblocking.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}; buffers may be arrays. */
    public Request iAllGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final int[] recvCounts,
        final int[] displs, final Datatype recvType) throws MPIException {
        return request(nonblocking.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /**
     * Starts {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}; buffers may be arrays, and counts are
     * {@code long}.
     */
    public Request iAllGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long[] recvCounts,
        final long[] displs, final Datatype recvType) throws MPIException {
        return request(nonblocking.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allGatherv(Object, int[], int[], Datatype)}. */
    public Request iAllGatherv(final Buffer recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return request(nonblocking.allGatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allGatherv(Object, int[], int[], Datatype)}; buffers may be arrays. */
    public Request iAllGatherv(final Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return request(nonblocking.allGatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allGatherv(Object, int[], int[], Datatype)}; buffers may be arrays, and counts are {@code long}. */
    public Request iAllGatherv(final Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        return request(nonblocking.allGatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allToAll(Object, int, Datatype, Object, int, Datatype)}. */
    public Request iAllToAll(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf, final int recvCount,
        final Datatype recvType) throws MPIException {
        return request(nonblocking.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #allToAll(Object, int, Datatype, Object, int, Datatype)}; buffers may be arrays, and counts are {@code long}. */
    public Request iAllToAll(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType) throws MPIException {
        return request(nonblocking.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #allToAll(Object, long, Datatype)}. */
    public Request iAllToAll(final Object buf, final long count, final Datatype type) throws MPIException {
        return request(nonblocking.allToAll(CollectiveCalls.IN_PLACE, 0, type, buf, count, type));
    }

    /** Starts {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}. */
    public Request iAllToAllv(final Buffer sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType, final Buffer recvBuf,
        final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return request(nonblocking.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}; buffers may be arrays. */
    public Request iAllToAllv(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType, final Object recvBuf,
        final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return request(nonblocking.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /**
     * Starts {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}; buffers may be arrays, and counts are
     * {@code long}.
     */
    public Request iAllToAllv(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType, final Object recvBuf,
        final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        return request(nonblocking.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #allToAllv(Object, int[], int[], Datatype)}; buffers may be arrays. */
    public Request iAllToAllv(final Object buf, final int[] counts, final int[] displs, final Datatype type) throws MPIException {
        return request(nonblocking.allToAllv(CollectiveCalls.IN_PLACE, null, null, type, buf, counts, displs, type));
    }

    /** Starts {@link #allToAllv(Object, int[], int[], Datatype)}; buffers may be arrays, and counts are {@code long}. */
    public Request iAllToAllv(final Object buf, final long[] counts, final long[] displs, final Datatype type) throws MPIException {
        return request(nonblocking.allToAllv(CollectiveCalls.IN_PLACE, null, null, type, buf, counts, displs, type));
    }

    /** Starts {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}. */
    public Request iAllToAllw(final Buffer sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final Buffer recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return request(nonblocking.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Starts {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}; buffers may be arrays. */
    public Request iAllToAllw(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return request(nonblocking.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /**
     * Starts {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}; buffers may be arrays, and counts are
     * {@code long}.
     */
    public Request iAllToAllw(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return request(nonblocking.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Starts {@link #allToAllw(Object, int[], int[], Datatype[])}; buffers may be arrays. */
    public Request iAllToAllw(final Object buf, final int[] counts, final int[] displs, final Datatype[] types) throws MPIException {
        return request(nonblocking.allToAllw(CollectiveCalls.IN_PLACE, null, null, null, buf, counts, displs, types));
    }

    /** Starts {@link #allToAllw(Object, int[], int[], Datatype[])}; buffers may be arrays, and counts are {@code long}. */
    public Request iAllToAllw(final Object buf, final long[] counts, final long[] displs, final Datatype[] types) throws MPIException {
        return request(nonblocking.allToAllw(CollectiveCalls.IN_PLACE, null, null, null, buf, counts, displs, types));
    }

    /** Starts {@link #allReduce(Object, Object, int, Datatype, Op)}. */
    public Request iAllReduce(final Buffer sendBuf, final Buffer recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.allReduce(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #allReduce(Object, Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public Request iAllReduce(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.allReduce(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #allReduce(Object, int, Datatype, Op)}. */
    public Request iAllReduce(final Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.allReduce(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #allReduce(Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public Request iAllReduce(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.allReduce(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #reduceScatter(Object, Object, int[], Datatype, Op)}. */
    public Request iReduceScatter(final Buffer sendBuf, final Buffer recvBuf, final int[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(sendBuf, recvBuf, recvCounts, type, op));
    }

    /** Starts {@link #reduceScatter(Object, Object, int[], Datatype, Op)}; buffers may be arrays. */
    public Request iReduceScatter(final Object sendBuf, final Object recvBuf, final int[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(sendBuf, recvBuf, recvCounts, type, op));
    }

    /** Starts {@link #reduceScatter(Object, Object, int[], Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public Request iReduceScatter(final Object sendBuf, final Object recvBuf, final long[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(sendBuf, recvBuf, recvCounts, type, op));
    }

    /** Starts {@link #reduceScatter(Object, int[], Datatype, Op)}. */
    public Request iReduceScatter(final Buffer buf, final int[] counts, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(CollectiveCalls.IN_PLACE, buf, counts, type, op));
    }

    /** Starts {@link #reduceScatter(Object, int[], Datatype, Op)}; buffers may be arrays. */
    public Request iReduceScatter(final Object buf, final int[] counts, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(CollectiveCalls.IN_PLACE, buf, counts, type, op));
    }

    /** Starts {@link #reduceScatter(Object, int[], Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public Request iReduceScatter(final Object buf, final long[] counts, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(CollectiveCalls.IN_PLACE, buf, counts, type, op));
    }

    /** Starts {@link #reduceScatterBlock(Object, Object, int, Datatype, Op)}. */
    public Request iReduceScatterBlock(final Buffer sendBuf, final Buffer recvBuf, final int recvCount, final Datatype type,
        final Op op) throws MPIException {
        return request(nonblocking.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op));
    }

    /** Starts {@link #reduceScatterBlock(Object, Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public Request iReduceScatterBlock(final Object sendBuf, final Object recvBuf, final long recvCount, final Datatype type,
        final Op op) throws MPIException {
        return request(nonblocking.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op));
    }

    /** Starts {@link #reduceScatterBlock(Object, int, Datatype, Op)}. */
    public Request iReduceScatterBlock(final Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.reduceScatterBlock(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #reduceScatterBlock(Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public Request iReduceScatterBlock(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.reduceScatterBlock(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }
}
