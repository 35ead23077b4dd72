package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/**
 * The collective operations of {@link Comm} in which a rank exchanges data with its neighbours in the topology of the communicator: {@link CartComm}
 * and {@link GraphComm} have one.
 *
 * <p>There is a block for each neighbour, in their order. Of a grid that is, for each dimension, first who is before and then who is behind; the
 * blocks of those beyond an end are left alone. All ranks call alike.
 */
abstract class NeighborCollectives extends PersistentCollectives {

    NeighborCollectives(final Communicator on) {
        super(on);
    }

    /** How the ranks are arranged; null when they are not. */
    Topology topology() {
        return null;
    }

    private <R extends tutti.runtime.request.Request> NeighborCalls<R> neighborly(final CollectiveCalls<R> calls) throws MPIException {
        checkUsable();
        final Topology topology = topology();
        if (topology == null) {
            throw raise(new MpiFailure(ErrorClass.TOPOLOGY, "communicator has no topology: comm=" + this));
        }
        return calls.neighbors(topology);
    }

    /** The data of each rank goes to its neighbours, {@code recvCount} elements come from each. */
    public final void neighborAllGather(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        neighborly(wait).allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** As {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)} with long counts. */
    public final void neighborAllGather(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        neighborly(wait).allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /**
     * Gathers blocks of different sizes from the neighbours: that of source i is {@code recvCounts[i]} elements, from extent {@code displs[i]} on.
     */
    public final void neighborAllGatherv(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        neighborly(wait).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /** As {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)} with long counts. */
    public final void neighborAllGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        neighborly(wait).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /** Each rank sends {@code sendCount} elements to each neighbour. */
    public final void neighborAllToAll(final Object sendBuf, final int sendCount, final Datatype sendType, final Object recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        neighborly(wait).allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** As {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)} with long counts. */
    public final void neighborAllToAll(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        neighborly(wait).allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Each rank sends a block to each neighbour, of different sizes; displacements count extents. */
    public final void neighborAllToAllv(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        neighborly(wait).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /** As {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)} with long counts. */
    public final void neighborAllToAllv(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        neighborly(wait).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /** Each rank sends a block to each neighbour, of different sizes and types; displacements are bytes. Not in Open MPI's bindings. */
    public final void neighborAllToAllw(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        neighborly(wait).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /** As {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])} with long counts. */
    public final void neighborAllToAllw(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        neighborly(wait).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /** Starts {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)}. */
    public final Request iNeighborAllGather(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        return request(neighborly(start).allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)} on arrays, too, with long counts. */
    public final Request iNeighborAllGather(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return request(neighborly(start).allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}. */
    public final Request iNeighborAllGatherv(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return request(neighborly(start).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)} on arrays, too. */
    public final Request iNeighborAllGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return request(neighborly(start).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)} with long counts. */
    public final Request iNeighborAllGatherv(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        return request(neighborly(start).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)}. */
    public final Request iNeighborAllToAll(final Buffer sendBuf, final int sendCount, final Datatype sendType, final Buffer recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        return request(neighborly(start).allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)} on arrays, too, with long counts. */
    public final Request iNeighborAllToAll(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return request(neighborly(start).allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}. */
    public final Request iNeighborAllToAllv(final Buffer sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final Buffer recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return request(neighborly(start).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)} on arrays, too. */
    public final Request iNeighborAllToAllv(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return request(neighborly(start).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)} with long counts. */
    public final Request iNeighborAllToAllv(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        return request(neighborly(start).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])} on arrays, too. */
    public final Request iNeighborAllToAllw(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return request(neighborly(start).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Starts {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])} with long counts. */
    public final Request iNeighborAllToAllw(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return request(neighborly(start).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Makes a request for {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)}. */
    public final Prequest neighborAllGatherInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return persistent(neighborly(made).allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Makes a request for {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}. */
    public final Prequest neighborAllGathervInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return persistent(neighborly(made).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Makes a request for {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)} with long counts. */
    public final Prequest neighborAllGathervInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        return persistent(neighborly(made).allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Makes a request for {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)}. */
    public final Prequest neighborAllToAllInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return persistent(neighborly(made).allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Makes a request for {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}. */
    public final Prequest neighborAllToAllvInit(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return persistent(neighborly(made).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Makes a request for {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)} with long counts. */
    public final Prequest neighborAllToAllvInit(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        return persistent(neighborly(made).allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Makes a request for {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}. */
    public final Prequest neighborAllToAllwInit(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return persistent(neighborly(made).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Makes a request for {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])} with long counts. */
    public final Prequest neighborAllToAllwInit(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return persistent(neighborly(made).allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }
}
