package tutti.runtime.collective;

import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.Operation;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.buffer.MessageBufferCache;
import tutti.runtime.context.CommContext;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.request.Request;

/**
 * The neighbourhood collectives of a communicator: a rank exchanges data with its neighbours only. All ranks call them alike, including ranks
 * without neighbours.
 *
 * <p>Each method checks its arguments and returns a request, as {@link Collectives} does. There is a block for each source and destination,
 * including PROC_NULL; the latter blocks are not accessed. Displacements are in elements, for alltoallw in bytes. No call is in place.
 *
 * @param <R> type of the returned requests
 */
final class NeighborCollectives<R extends Request> implements AllToAllCollectives<R> {
    private final CommContext comm;
    private final Neighborhood neighborhood;
    private final Neighbors neighbors;
    private final Collectives.Mode<R> mode;
    private final MessageBufferCache buffers;
    private final int[] loopsOut;
    private final int[] loopsIn;

    NeighborCollectives(final CommContext comm, final Neighborhood neighborhood, final Collectives.Mode<R> mode) {
        this.comm = comm;
        this.neighborhood = neighborhood;
        this.neighbors = neighborhood.neighbors();
        this.mode = mode;
        this.buffers = comm.buffers();
        this.loopsOut = neighborhood.destinationIndices(comm.rank());
        this.loopsIn = neighborhood.sourceIndices(comm.rank());
        checkRanks();
        if (loopsOut.length != loopsIn.length) {
            // Cause: it would send more blocks to itself than it receives. Remedy: as many edges in both directions.
            throw new MpiFailure(ErrorClass.TOPOLOGY, "edges of a rank to itself differ in number: out=" + loopsOut.length + ", in=" + loopsIn.length
                + ", rank=" + comm.rank());
        }
    }

    private void checkRanks() {
        for (int i = 0; i < neighbors.sources(); i++) {
            checkRank("source", neighbors.source(i));
        }
        for (int i = 0; i < neighbors.destinations(); i++) {
            checkRank("destination", neighbors.destination(i));
        }
    }

    private void checkRank(final String what, final int rank) {
        if (!Neighborhood.isNeighbor(rank, comm.size())) {
            throw new MpiFailure(ErrorClass.RANK, what + " out of range: rank=" + rank + ", size=" + comm.size());
        }
    }

    /** Performs a neighbourhood allgather. */
    @Override
    public R allgather(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv, final long recvCount,
        final Datatype recvType) {
        check(send, recv);
        final MessageBuffer into = buffers.into(recv, times(recvCount, neighbors.sources()), recvType);
        final MessageBuffer from = buffers.of(send, sendCount, sendType);
        return gather(Operation.NEIGHBOR_ALLGATHER, from, uniform(into, neighbors.sources()), into);
    }

    /** Performs a neighbourhood allgather with a count per source. */
    @Override
    public R allgatherv(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv,
        final long @Nullable [] recvCounts, final long @Nullable [] displs, final Datatype recvType) {
        check(send, recv);
        final MessageBuffer into = blocks(recv, recvCounts, displs, recvType, neighbors.sources(), true);
        final MessageBuffer from = buffers.of(send, sendCount, sendType);
        return gather(Operation.NEIGHBOR_ALLGATHERV, from, into.blocks(), into);
    }

    private R gather(final Operation<Call.NeighborAllgather> operation, final MessageBuffer from, final Blocks blocks, final MessageBuffer into) {
        final Blocks arriving = neighborhood.arriving(blocks);
        for (final int index : loopsIn) {
            checkLoop(from.bytes(), arriving.bytes(index));
        }
        return mode.run(operation, new Call.NeighborAllgather(neighbors, from.bytes(), arriving), from, into);
    }

    /** Performs a neighbourhood alltoall. */
    @Override
    public R alltoall(final @Nullable Object send, final long sendCount, final Datatype sendType, final @Nullable Object recv, final long recvCount,
        final Datatype recvType) {
        check(send, recv);
        final MessageBuffer into = buffers.into(recv, times(recvCount, neighbors.sources()), recvType);
        final MessageBuffer from = buffers.of(send, times(sendCount, neighbors.destinations()), sendType);
        return exchange(Operation.NEIGHBOR_ALLTOALL, uniform(from, neighbors.destinations()), from, uniform(into, neighbors.sources()), into);
    }

