package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/**
 * The neighbourhood collective operations of {@link Comm}: a rank exchanges data with its neighbours in the topology of the communicator.
 * {@link CartComm} and {@link GraphComm} have a topology.
 *
 * <p>Buffers have one block for each neighbour, in the order of neighbours. In a grid that is, for each dimension, first the rank before and then
 * the rank behind; blocks of neighbours beyond an end are not accessed. All ranks of the communicator must call the same operations in the same
 * order.
 */
abstract class NeighborCollectives extends PersistentCollectives {

    NeighborCollectives(final Communicator on) {
        super(on);
    }

    /** Returns the topology; null if the communicator has none. */
    Topology topology() {
        return null;
    }

    private <R extends tutti.runtime.request.Request> NeighborCalls<R> neighbors(final CollectiveCalls<R> calls) throws MPIException {
        checkUsable();
        final Topology topology = topology();
        if (topology == null) {
            throw raise(new MpiFailure(ErrorClass.TOPOLOGY, "communicator has no topology: comm=" + this));
        }
        return calls.neighbors(topology);
    }

    /**
     * Gathers data from all neighbours; the same data is sent to all neighbours.
     *
     * @param sendBuf   data of the calling rank
     * @param sendCount number of elements sent to each neighbour
     * @param sendType  datatype of the elements sent
     * @param recvBuf   receives the blocks, in the order of neighbours
     * @param recvCount number of elements received from each neighbour
     * @param recvType  datatype of the elements received
     */
    public final void neighborAllGather(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        neighbors(blocking).allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Performs {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)} with {@code long} counts. */
    public final void neighborAllGather(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        neighbors(blocking).allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /**
     * Gathers blocks of different sizes from all neighbours; the same data is sent to all neighbours.
     *
     * @param sendBuf    data of the calling rank
     * @param sendCount  number of elements sent to each neighbour
     * @param sendType   datatype of the elements sent
     * @param recvBuf    receives the blocks
     * @param recvCounts number of elements received from each neighbour
     * @param displs     position of each neighbour's block, in extents of {@code recvType}
     * @param recvType   datatype of the elements received
     */
    public final void neighborAllGatherv(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        neighbors(blocking).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /** Performs {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)} with {@code long} counts. */
    public final void neighborAllGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        neighbors(blocking).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /**
     * Sends a distinct block of equal size to each neighbour.
     *
     * @param sendBuf   blocks to send, in the order of neighbours
     * @param sendCount number of elements sent to each neighbour
     * @param sendType  datatype of the elements sent
     * @param recvBuf   receives the blocks, in the order of neighbours
     * @param recvCount number of elements received from each neighbour
     * @param recvType  datatype of the elements received
     */
    public final void neighborAllToAll(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        neighbors(blocking).allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Performs {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)} with {@code long} counts. */
    public final void neighborAllToAll(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        neighbors(blocking).allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /**
     * Sends a distinct block to each neighbour; blocks may differ in size.
     *
     * @param sendBuf    blocks to send
     * @param sendCounts number of elements sent to each neighbour
     * @param sendDispls position of each block to send, in extents of {@code sendType}
     * @param sendType   datatype of the elements sent
     * @param recvBuf    receives the blocks
     * @param recvCounts number of elements received from each neighbour
     * @param recvDispls position of each block to receive, in extents of {@code recvType}
     * @param recvType   datatype of the elements received
     */
    public final void neighborAllToAllv(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        neighbors(blocking).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /** Performs {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)} with {@code long} counts. */
    public final void neighborAllToAllv(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        neighbors(blocking).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /**
     * Sends a distinct block to each neighbour; blocks may differ in size and datatype. Not in Open MPI's bindings.
     *
     * @param sendBuf    blocks to send
     * @param sendCounts number of elements sent to each neighbour
     * @param sendDispls position of each block to send, in bytes
     * @param sendTypes  datatype of the elements sent to each neighbour
     * @param recvBuf    receives the blocks
     * @param recvCounts number of elements received from each neighbour
     * @param recvDispls position of each block to receive, in bytes
     * @param recvTypes  datatype of the elements received from each neighbour
     */
    public final void neighborAllToAllw(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        neighbors(blocking).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /** Performs {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])} with {@code long} counts. */
    public final void neighborAllToAllw(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        neighbors(blocking).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /** Starts {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)}. */
    public final Request iNeighborAllGather(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        return request(neighbors(nonblocking).allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /**
     * Starts {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)}; buffers may be arrays, and counts are {@code long}.
     */
    public final Request iNeighborAllGather(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return request(neighbors(nonblocking).allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}. */
    public final Request iNeighborAllGatherv(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return request(neighbors(nonblocking).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}; buffers may be arrays. */
    public final Request iNeighborAllGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return request(neighbors(nonblocking).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /**
     * Starts {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}; buffers may be arrays, and counts are
     * {@code long}.
     */
    public final Request iNeighborAllGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        return request(neighbors(nonblocking).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)}. */
    public final Request iNeighborAllToAll(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        return request(neighbors(nonblocking).allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /**
     * Starts {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)}; buffers may be arrays, and counts are {@code long}.
     */
    public final Request iNeighborAllToAll(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return request(neighbors(nonblocking).allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}. */
    public final Request iNeighborAllToAllv(final Buffer sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final Buffer recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return request(neighbors(nonblocking).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}; buffers may be arrays. */
    public final Request iNeighborAllToAllv(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return request(neighbors(nonblocking).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /**
     * Starts {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}; buffers may be arrays, and counts
     * are {@code long}.
     */
    public final Request iNeighborAllToAllv(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        return request(neighbors(nonblocking).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}; buffers may be arrays. */
    public final Request iNeighborAllToAllw(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return request(neighbors(nonblocking).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /**
     * Starts {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}; buffers may be arrays, and
     * counts are {@code long}.
     */
    public final Request iNeighborAllToAllw(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return request(neighbors(nonblocking).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Creates a persistent request for {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)}. */
    public final Prequest neighborAllGatherInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return persistent(neighbors(persistent).allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Creates a persistent request for {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}. */
    public final Prequest neighborAllGathervInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return persistent(neighbors(persistent).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /**
     * Creates a persistent request for {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}, with
     * {@code long} counts.
     */
    public final Prequest neighborAllGathervInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        return persistent(neighbors(persistent).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Creates a persistent request for {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)}. */
    public final Prequest neighborAllToAllInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return persistent(neighbors(persistent).allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Creates a persistent request for {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}. */
    public final Prequest neighborAllToAllvInit(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return persistent(neighbors(persistent).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /**
     * Creates a persistent request for {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}, with
     * {@code long} counts.
     */
    public final Prequest neighborAllToAllvInit(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        return persistent(neighbors(persistent).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Creates a persistent request for {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}. */
    public final Prequest neighborAllToAllwInit(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return persistent(neighbors(persistent).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /**
     * Creates a persistent request for {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}, with
     * {@code long} counts.
     */
    public final Prequest neighborAllToAllwInit(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return persistent(neighbors(persistent).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }
}
