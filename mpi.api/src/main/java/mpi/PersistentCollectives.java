package mpi;

import tutti.runtime.comm.Communicator;
import tutti.runtime.request.PersistentRequest;

/**
 * The persistent collective operations of {@link Comm}: created once and started many times. Not in Open MPI's bindings.
 *
 * <p>All ranks of the communicator must create the same operations in the same order, and may start them in any order. Buffers must not be
 * accessed while an operation is active.
 */
abstract class PersistentCollectives extends NonblockingCollectives {
    final CollectiveCalls<PersistentRequest> persistent;

    PersistentCollectives(final Communicator on) {
        super(on);
        this.persistent = new CollectiveCalls<>(on.persistent(), this);
    }

    /** Creates a persistent request for {@link #bcast(Object, int, Datatype, int)}. */
    public Prequest bcastInit(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return persistent(persistent.bcast(buf, count, type, root));
    }

    /** Creates a persistent request for {@link #gather(Object, int, Datatype, Object, int, Datatype, int)}. */
    public Prequest gatherInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType, final int root) throws MPIException {
        return persistent(persistent.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Creates a persistent request for {@link #gather(Object, int, Datatype, int)}. */
    public Prequest gatherInit(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return persistent(persistent.gather(buf, count, type, root));
    }

    /**
     * Creates a persistent request for {@link #gatherv(Object, int, Datatype, Object, int[], int[], Datatype, int)}; counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public Prequest gathervInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final Object recvCounts,
        final Object displs, final Datatype recvType, final int root) throws MPIException {
        return persistent(persistent.gatherv(sendBuf, sendCount, sendType, recvBuf, persistent.longs(recvCounts), persistent.longs(displs),
            recvType, root));
    }

    /** Creates a persistent request for {@link #gatherv(Object, int[], int[], Datatype, int)}. */
    public Prequest gathervInit(final Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType,
        final int root) throws MPIException {
        return persistent(persistent.gatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Creates a persistent request for {@link #gatherv(Object, int[], int[], Datatype, int)}, with {@code long} counts. */
    public Prequest gathervInit(final Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType,
        final int root) throws MPIException {
        return persistent(persistent.gatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Creates a persistent request for {@link #gatherv(Object, int, Datatype, int)}. */
    public Prequest gathervInit(final Object sendBuf, final long sendCount, final Datatype sendType, final int root) throws MPIException {
        return persistent(persistent.gatherv(sendBuf, sendCount, sendType, null, (long[]) null, null, sendType, root));
    }

    /** Creates a persistent request for {@link #scatter(Object, int, Datatype, Object, int, Datatype, int)}. */
    public Prequest scatterInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType, final int root) throws MPIException {
        return persistent(persistent.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Creates a persistent request for {@link #scatter(Object, int, Datatype, int)}. */
    public Prequest scatterInit(final Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return persistent(persistent.scatter(buf, count, type, root));
    }

    /**
     * Creates a persistent request for {@link #scatterv(Object, int[], int[], Datatype, Object, int, Datatype, int)}; counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public Prequest scattervInit(final Object sendBuf, final Object sendCounts, final Object displs, final Datatype sendType, final Object recvBuf,
        final long recvCount, final Datatype recvType, final int root) throws MPIException {
        return persistent(persistent.scatterv(sendBuf, persistent.longs(sendCounts), persistent.longs(displs), sendType, recvBuf, recvCount,
            recvType, root));
    }

    /** Creates a persistent request for {@link #scatterv(Object, int[], int[], Datatype, int)}. */
    public Prequest scattervInit(final Object sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType,
        final int root) throws MPIException {
        return persistent(persistent.scatterv(sendBuf, sendCounts, displs, sendType, CollectiveCalls.IN_PLACE, 0, sendType, root));
    }

    /** Creates a persistent request for {@link #scatterv(Object, int[], int[], Datatype, int)}, with {@code long} counts. */
    public Prequest scattervInit(final Object sendBuf, final long[] sendCounts, final long[] displs, final Datatype sendType,
        final int root) throws MPIException {
        return persistent(persistent.scatterv(sendBuf, sendCounts, displs, sendType, CollectiveCalls.IN_PLACE, 0, sendType, root));
    }

    /** Creates a persistent request for {@link #scatterv(Object, int, Datatype, int)}. */
    public Prequest scattervInit(final Object recvBuf, final long recvCount, final Datatype recvType, final int root) throws MPIException {
        return persistent(persistent.scatterv(null, (long[]) null, null, recvType, recvBuf, recvCount, recvType, root));
    }

    /** Creates a persistent request for {@link #reduce(Object, Object, int, Datatype, Op, int)}. */
    public Prequest reduceInit(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op,
        final int root) throws MPIException {
        return persistent(persistent.reduce(sendBuf, recvBuf, count, type, op, root));
    }

    /** Creates a persistent request for {@link #reduce(Object, int, Datatype, Op, int)}. */
    public Prequest reduceInit(final Object buf, final long count, final Datatype type, final Op op, final int root) throws MPIException {
        return persistent(persistent.reduce(buf, count, type, op, root));
    }

    /** Creates a persistent request for {@link #barrier()}. */
    public Prequest barrierInit() throws MPIException {
        return persistent(persistent.barrier());
    }

    /** Creates a persistent request for {@link #allGather(Object, int, Datatype, Object, int, Datatype)}. */
    public Prequest allGatherInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType) throws MPIException {
        return persistent(persistent.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Creates a persistent request for {@link #allGather(Object, int, Datatype)}. */
    public Prequest allGatherInit(final Object buf, final long count, final Datatype type) throws MPIException {
        return persistent(persistent.allGather(CollectiveCalls.IN_PLACE, 0, type, buf, count, type));
    }

    /** Creates a persistent request for {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}. */
    public Prequest allGathervInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return persistent(persistent.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /**
     * Creates a persistent request for {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}, with {@code long}
     * counts.
     */
    public Prequest allGathervInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf,
        final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        return persistent(persistent.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Creates a persistent request for {@link #allGatherv(Object, int[], int[], Datatype)}. */
    public Prequest allGathervInit(final Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return persistent(persistent.allGatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType));
    }

    /** Creates a persistent request for {@link #allGatherv(Object, int[], int[], Datatype)}, with {@code long} counts. */
    public Prequest allGathervInit(final Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        return persistent(persistent.allGatherv(CollectiveCalls.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType));
    }

    /** Creates a persistent request for {@link #allToAll(Object, int, Datatype, Object, int, Datatype)}. */
    public Prequest allToAllInit(final Object sendBuf, final long sendCount, final Datatype sendType, final Object recvBuf, final long recvCount,
        final Datatype recvType) throws MPIException {
        return persistent(persistent.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Creates a persistent request for {@link #allToAll(Object, long, Datatype)}. */
    public Prequest allToAllInit(final Object buf, final long count, final Datatype type) throws MPIException {
        return persistent(persistent.allToAll(CollectiveCalls.IN_PLACE, 0, type, buf, count, type));
    }

    /** Creates a persistent request for {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}. */
    public Prequest allToAllvInit(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return persistent(persistent.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /**
     * Creates a persistent request for {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}, with
     * {@code long} counts.
     */
    public Prequest allToAllvInit(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        return persistent(persistent.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Creates a persistent request for {@link #allToAllv(Object, int[], int[], Datatype)}. */
    public Prequest allToAllvInit(final Object buf, final int[] counts, final int[] displs, final Datatype type) throws MPIException {
        return persistent(persistent.allToAllv(CollectiveCalls.IN_PLACE, null, null, type, buf, counts, displs, type));
    }

    /** Creates a persistent request for {@link #allToAllv(Object, int[], int[], Datatype)}, with {@code long} counts. */
    public Prequest allToAllvInit(final Object buf, final long[] counts, final long[] displs, final Datatype type) throws MPIException {
        return persistent(persistent.allToAllv(CollectiveCalls.IN_PLACE, null, null, type, buf, counts, displs, type));
    }

    /** Creates a persistent request for {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}. */
    public Prequest allToAllwInit(final Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return persistent(persistent.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /**
     * Creates a persistent request for {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}, with
     * {@code long} counts.
     */
    public Prequest allToAllwInit(final Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
        final Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return persistent(persistent.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Creates a persistent request for {@link #allToAllw(Object, int[], int[], Datatype[])}. */
    public Prequest allToAllwInit(final Object buf, final int[] counts, final int[] displs, final Datatype[] types) throws MPIException {
        return persistent(persistent.allToAllw(CollectiveCalls.IN_PLACE, null, null, null, buf, counts, displs, types));
    }

    /** Creates a persistent request for {@link #allToAllw(Object, int[], int[], Datatype[])}, with {@code long} counts. */
    public Prequest allToAllwInit(final Object buf, final long[] counts, final long[] displs, final Datatype[] types) throws MPIException {
        return persistent(persistent.allToAllw(CollectiveCalls.IN_PLACE, null, null, null, buf, counts, displs, types));
    }

    /** Creates a persistent request for {@link #allReduce(Object, Object, int, Datatype, Op)}. */
    public Prequest allReduceInit(final Object sendBuf, final Object recvBuf, final long count, final Datatype type,
        final Op op) throws MPIException {
        return persistent(persistent.allReduce(sendBuf, recvBuf, count, type, op));
    }

    /** Creates a persistent request for {@link #allReduce(Object, int, Datatype, Op)}. */
    public Prequest allReduceInit(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.allReduce(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatter(Object, Object, int[], Datatype, Op)}. */
    public Prequest reduceScatterInit(final Object sendBuf, final Object recvBuf, final int[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        return persistent(persistent.reduceScatter(sendBuf, recvBuf, recvCounts, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatter(Object, Object, int[], Datatype, Op)}, with {@code long} counts. */
    public Prequest reduceScatterInit(final Object sendBuf, final Object recvBuf, final long[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        return persistent(persistent.reduceScatter(sendBuf, recvBuf, recvCounts, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatter(Object, int[], Datatype, Op)}. */
    public Prequest reduceScatterInit(final Object buf, final int[] counts, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.reduceScatter(CollectiveCalls.IN_PLACE, buf, counts, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatter(Object, int[], Datatype, Op)}, with {@code long} counts. */
    public Prequest reduceScatterInit(final Object buf, final long[] counts, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.reduceScatter(CollectiveCalls.IN_PLACE, buf, counts, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatterBlock(Object, Object, int, Datatype, Op)}. */
    public Prequest reduceScatterBlockInit(final Object sendBuf, final Object recvBuf, final long recvCount, final Datatype type,
        final Op op) throws MPIException {
        return persistent(persistent.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatterBlock(Object, int, Datatype, Op)}. */
    public Prequest reduceScatterBlockInit(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.reduceScatterBlock(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }
}
