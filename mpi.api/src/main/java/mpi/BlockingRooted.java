package mpi;

import tutti.runtime.comm.Communicator;

/**
 * The blocking collective operations of {@link Comm} with a root: broadcast, gather, scatter and reduce. A call returns when the calling rank's
 * part of the operation is complete.
 *
 * <p>All ranks of the communicator must call the same operations in the same order and with the same root. Buffers are arrays or java.nio
 * buffers. On an intercommunicator the root passes {@code MPI.ROOT}, the other ranks of its group pass {@code MPI.PROC_NULL}, and the ranks of
 * the other group pass the root's rank.
 */
abstract class BlockingRooted extends PointToPoint {
    final CollectiveCalls<tutti.runtime.request.Request> blocking;

    BlockingRooted(final Communicator on) {
        super(on);
        this.blocking = new CollectiveCalls<>(on.blocking(), this);
    }

    /**
     * Broadcasts a message from the root to all ranks.
     *
     * @param buf   the message at the root; receives the message at the other ranks
     * @param count number of elements
     * @param type  datatype of the elements
     * @param root  rank of the root
     */
    public void bcast(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        blocking.bcast(buf, count, type, root);
    }

    /** Performs {@link #bcast(Object, int, Datatype, int)} with {@code long} counts. */
    public void bcast(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        blocking.bcast(buf, count, type, root);
    }

    /**
     * Gathers the data of all ranks at the root.
     *
     * @param sendBuf   data of the calling rank
     * @param sendCount number of elements sent
     * @param sendType  datatype of the elements sent
     * @param recvBuf   receives the blocks in the order of ranks; significant at the root only
     * @param recvCount number of elements received from each rank; significant at the root only
     * @param recvType  datatype of the elements received; significant at the root only
     * @param root      rank of the root
     */
    public void gather(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType, final int root) throws MPIException {
        blocking.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /** Performs {@link #gather(Object, int, Datatype, Object, int, Datatype, int)} with {@code long} counts. */
    public void gather(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType, final int root) throws MPIException {
        blocking.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /**
     * Gathers in place: at the root {@code buf} is the receive buffer and contains the root's own block; other ranks send {@code buf}.
     *
     * @param buf   receive buffer at the root, send buffer at the other ranks
     * @param count number of elements of each rank
     * @param type  datatype of the elements
     * @param root  rank of the root
     */
    public void gather(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        blocking.gather(buf, count, type, root);
    }

    /** Performs {@link #gather(Object, int, Datatype, int)} with {@code long} counts. */
    public void gather(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        blocking.gather(buf, count, type, root);
    }

    /**
     * Gathers blocks of different sizes at the root.
     *
     * @param sendBuf    data of the calling rank
     * @param sendCount  number of elements sent
     * @param sendType   datatype of the elements sent
     * @param recvBuf    receives the blocks; significant at the root only
     * @param recvCounts number of elements received from each rank; significant at the root only
     * @param displs     position of each rank's block, in extents of {@code recvType}; significant at the root only
     * @param recvType   datatype of the elements received; significant at the root only
     * @param root       rank of the root
     */
    public void gatherv(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int[] recvCounts,
        final int[] displs, final Datatype recvType, final int root) throws MPIException {
        blocking.gatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType, root);
    }

    /**
     * Performs {@link #gatherv(Object, int, Datatype, Object, int[], int[], Datatype, int)} with {@code long} counts; counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public void gatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final Object recvCounts,
        final Object displs, final Datatype recvType, final int root) throws MPIException {
        blocking.gatherv(sendBuf, sendCount, sendType, recvBuf, blocking.longs(recvCounts), blocking.longs(displs), recvType, root);
    }

    /**
     * Gathers blocks of different sizes in place. Called by the root; the other ranks call {@link #gatherv(Object, int, Datatype, int)}.
     *
     * @param recvBuf    receives the blocks, and contains the root's own block
     * @param recvCounts number of elements of each rank
     * @param displs     position of each rank's block, in extents of {@code recvType}
     * @param recvType   datatype of the elements
     * @param root       the calling rank
     */
    public void gatherv(final Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType,
        final int root) throws MPIException {
        blocking.gatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root);
    }

