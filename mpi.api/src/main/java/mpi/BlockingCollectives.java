package mpi;

import tutti.runtime.comm.Communicator;

/**
 * The blocking collective operations of {@link Comm} without a root. A call returns when the calling rank's part of the operation is complete.
 *
 * <p>All ranks of the communicator must call the same operations in the same order. Buffers are arrays or java.nio buffers.
 */
abstract class BlockingCollectives extends BlockingRooted {

    BlockingCollectives(final Communicator on) {
        super(on);
    }

    /** Blocks until all ranks of the communicator have called it. */
    public void barrier() throws MPIException {
        blocking.barrier();
    }

    /**
     * Gathers the data of all ranks to all ranks.
     *
     * @param sendBuf   data of the calling rank
     * @param sendCount number of elements sent
     * @param sendType  datatype of the elements sent
     * @param recvBuf   receives the block of rank i at position {@code i * recvCount}
     * @param recvCount number of elements received from each rank
     * @param recvType  datatype of the elements received
     */
    public void allGather(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType) throws MPIException {
        blocking.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Performs {@link #allGather(Object, int, Datatype, Object, int, Datatype)} with {@code long} counts. */
    public void allGather(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType) throws MPIException {
        blocking.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /**
     * Gathers the data of all ranks to all ranks in place: each rank's data is at the rank's block of {@code buf}.
     *
     * @param buf   the data of the calling rank and the result
     * @param count number of elements of each rank
     * @param type  datatype of the elements
     */
    public void allGather(final Object buf, final int count, final Datatype type) throws MPIException {
        blocking.allGather(CollectiveCalls.IN_PLACE, 0, type, buf, count, type);
    }

    /** Performs {@link #allGather(Object, int, Datatype)} with {@code long} counts. */
    public void allGather(final Object buf, final long count, final Datatype type) throws MPIException {
        blocking.allGather(CollectiveCalls.IN_PLACE, 0, type, buf, count, type);
    }

    /**
     * Gathers blocks of different sizes to all ranks.
     *
     * @param sendBuf    data of the calling rank
     * @param sendCount  number of elements sent
     * @param sendType   datatype of the elements sent
     * @param recvBuf    receives the blocks of all ranks
     * @param recvCounts number of elements received from each rank
     * @param displs     position of each rank's block in {@code recvBuf}, in extents of {@code recvType}
     * @param recvType   datatype of the elements received
     */
    public void allGatherv(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int[] recvCounts,
        final int[] displs, final Datatype recvType) throws MPIException {
        blocking.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /** Performs {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)} with {@code long} counts. */
    public void allGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long[] recvCounts,
        final long[] displs, final Datatype recvType) throws MPIException {
        blocking.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /**
     * Gathers blocks of different sizes to all ranks in place: each rank's data is at the rank's block of {@code recvBuf}.
     *
     * @param recvBuf    the data of the calling rank and the result
     * @param recvCounts number of elements of each rank
     * @param displs     position of each rank's block, in extents of {@code recvType}
     * @param recvType   datatype of the elements
     */
    public void allGatherv(final Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        blocking.allGatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType);
    }

    /** Performs {@link #allGatherv(Object, int[], int[], Datatype)} with {@code long} counts. */
    public void allGatherv(final Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        blocking.allGatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType);
    }

    /**
     * Sends a distinct block of equal size from each rank to each rank.
     *
     * @param sendBuf   blocks to send, in the order of ranks
     * @param sendCount number of elements sent to each rank
     * @param sendType  datatype of the elements sent
     * @param recvBuf   receives the blocks, in the order of ranks
     * @param recvCount number of elements received from each rank
     * @param recvType  datatype of the elements received
     */
    public void allToAll(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType) throws MPIException {
        blocking.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Performs {@link #allToAll(Object, int, Datatype, Object, int, Datatype)} with {@code long} counts. */
    public void allToAll(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType) throws MPIException {
        blocking.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /**
     * Sends a distinct block of equal size from each rank to each rank in place: the block received from a rank replaces the block sent to it.
     * Not in Open MPI's bindings.
     *
     * @param buf   blocks to send and to receive, in the order of ranks
     * @param count number of elements of each block
     * @param type  datatype of the elements
     */
    public void allToAll(final Object buf, final long count, final Datatype type) throws MPIException {
        blocking.allToAll(CollectiveCalls.IN_PLACE, 0, type, buf, count, type);
    }

    /**
     * Sends a distinct block from each rank to each rank; blocks may differ in size.
     *
     * @param sendBuf    blocks to send
     * @param sendCounts number of elements sent to each rank
     * @param sendDispls position of each block to send, in extents of {@code sendType}
     * @param sendType   datatype of the elements sent
     * @param recvBuf    receives the blocks
     * @param recvCounts number of elements received from each rank
     * @param recvDispls position of each block to receive, in extents of {@code recvType}
     * @param recvType   datatype of the elements received
     */
    public void allToAllv(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType, final Object recvBuf,
        final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        blocking.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /** Performs {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)} with {@code long} counts. */
    public void allToAllv(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType, final Object recvBuf,
        final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        blocking.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /**
     * Sends a distinct block from each rank to each rank in place; two ranks exchange blocks of one size. Not in Open MPI's bindings.
     *
     * @param buf    blocks to send and to receive
     * @param counts number of elements of each block
     * @param displs position of each block, in extents of {@code type}
     * @param type   datatype of the elements
     */
    public void allToAllv(final Object buf, final int[] counts, final int[] displs, final Datatype type) throws MPIException {
        blocking.allToAllv(CollectiveCalls.IN_PLACE, null, null, type, buf, counts, displs, type);
    }

    /** Performs {@link #allToAllv(Object, int[], int[], Datatype)} with {@code long} counts. */
    public void allToAllv(final Object buf, final long[] counts, final long[] displs, final Datatype type) throws MPIException {
        blocking.allToAllv(CollectiveCalls.IN_PLACE, null, null, type, buf, counts, displs, type);
    }

    /**
     * Sends a distinct block from each rank to each rank; blocks may differ in size and datatype.
     *
     * @param sendBuf    blocks to send
     * @param sendCounts number of elements sent to each rank
     * @param sendDispls position of each block to send, in bytes
     * @param sendTypes  datatype of the elements sent to each rank
     * @param recvBuf    receives the blocks
     * @param recvCounts number of elements received from each rank
     * @param recvDispls position of each block to receive, in bytes
     * @param recvTypes  datatype of the elements received from each rank
     */
    public void allToAllw(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes, final Object recvBuf,
        final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        blocking.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /** Performs {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])} with {@code long} counts. */
    public void allToAllw(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes, final Object recvBuf,
        final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        blocking.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /**
     * Sends a distinct block from each rank to each rank in place; two ranks exchange blocks of one size and datatype. Not in Open MPI's
     * bindings.
     *
     * @param buf    blocks to send and to receive
     * @param counts number of elements of each block
     * @param displs position of each block, in bytes
     * @param types  datatype of the elements of each block
     */
    public void allToAllw(final Object buf, final int[] counts, final int[] displs, final Datatype[] types) throws MPIException {
        blocking.allToAllw(CollectiveCalls.IN_PLACE, null, null, null, buf, counts, displs, types);
    }

    /** Performs {@link #allToAllw(Object, int[], int[], Datatype[])} with {@code long} counts. */
    public void allToAllw(final Object buf, final long[] counts, final long[] displs, final Datatype[] types) throws MPIException {
        blocking.allToAllw(CollectiveCalls.IN_PLACE, null, null, null, buf, counts, displs, types);
    }

    /**
     * Combines the data of all ranks and returns the result to all ranks.
     *
     * @param sendBuf data of the calling rank
     * @param recvBuf receives the result
     * @param count   number of elements
     * @param type    datatype of the elements
     * @param op      reduction operation
     */
    public void allReduce(final Object sendBuf, final Object recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        blocking.allReduce(sendBuf, recvBuf, count, type, op);
    }

    /** Performs {@link #allReduce(Object, Object, int, Datatype, Op)} with {@code long} counts. */
    public void allReduce(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op) throws MPIException {
        blocking.allReduce(sendBuf, recvBuf, count, type, op);
    }

    /**
     * Combines the data of all ranks in place and returns the result to all ranks.
     *
     * @param buf   the data of the calling rank and the result
     * @param count number of elements
     * @param type  datatype of the elements
     * @param op    reduction operation
     */
    public void allReduce(final Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        blocking.allReduce(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** Performs {@link #allReduce(Object, int, Datatype, Op)} with {@code long} counts. */
    public void allReduce(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        blocking.allReduce(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /**
     * Combines the data of all ranks and scatters the result in blocks that may differ in size.
     *
     * @param sendBuf    data of the calling rank: the blocks of all ranks
     * @param recvBuf    receives the block of the calling rank
     * @param recvCounts number of elements of each rank's block
     * @param type       datatype of the elements
     * @param op         reduction operation
     */
    public void reduceScatter(final Object sendBuf, final Object recvBuf, final int[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        blocking.reduceScatter(sendBuf, recvBuf, recvCounts, type, op);
    }

    /** Performs {@link #reduceScatter(Object, Object, int[], Datatype, Op)} with {@code long} counts. */
    public void reduceScatter(final Object sendBuf, final Object recvBuf, final long[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        blocking.reduceScatter(sendBuf, recvBuf, recvCounts, type, op);
    }

    /**
     * Combines and scatters in place: the block of the calling rank is stored at the start of {@code buf}.
     *
     * @param buf    the data of the calling rank and the result
     * @param counts number of elements of each rank's block
     * @param type   datatype of the elements
     * @param op     reduction operation
     */
    public void reduceScatter(final Object buf, final int[] counts, final Datatype type, final Op op) throws MPIException {
        blocking.reduceScatter(CollectiveCalls.IN_PLACE, buf, counts, type, op);
    }

    /** Performs {@link #reduceScatter(Object, int[], Datatype, Op)} with {@code long} counts. */
    public void reduceScatter(final Object buf, final long[] counts, final Datatype type, final Op op) throws MPIException {
        blocking.reduceScatter(CollectiveCalls.IN_PLACE, buf, counts, type, op);
    }

    /**
     * Combines the data of all ranks and scatters the result in blocks of equal size.
     *
     * @param sendBuf   data of the calling rank: the blocks of all ranks
     * @param recvBuf   receives the block of the calling rank
     * @param recvCount number of elements of each block
     * @param type      datatype of the elements
     * @param op        reduction operation
     */
    public void reduceScatterBlock(final Object sendBuf, final Object recvBuf, final int recvCount, final Datatype type,
        final Op op) throws MPIException {
        blocking.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op);
    }

    /** Performs {@link #reduceScatterBlock(Object, Object, int, Datatype, Op)} with {@code long} counts. */
    public void reduceScatterBlock(final Object sendBuf, final Object recvBuf, final long recvCount, final Datatype type,
        final Op op) throws MPIException {
        blocking.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op);
    }

    /**
     * Combines and scatters blocks of equal size in place: the block of the calling rank is stored at the start of {@code buf}.
     *
     * @param buf   the data of the calling rank and the result
     * @param count number of elements of each block
     * @param type  datatype of the elements
     * @param op    reduction operation
     */
    public void reduceScatterBlock(final Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        blocking.reduceScatterBlock(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** Performs {@link #reduceScatterBlock(Object, int, Datatype, Op)} with {@code long} counts. */
    public void reduceScatterBlock(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        blocking.reduceScatterBlock(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }
}
