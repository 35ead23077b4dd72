package mpi;

import tutti.runtime.comm.Communicator;

/**
 * The collective operations of {@link Comm} with a root that have done their part when they return: broadcast, gather, scatter, reduce.
 *
 * <p>All ranks of the communicator call the same operations in the same order. Buffers are arrays or java.nio buffers.
 */
abstract class BlockingRooted extends PointToPoint {
    final CollectiveCalls<tutti.runtime.request.Request> wait;

    BlockingRooted(final Communicator on) {
        super(on);
        this.wait = new CollectiveCalls<>(on.blocking(), this);
    }

    /** The data of the root goes to all ranks. */
    public void bcast(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        wait.bcast(buf, count, type, root);
    }

    /** As {@link #bcast(Object, int, Datatype, int)} with long counts. */
    public void bcast(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        wait.bcast(buf, count, type, root);
    }

    /** The data of each rank goes to the root, {@code recvCount} elements from each; what is received counts at the root alone. */
    public void gather(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType, final int root) throws MPIException {
        wait.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /** As {@link #gather(Object, int, Datatype, Object, int, Datatype, int)} with long counts. */
    public void gather(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType, final int root) throws MPIException {
        wait.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /** Gathers in place: the data of the root lies where it belongs in its buffer; other ranks send their buffers. */
    public void gather(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        wait.gather(buf, count, type, root);
    }

    /** As {@link #gather(Object, int, Datatype, int)} with long counts. */
    public void gather(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        wait.gather(buf, count, type, root);
    }

    /** Gathers blocks of different sizes: that of rank i is {@code recvCounts[i]} elements, from extent {@code displs[i]} on. */
    public void gatherv(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int[] recvCounts,
        final int[] displs, final Datatype recvType, final int root) throws MPIException {
        wait.gatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType, root);
    }

    /**
     * As {@link #gatherv(Object, int, Datatype, Object, int[], int[], Datatype, int)} with long counts; counts and displacements are {@code int[]}
     * or {@code long[]}.
     */
    public void gatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final Object recvCounts,
        final Object displs, final Datatype recvType, final int root) throws MPIException {
        wait.gatherv(sendBuf, sendCount, sendType, recvBuf, wait.longs(recvCounts), wait.longs(displs), recvType, root);
    }

    /** Gathers blocks of different sizes in place: the call of the root. */
    public void gatherv(final Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType,
        final int root) throws MPIException {
        wait.gatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root);
    }

    /** As {@link #gatherv(Object, int[], int[], Datatype, int)} with long counts. */
    public void gatherv(final Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType,
        final int root) throws MPIException {
        wait.gatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root);
    }

    /** Gathers blocks of different sizes: the call of ranks other than the root. */
    public void gatherv(final Object sendBuf, final int sendCount, final Datatype sendType, final int root) throws MPIException {
        wait.gatherv(sendBuf, sendCount, sendType, null, (long[]) null, null, sendType, root);
    }

    /** As {@link #gatherv(Object, int, Datatype, int)} with long counts. */
    public void gatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final int root) throws MPIException {
        wait.gatherv(sendBuf, sendCount, sendType, null, (long[]) null, null, sendType, root);
    }

    /** The data of the root goes to the ranks, {@code sendCount} elements to each; what is sent counts at the root alone. */
    public void scatter(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf, final int recvCount,
        final Datatype recvType, final int root) throws MPIException {
        wait.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /** As {@link #scatter(Object, int, Datatype, Object, int, Datatype, int)} with long counts. */
    public void scatter(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType, final int root) throws MPIException {
        wait.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /** Scatters in place: the data of the root stays where it is in its buffer; other ranks receive into their buffers. */
    public void scatter(final Object buf, final int count, final Datatype type, final int root) throws MPIException {
        wait.scatter(buf, count, type, root);
    }

    /** As {@link #scatter(Object, int, Datatype, int)} with long counts. */
    public void scatter(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        wait.scatter(buf, count, type, root);
    }

    /** Scatters blocks of different sizes: that of rank i is {@code sendCounts[i]} elements, from extent {@code displs[i]} on. */
    public void scatterv(final Object sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType, final Object recvBuf,
        final int recvCount, final Datatype recvType, final int root) throws MPIException {
        wait.scatterv(sendBuf, sendCounts, displs, sendType, recvBuf, recvCount, recvType, root);
    }

    /**
     * As {@link #scatterv(Object, int[], int[], Datatype, Object, int, Datatype, int)} with long counts; counts and displacements are {@code int[]}
     * or {@code long[]}.
     */
    public void scatterv(final Object sendBuf, final Object sendCounts, final Object displs, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType, final int root) throws MPIException {
        wait.scatterv(sendBuf, wait.longs(sendCounts), wait.longs(displs), sendType, recvBuf, recvCount, recvType, root);
    }

    /** Scatters blocks of different sizes in place: the call of the root. */
    public void scatterv(final Object sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType,
        final int root) throws MPIException {
        wait.scatterv(sendBuf, sendCounts, displs, sendType, CollectiveCalls.IN_PLACE, 0, sendType, root);
    }

    /** As {@link #scatterv(Object, int[], int[], Datatype, int)} with long counts. */
    public void scatterv(final Object sendBuf, final long[] sendCounts, final long[] displs, final Datatype sendType,
        final int root) throws MPIException {
        wait.scatterv(sendBuf, sendCounts, displs, sendType, CollectiveCalls.IN_PLACE, 0, sendType, root);
    }

    /** Scatters blocks of different sizes: the call of ranks other than the root. */
    public void scatterv(final Object recvBuf, final int recvCount, final Datatype recvType, final int root) throws MPIException {
        wait.scatterv(null, (long[]) null, null, recvType, recvBuf, recvCount, recvType, root);
    }

    /** As {@link #scatterv(Object, int, Datatype, int)} with long counts. */
    public void scatterv(final Object recvBuf, final long recvCount, final Datatype recvType, final int root) throws MPIException {
        wait.scatterv(null, (long[]) null, null, recvType, recvBuf, recvCount, recvType, root);
    }

    /** The root gets the reduction of the data of all ranks. */
    public void reduce(final Object sendBuf, final Object recvBuf, final int count, final Datatype type, final Op op,
        final int root) throws MPIException {
        wait.reduce(sendBuf, recvBuf, count, type, op, root);
    }

    /** As {@link #reduce(Object, Object, int, Datatype, Op, int)} with long counts. */
    public void reduce(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op,
        final int root) throws MPIException {
        wait.reduce(sendBuf, recvBuf, count, type, op, root);
    }

    /** Reduces in place: the buffer of the root holds its data and gets the result; other ranks send their buffers. */
    public void reduce(final Object buf, final int count, final Datatype type, final Op op, final int root) throws MPIException {
        wait.reduce(buf, count, type, op, root);
    }

    /** As {@link #reduce(Object, int, Datatype, Op, int)} with long counts. */
    public void reduce(final Object buf, final long count, final Datatype type, final Op op, final int root) throws MPIException {
        wait.reduce(buf, count, type, op, root);
    }
}
