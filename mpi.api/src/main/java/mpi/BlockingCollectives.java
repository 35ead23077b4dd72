package mpi;

import tutti.runtime.comm.Communicator;

/**
 * The collective operations of {@link Comm} that have done their part when they return.
 *
 * <p>All ranks of the communicator call the same operations in the same order. Buffers are arrays or java.nio buffers.
 */
abstract class BlockingCollectives extends PointToPoint {
    final CollectiveCalls<tutti.runtime.request.Request> wait;

    BlockingCollectives(final Communicator on) {
        super(on);
        this.wait = new CollectiveCalls<>(on.blocking(), this);
    }

    /** Returns when all ranks have called it. */
    public void barrier() throws MPIException {
        wait.barrier();
    }

    /** The data of the root goes to all ranks. */
    public void bcast(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        wait.bcast(buf, count, type, root);
    }

    /** The data of each rank goes to the root, {@code recvCount} elements from each; what is received counts at the root alone. */
    public void gather(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType, final int root) throws MPIException {
        wait.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /** Gathers in place: the data of the root lies where it belongs in its buffer; other ranks send their buffers. */
    public void gather(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        wait.gather(buf, count, type, root);
    }

    /** Gathers blocks of different sizes: that of rank i is {@code recvCounts[i]} elements, from extent {@code displs[i]} on. */
    public void gatherv(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int[] recvCounts,
        final int[] displs, final Datatype recvType, final int root) throws MPIException {
        wait.gatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType, root);
    }

    /** Gathers blocks of different sizes in place: the call of the root. */
    public void gatherv(final Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType,
        final int root) throws MPIException {
        wait.gatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root);
    }

    /** Gathers blocks of different sizes: the call of ranks other than the root. */
    public void gatherv(final Object sendBuf, final int sendCount, final Datatype sendType, final int root) throws MPIException {
        wait.gatherv(sendBuf, sendCount, sendType, null, (long[]) null, null, sendType, root);
    }

    /** The data of the root goes to the ranks, {@code sendCount} elements to each; what is sent counts at the root alone. */
    public void scatter(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType, final int root) throws MPIException {
        wait.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /** Scatters in place: the data of the root stays where it is in its buffer; other ranks receive into their buffers. */
    public void scatter(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        wait.scatter(buf, count, type, root);
    }

    /** Scatters blocks of different sizes: that of rank i is {@code sendCounts[i]} elements, from extent {@code displs[i]} on. */
    public void scatterv(final Object sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType, final Object recvBuf,
        final int recvCount, final Datatype recvType, final int root) throws MPIException {
        wait.scatterv(sendBuf, sendCounts, displs, sendType, recvBuf, recvCount, recvType, root);
    }

    /** Scatters blocks of different sizes in place: the call of the root. */
    public void scatterv(final Object sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType,
        final int root) throws MPIException {
        wait.scatterv(sendBuf, sendCounts, displs, sendType, CollectiveCalls.IN_PLACE, 0, sendType, root);
    }

    /** Scatters blocks of different sizes: the call of ranks other than the root. */
    public void scatterv(final Object recvBuf, final int recvCount, final Datatype recvType, final int root) throws MPIException {
        wait.scatterv(null, (long[]) null, null, recvType, recvBuf, recvCount, recvType, root);
    }

    /** The data of each rank goes to all ranks, {@code recvCount} elements from each. */
    public void allGather(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType) throws MPIException {
        wait.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Gathers to all ranks in place: the data of each rank lies where it belongs in its buffer. */
    public void allGather(final Object buf, final int count, final Datatype type) throws MPIException {
        wait.allGather(CollectiveCalls.IN_PLACE, 0, type, buf, count, type);
    }

    /** Gathers blocks of different sizes to all ranks: that of rank i is {@code recvCounts[i]} elements, from extent {@code displs[i]} on. */
    public void allGatherv(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int[] recvCounts,
        final int[] displs, final Datatype recvType) throws MPIException {
        wait.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /** Gathers blocks of different sizes to all ranks in place. */
    public void allGatherv(final Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        wait.allGatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType);
    }

    /** Each rank sends {@code sendCount} elements to each rank. */
    public void allToAll(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType) throws MPIException {
        wait.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Each rank sends a block to each rank, of different sizes; displacements count extents. */
    public void allToAllv(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType, final Object recvBuf,
        final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        wait.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /** Each rank sends a block to each rank, of different sizes and types; displacements are bytes. */
    public void allToAllw(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes, final Object recvBuf,
        final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        wait.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /** The root gets the reduction of the data of all ranks. */
    public void reduce(final Object sendBuf, final Object recvBuf, final int count, final Datatype type, final Op op,
        final int root) throws MPIException {
        wait.reduce(sendBuf, recvBuf, count, type, op, root);
    }

    /** Reduces in place: the buffer of the root holds its data and gets the result; other ranks send their buffers. */
    public void reduce(final Object buf, final int count, final Datatype type, final Op op, final int root) throws MPIException {
        wait.reduce(buf, count, type, op, root);
    }

    /** All ranks get the reduction of the data of all ranks. */
    public void allReduce(final Object sendBuf, final Object recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        wait.allReduce(sendBuf, recvBuf, count, type, op);
    }

    /** Reduces to all ranks in place. */
    public void allReduce(final Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        wait.allReduce(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** Rank i gets block i of the reduction of the data of all ranks, {@code recvCounts[i]} elements. */
    public void reduceScatter(final Object sendBuf, final Object recvBuf, final int[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        wait.reduceScatter(sendBuf, recvBuf, recvCounts, type, op);
    }

    /** Reduces and scatters in place: the block comes to the start of the buffer. */
    public void reduceScatter(final Object buf, final int[] counts, final Datatype type, final Op op) throws MPIException {
        wait.reduceScatter(CollectiveCalls.IN_PLACE, buf, counts, type, op);
    }

    /** Rank i gets block i of the reduction of the data of all ranks, {@code recvCount} elements each. */
    public void reduceScatterBlock(final Object sendBuf, final Object recvBuf, final int recvCount, final Datatype type,
        final Op op) throws MPIException {
        wait.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op);
    }

    /** Reduces and scatters in place: the block comes to the start of the buffer. */
    public void reduceScatterBlock(final Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        wait.reduceScatterBlock(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }
}