    /** Performs a neighbourhood alltoall with a count per neighbour. */
    @Override
    public R alltoallv(final @Nullable Object send, final long @Nullable [] sendCounts, final long @Nullable [] sendDispls, final Datatype sendType,
        final @Nullable Object recv, final long @Nullable [] recvCounts, final long @Nullable [] recvDispls, final Datatype recvType) {
        check(send, recv);
        final MessageBuffer into = blocks(recv, recvCounts, recvDispls, recvType, neighbors.sources(), true);
        final MessageBuffer from = blocks(send, sendCounts, sendDispls, sendType, neighbors.destinations(), false);
        return exchange(Operation.NEIGHBOR_ALLTOALLV, from.blocks(), from, into.blocks(), into);
    }

    /** Performs a neighbourhood alltoall with a count and a type per neighbour; displacements are in bytes. */
    @Override
    public R alltoallw(final @Nullable Object send, final long @Nullable [] sendCounts, final long @Nullable [] sendDispls,
        final Datatype @Nullable [] sendTypes, final @Nullable Object recv, final long @Nullable [] recvCounts, final long @Nullable [] recvDispls,
        final Datatype @Nullable [] recvTypes) {
        check(send, recv);
        final MessageBuffer into = blocks(recv, recvCounts, recvDispls, recvTypes, neighbors.sources(), true);
        final MessageBuffer from = blocks(send, sendCounts, sendDispls, sendTypes, neighbors.destinations(), false);
        return exchange(Operation.NEIGHBOR_ALLTOALLW, from.blocks(), from, into.blocks(), into);
    }

    private R exchange(final Operation<Call.NeighborAlltoall> operation, final Blocks leaving, final MessageBuffer from, final Blocks blocks,
        final MessageBuffer into) {
        final Blocks arriving = neighborhood.arriving(blocks);
        for (int i = 0; i < loopsIn.length; i++) {
            checkLoop(leaving.bytes(loopsOut[i]), arriving.bytes(loopsIn[i]));
        }
        return mode.run(operation, new Call.NeighborAlltoall(neighbors, leaving, arriving), from, into);
    }

    /** Returns a buffer of blocks; without neighbours the arguments may be null. */
    private MessageBuffer blocks(final @Nullable Object buffer, final long @Nullable [] counts, final long @Nullable [] displs,
        final Datatype type, final int blocks, final boolean written) {
        return blocks == 0 ? nothing(written) : buffers.blocks(buffer, counts, displs, type, blocks, written);
    }

    private MessageBuffer blocks(final @Nullable Object buffer, final long @Nullable [] counts, final long @Nullable [] displs,
        final Datatype @Nullable [] types, final int blocks, final boolean written) {
        return blocks == 0 ? nothing(written) : buffers.blocks(buffer, counts, displs, types, blocks, written);
    }

    private MessageBuffer nothing(final boolean written) {
        return buffers.blocks(null, new long[0], new long[0], Datatype.BYTE, 0, written);
    }

    private void check(final @Nullable Object send, final @Nullable Object recv) {
        comm.checkUsable();
        if (send == Reserved.IN_PLACE || recv == Reserved.IN_PLACE) {
            // Cause: these calls have no form with one buffer. Remedy: the form with two buffers.
            throw new MpiFailure(ErrorClass.BUFFER, "IN_PLACE is not allowed in neighbourhood collectives: rank=" + comm.rank());
        }
    }

    private static void checkLoop(final long sent, final long received) {
        if (sent != received) {
            throw new MpiFailure(sent > received ? ErrorClass.TRUNCATE : ErrorClass.COUNT,
                "own block differs in length between send and receive buffer: sent=" + sent + ", received=" + received + " bytes");
        }
    }

    private static Blocks uniform(final MessageBuffer buffer, final int blocks) {
        return Blocks.uniform(blocks, blocks == 0 ? 0 : buffer.bytes() / blocks);
    }

    private static long times(final long count, final int blocks) {
        if (count < 0) {
            throw new MpiFailure(ErrorClass.COUNT, "count is negative: count=" + count);
        }
        if (blocks > 0 && count > Long.MAX_VALUE / blocks) {
            // Cause: the block of all neighbours together is too large. Remedy: a smaller count.
            throw new MpiFailure(ErrorClass.COUNT, "count out of range: count=" + count + ", blocks=" + blocks);
        }
        return count * blocks;
    }
}