    /** Performs {@link #gatherv(Object, int[], int[], Datatype, int)} with {@code long} counts. */
    public void gatherv(final Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType,
        final int root) throws MPIException {
        blocking.gatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root);
    }

    /**
     * Sends a block to the root, which gathers blocks of different sizes. Called by ranks other than the root.
     *
     * @param sendBuf   data of the calling rank
     * @param sendCount number of elements sent
     * @param sendType  datatype of the elements sent
     * @param root      rank of the root
     */
    public void gatherv(final Object sendBuf, final int sendCount, final Datatype sendType, final int root) throws MPIException {
        blocking.gatherv(sendBuf, sendCount, sendType, null, (long[]) null, null, sendType, root);
    }

    /** Performs {@link #gatherv(Object, int, Datatype, int)} with {@code long} counts. */
    public void gatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final int root) throws MPIException {
        blocking.gatherv(sendBuf, sendCount, sendType, null, (long[]) null, null, sendType, root);
    }

    /**
     * Scatters blocks of equal size from the root to all ranks.
     *
     * @param sendBuf   blocks to send in the order of ranks; significant at the root only
     * @param sendCount number of elements sent to each rank; significant at the root only
     * @param sendType  datatype of the elements sent; significant at the root only
     * @param recvBuf   receives the block of the calling rank
     * @param recvCount number of elements received
     * @param recvType  datatype of the elements received
     * @param root      rank of the root
     */
    public void scatter(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType, final int root) throws MPIException {
        blocking.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /** Performs {@link #scatter(Object, int, Datatype, Object, int, Datatype, int)} with {@code long} counts. */
    public void scatter(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType, final int root) throws MPIException {
        blocking.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /**
     * Scatters in place: at the root {@code buf} is the send buffer, and the root's own block stays there; other ranks receive into {@code buf}.
     *
     * @param buf   send buffer at the root, receive buffer at the other ranks
     * @param count number of elements of each rank
     * @param type  datatype of the elements
     * @param root  rank of the root
     */
    public void scatter(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        blocking.scatter(buf, count, type, root);
    }

    /** Performs {@link #scatter(Object, int, Datatype, int)} with {@code long} counts. */
    public void scatter(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        blocking.scatter(buf, count, type, root);
    }

    /**
     * Scatters blocks of different sizes from the root to all ranks.
     *
     * @param sendBuf    blocks to send; significant at the root only
     * @param sendCounts number of elements sent to each rank; significant at the root only
     * @param displs     position of each rank's block, in extents of {@code sendType}; significant at the root only
     * @param sendType   datatype of the elements sent; significant at the root only
     * @param recvBuf    receives the block of the calling rank
     * @param recvCount  number of elements received
     * @param recvType   datatype of the elements received
     * @param root       rank of the root
     */
    public void scatterv(final Object sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType, final Object recvBuf,
        final int recvCount, final Datatype recvType, final int root) throws MPIException {
        blocking.scatterv(sendBuf, sendCounts, displs, sendType, recvBuf, recvCount, recvType, root);
    }

    /**
     * Performs {@link #scatterv(Object, int[], int[], Datatype, Object, int, Datatype, int)} with {@code long} counts; counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public void scatterv(final Object sendBuf, final Object sendCounts, final Object displs, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType, final int root) throws MPIException {
        blocking.scatterv(sendBuf, blocking.longs(sendCounts), blocking.longs(displs), sendType, recvBuf, recvCount, recvType, root);
    }

    /**
     * Scatters blocks of different sizes in place. Called by the root; the other ranks call {@link #scatterv(Object, int, Datatype, int)}.
     *
     * @param sendBuf    blocks to send; the root's own block stays there
     * @param sendCounts number of elements of each rank
     * @param displs     position of each rank's block, in extents of {@code sendType}
     * @param sendType   datatype of the elements
     * @param root       the calling rank
     */
    public void scatterv(final Object sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType,
        final int root) throws MPIException {
        blocking.scatterv(sendBuf, sendCounts, displs, sendType, CollectiveCalls.IN_PLACE, 0, sendType, root);
    }

    /** Performs {@link #scatterv(Object, int[], int[], Datatype, int)} with {@code long} counts. */
    public void scatterv(final Object sendBuf, final long[] sendCounts, final long[] displs, final Datatype sendType,
        final int root) throws MPIException {
        blocking.scatterv(sendBuf, sendCounts, displs, sendType, CollectiveCalls.IN_PLACE, 0, sendType, root);
    }

    /**
     * Receives a block from the root, which scatters blocks of different sizes. Called by ranks other than the root.
     *
     * @param recvBuf   receives the block of the calling rank
     * @param recvCount number of elements received
     * @param recvType  datatype of the elements received
     * @param root      rank of the root
     */
    public void scatterv(final Object recvBuf, final int recvCount, final Datatype recvType, final int root) throws MPIException {
        blocking.scatterv(null, (long[]) null, null, recvType, recvBuf, recvCount, recvType, root);
    }

    /** Performs {@link #scatterv(Object, int, Datatype, int)} with {@code long} counts. */
    public void scatterv(final Object recvBuf, final long recvCount, final Datatype recvType, final int root) throws MPIException {
        blocking.scatterv(null, (long[]) null, null, recvType, recvBuf, recvCount, recvType, root);
    }

    /**
     * Combines the data of all ranks and returns the result to the root.
     *
     * @param sendBuf data of the calling rank
     * @param recvBuf receives the result; significant at the root only
     * @param count   number of elements
     * @param type    datatype of the elements
     * @param op      reduction operation
     * @param root    rank of the root
     */
    public void reduce(final Object sendBuf, final Object recvBuf, final int count, final Datatype type, final Op op,
        final int root) throws MPIException {
        blocking.reduce(sendBuf, recvBuf, count, type, op, root);
    }

    /** Performs {@link #reduce(Object, Object, int, Datatype, Op, int)} with {@code long} counts. */
    public void reduce(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op,
        final int root) throws MPIException {
        blocking.reduce(sendBuf, recvBuf, count, type, op, root);
    }

    /**
     * Reduces in place: at the root {@code buf} contains the root's data and receives the result; other ranks send {@code buf}.
     *
     * @param buf   the data of the calling rank, and the result at the root
     * @param count number of elements
     * @param type  datatype of the elements
     * @param op    reduction operation
     * @param root  rank of the root
     */
    public void reduce(final Object buf, final int count, final Datatype type, final Op op, final int root) throws MPIException {
        blocking.reduce(buf, count, type, op, root);
    }

    /** Performs {@link #reduce(Object, int, Datatype, Op, int)} with {@code long} counts. */
    public void reduce(final Object buf, final long count, final Datatype type, final Op op, final int root) throws MPIException {
        blocking.reduce(buf, count, type, op, root);
    }
}
