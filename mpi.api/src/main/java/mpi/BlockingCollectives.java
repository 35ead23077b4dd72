package mpi;

import tutti.runtime.comm.Communicator;

/**
 * The collective operations of {@link Comm} without a root that have done their part when they return.
 *
 * <p>All ranks of the communicator call the same operations in the same order. Buffers are arrays or java.nio buffers.
 */
abstract class BlockingCollectives extends BlockingRooted {

    BlockingCollectives(final Communicator on) {
        super(on);
    }

    /** Returns when all ranks have called it. */
    public void barrier() throws MPIException {
        wait.barrier();
    }

    /** The data of each rank goes to all ranks, {@code recvCount} elements from each. */
    public void allGather(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType) throws MPIException {
        wait.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** As {@link #allGather(Object, int, Datatype, Object, int, Datatype)} with long counts. */
    public void allGather(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType) throws MPIException {
        wait.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Gathers to all ranks in place: the data of each rank lies where it belongs in its buffer. */
    public void allGather(final Object buf, final int count, final Datatype type) throws MPIException {
        wait.allGather(CollectiveCalls.IN_PLACE, 0, type, buf, count, type);
    }

    /** As {@link #allGather(Object, int, Datatype)} with long counts. */
    public void allGather(final Object buf, final long count, final Datatype type) throws MPIException {
        wait.allGather(CollectiveCalls.IN_PLACE, 0, type, buf, count, type);
    }

    /** Gathers blocks of different sizes to all ranks: that of rank i is {@code recvCounts[i]} elements, from extent {@code displs[i]} on. */
    public void allGatherv(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int[] recvCounts,
        final int[] displs, final Datatype recvType) throws MPIException {
        wait.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /** As {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)} with long counts. */
    public void allGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long[] recvCounts,
        final long[] displs, final Datatype recvType) throws MPIException {
        wait.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /** Gathers blocks of different sizes to all ranks in place. */
    public void allGatherv(final Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        wait.allGatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType);
    }

    /** As {@link #allGatherv(Object, int[], int[], Datatype)} with long counts. */
    public void allGatherv(final Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        wait.allGatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType);
    }

    /** Each rank sends {@code sendCount} elements to each rank. */
    public void allToAll(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType) throws MPIException {
        wait.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** As {@link #allToAll(Object, int, Datatype, Object, int, Datatype)} with long counts. */
    public void allToAll(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType) throws MPIException {
        wait.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Each rank sends {@code count} elements to each rank in place: what comes from a rank replaces what went to it. */
    public void allToAll(final Object buf, final long count, final Datatype type) throws MPIException {
        wait.allToAll(CollectiveCalls.IN_PLACE, 0, type, buf, count, type);
    }

    /** Each rank sends a block to each rank, of different sizes; displacements count extents. */
    public void allToAllv(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType, final Object recvBuf,
        final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        wait.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /** As {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)} with long counts. */
    public void allToAllv(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType, final Object recvBuf,
        final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        wait.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /** Each rank sends a block to each rank in place, of one size for each pair of ranks; displacements count extents. */
    public void allToAllv(final Object buf, final int[] counts, final int[] displs, final Datatype type) throws MPIException {
        wait.allToAllv(CollectiveCalls.IN_PLACE, null, null, type, buf, counts, displs, type);
    }

    /** As {@link #allToAllv(Object, int[], int[], Datatype)} with long counts. */
    public void allToAllv(final Object buf, final long[] counts, final long[] displs, final Datatype type) throws MPIException {
        wait.allToAllv(CollectiveCalls.IN_PLACE, null, null, type, buf, counts, displs, type);
    }

    /** Each rank sends a block to each rank, of different sizes and types; displacements are bytes. */
    public void allToAllw(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes, final Object recvBuf,
        final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        wait.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /** As {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])} with long counts. */
    public void allToAllw(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes, final Object recvBuf,
        final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        wait.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /** Each rank sends a block to each rank in place, of one size and type for each pair of ranks; displacements are bytes. */
    public void allToAllw(final Object buf, final int[] counts, final int[] displs, final Datatype[] types) throws MPIException {
        wait.allToAllw(CollectiveCalls.IN_PLACE, null, null, null, buf, counts, displs, types);
    }

    /** As {@link #allToAllw(Object, int[], int[], Datatype[])} with long counts. */
    public void allToAllw(final Object buf, final long[] counts, final long[] displs, final Datatype[] types) throws MPIException {
        wait.allToAllw(CollectiveCalls.IN_PLACE, null, null, null, buf, counts, displs, types);
    }

    /** All ranks get the reduction of the data of all ranks. */
    public void allReduce(final Object sendBuf, final Object recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        wait.allReduce(sendBuf, recvBuf, count, type, op);
    }

    /** As {@link #allReduce(Object, Object, int, Datatype, Op)} with long counts. */
    public void allReduce(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op) throws MPIException {
        wait.allReduce(sendBuf, recvBuf, count, type, op);
    }

    /** Reduces to all ranks in place. */
    public void allReduce(final Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        wait.allReduce(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** As {@link #allReduce(Object, int, Datatype, Op)} with long counts. */
    public void allReduce(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        wait.allReduce(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** Rank i gets block i of the reduction of the data of all ranks, {@code recvCounts[i]} elements. */
    public void reduceScatter(final Object sendBuf, final Object recvBuf, final int[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        wait.reduceScatter(sendBuf, recvBuf, recvCounts, type, op);
    }

    /** As {@link #reduceScatter(Object, Object, int[], Datatype, Op)} with long counts. */
    public void reduceScatter(final Object sendBuf, final Object recvBuf, final long[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        wait.reduceScatter(sendBuf, recvBuf, recvCounts, type, op);
    }

    /** Reduces and scatters in place: the block comes to the start of the buffer. */
    public void reduceScatter(final Object buf, final int[] counts, final Datatype type, final Op op) throws MPIException {
        wait.reduceScatter(CollectiveCalls.IN_PLACE, buf, counts, type, op);
    }

    /** As {@link #reduceScatter(Object, int[], Datatype, Op)} with long counts. */
    public void reduceScatter(final Object buf, final long[] counts, final Datatype type, final Op op) throws MPIException {
        wait.reduceScatter(CollectiveCalls.IN_PLACE, buf, counts, type, op);
    }

    /** Rank i gets block i of the reduction of the data of all ranks, {@code recvCount} elements each. */
    public void reduceScatterBlock(final Object sendBuf, final Object recvBuf, final int recvCount, final Datatype type,
        final Op op) throws MPIException {
        wait.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op);
    }

    /** As {@link #reduceScatterBlock(Object, Object, int, Datatype, Op)} with long counts. */
    public void reduceScatterBlock(final Object sendBuf, final Object recvBuf, final long recvCount, final Datatype type,
        final Op op) throws MPIException {
        wait.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op);
    }

    /** Reduces and scatters in place: the block comes to the start of the buffer. */
    public void reduceScatterBlock(final Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        wait.reduceScatterBlock(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** As {@link #reduceScatterBlock(Object, int, Datatype, Op)} with long counts. */
    public void reduceScatterBlock(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        wait.reduceScatterBlock(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }
}
