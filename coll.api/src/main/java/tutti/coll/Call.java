package tutti.coll;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of one collective call on one rank, in packed bytes and without addresses. A schedule depends on nothing else.
 *
 * <p>The records are immutable values, so a call is the key under which its schedule is cached.
 *
 * <p>{@code inPlace} corresponds to MPI_IN_PLACE. This rank gave no send buffer: {@link Buffer#SEND} is absent, and its contribution is
 * located in {@link Buffer#RECV} where MPI defines it for the operation. Scatter is the exception, where the receive buffer is absent. In
 * rooted operations only the root may be in place, so the ranks of a call differ in it.
 *
 * <p>A new record here is a major change of the package, even if baselining does not report one, because existing switches do not cover it.
 */
public sealed interface Call {
    /** Value of {@code root} on an intercommunicator: this rank is the root. */
    int ROOT = -4;
    /** Value of {@code root} on an intercommunicator: this rank is in the root's group, but not the root. As a neighbour: a missing one. */
    int PROC_NULL = -2;

    /**
     * Returns the number of bytes that {@link Buffer#SEND} must hold; 0 if it is absent or not significant.
     *
     * @param rank the calling rank; -1 for a rooted call on an intercommunicator, where {@code root} is no rank of the local group
     */
    long sendBytes(int rank);

    /**
     * Returns the number of bytes that {@link Buffer#RECV} must hold; 0 if it is absent or not significant.
     *
     * @param rank the calling rank; -1 for a rooted call on an intercommunicator, where {@code root} is no rank of the local group
     */
    long recvBytes(int rank);

    /**
     * Returns the number of bytes that {@link Buffer#SEND} must hold, on either kind of communicator.
     *
     * @param rank  the calling rank in its group
     * @param inter whether the communicator is an intercommunicator
     */
    default long sendBytes(final int rank, final boolean inter) {
        return sendBytes(inter && this instanceof Rooted ? -1 : rank);
    }

    /**
     * Returns the number of bytes that {@link Buffer#RECV} must hold, on either kind of communicator.
     *
     * @param rank  the calling rank in its group
     * @param inter whether the communicator is an intercommunicator
     */
    default long recvBytes(final int rank, final boolean inter) {
        return recvBytes(inter && this instanceof Rooted ? -1 : rank);
    }

    /** Returns the reduction of the call; null if it combines nothing, or if this rank does not know the reduction. */
    default @Nullable Reduction reduction() {
        return null;
    }

    /** Returns whether this rank is in place: it gave no send buffer, or in scatter no receive buffer. */
    default boolean inPlace() {
        return false;
    }

    /**
     * Returns whether this rank takes no part: it is in the root's group of an intercommunicator, and not the root. It knows nothing of the call
     * but the operation, and nothing is planned for it.
     */
    default boolean isUninvolved() {
        return this instanceof Rooted r && r.root() == PROC_NULL;
    }

    /**
     * A call that has a root. On an intercommunicator {@code root} is {@link #ROOT} on the root itself, {@link #PROC_NULL} on the other ranks
     * of its group, which take no part, and the root's rank in the other group. With {@link #PROC_NULL} the other arguments are not significant.
     * Only the ranks of the other group contribute or receive blocks.
     */
    sealed interface Rooted extends Call {
        /** Returns the root: a rank, {@link #ROOT} or {@link #PROC_NULL}. */
        int root();
    }

    /** Barrier, without arguments. */
    record Barrier() implements Call {
        @Override
        public long sendBytes(final int rank) {
            return 0;
        }

        @Override
        public long recvBytes(final int rank) {
            return 0;
        }
    }

    /**
     * Broadcast. Every rank, including the root, has its data in {@link Buffer#RECV}.
     *
     * @param bytes length of the data, equal on every rank
     * @param root  the rank that has the data
     */
    record Bcast(long bytes, int root) implements Rooted {
        @Override
        public long sendBytes(final int rank) {
            return 0;
        }

        @Override
        public long recvBytes(final int rank) {
            return root == PROC_NULL ? 0 : bytes;
        }
    }

    /**
     * Gather and gatherv.
     *
     * @param sendBytes length of this rank's block
     * @param recv      layout of the receive buffer on the root, a block for each rank that sends; for gather known on every rank that takes
     *                  part, for gatherv null on ranks other than the root
     * @param root      the rank that receives the blocks
     * @param inPlace   only on the root: its own block is already in the receive buffer
     */
    record Gather(long sendBytes, @Nullable Blocks recv, int root, boolean inPlace) implements Rooted {
        /** Returns the range that holds the block of {@code rank}, the calling rank. */
        public BufferRange input(final int rank) {
            return inPlace ? Objects.requireNonNull(recv).in(Buffer.RECV, rank) : Buffer.SEND.at(0, sendBytes);
        }

        @Override
        public long sendBytes(final int rank) {
            return inPlace || root == ROOT || root == PROC_NULL ? 0 : sendBytes;
        }

        @Override
        public long recvBytes(final int rank) {
            return rank == root || root == ROOT ? Objects.requireNonNull(recv).end() : 0;
        }
    }

    /**
     * Scatter and scatterv.
     *
     * @param send      layout of the send buffer on the root, a block for each rank that receives; for scatter known on every rank that takes
     *                  part, for scatterv null on ranks other than the root
     * @param recvBytes length of this rank's block
     * @param root      the rank that has the blocks
     * @param inPlace   only on the root: its own block stays in the send buffer, and {@link Buffer#RECV} is absent
     */
    record Scatter(@Nullable Blocks send, long recvBytes, int root, boolean inPlace) implements Rooted {
        @Override
        public long sendBytes(final int rank) {
            return rank == root || root == ROOT ? Objects.requireNonNull(send).end() : 0;
        }

        @Override
        public long recvBytes(final int rank) {
            return inPlace || root == ROOT || root == PROC_NULL ? 0 : recvBytes;
        }
    }

    /**
     * Allgather and allgatherv.
     *
     * @param sendBytes length of this rank's block
     * @param recv      layout of the receive buffer, equal on every rank of a group; on an intercommunicator the blocks of the remote group
     * @param inPlace   on all ranks or none: the rank's own block is already in the receive buffer
     */
    record Allgather(long sendBytes, Blocks recv, boolean inPlace) implements Call {
        /** Returns the range that holds the block of {@code rank}, the calling rank. */
        public BufferRange input(final int rank) {
            return inPlace ? recv.in(Buffer.RECV, rank) : Buffer.SEND.at(0, sendBytes);
        }

        @Override
        public long sendBytes(final int rank) {
            return inPlace ? 0 : sendBytes;
        }

        @Override
        public long recvBytes(final int rank) {
            return recv.end();
        }
    }

    /**
     * Alltoall, alltoallv and alltoallw.
     *
     * @param send    layout of the send buffer, a block for each rank, on an intercommunicator of the remote group; in place equal to {@code recv}
     * @param recv    layout of the receive buffer, a block from each rank, on an intercommunicator of the remote group
     * @param inPlace on all ranks or none: the blocks to send are located in {@link Buffer#RECV}, and are replaced by the received ones
     */
    record Alltoall(Blocks send, Blocks recv, boolean inPlace) implements Call {
        @Override
        public long sendBytes(final int rank) {
            return inPlace ? 0 : send.end();
        }

        @Override
        public long recvBytes(final int rank) {
            return recv.end();
        }
    }

    /**
     * Reduce to a root.
     *
     * @param reduction the reduction; null if the root is {@link #PROC_NULL}
     * @param count     number of elements
     * @param root      the rank that receives the result
     * @param inPlace   only on the root: its contribution is located in {@link Buffer#RECV}
     */
    record Reduce(@Nullable Reduction reduction, long count, int root, boolean inPlace) implements Rooted {
        /** Returns the length of the data in bytes. */
        public long bytes() {
            return count * Objects.requireNonNull(reduction).elementBytes();
        }

        /** Returns the range that holds this rank's contribution. */
        public BufferRange input() {
            return (inPlace ? Buffer.RECV : Buffer.SEND).at(0, bytes());
        }

        @Override
        public long sendBytes(final int rank) {
            return inPlace || root == ROOT || root == PROC_NULL ? 0 : bytes();
        }

        @Override
        public long recvBytes(final int rank) {
            return rank == root || root == ROOT ? bytes() : 0;
        }
    }

    /**
     * Reduce with the result on every rank. On an intercommunicator each group receives the reduction of the other group.
     *
     * @param reduction the reduction
     * @param count     number of elements
     * @param inPlace   on all ranks or none: the contribution is located in {@link Buffer#RECV}
     */
    record Allreduce(Reduction reduction, long count, boolean inPlace) implements Call {
        /** Returns the length of the data in bytes. */
        public long bytes() {
            return count * reduction.elementBytes();
        }

        /** Returns the range that holds this rank's contribution. */
        public BufferRange input() {
            return (inPlace ? Buffer.RECV : Buffer.SEND).at(0, bytes());
        }

        @Override
        public long sendBytes(final int rank) {
            return inPlace ? 0 : bytes();
        }

        @Override
        public long recvBytes(final int rank) {
            return bytes();
        }
    }

    /**
     * Scan and exscan.
     *
     * @param reduction the reduction
     * @param count     number of elements
     * @param inPlace   on all ranks or none: the contribution is located in {@link Buffer#RECV}
     */
    record Scan(Reduction reduction, long count, boolean inPlace) implements Call {
        /** Returns the length of the data in bytes. */
        public long bytes() {
            return count * reduction.elementBytes();
        }

        /** Returns the range that holds this rank's contribution. */
        public BufferRange input() {
            return (inPlace ? Buffer.RECV : Buffer.SEND).at(0, bytes());
        }

        @Override
        public long sendBytes(final int rank) {
            return inPlace ? 0 : bytes();
        }

        @Override
        public long recvBytes(final int rank) {
            return bytes();
        }
    }

    /**
     * Reduce-scatter in both forms. On an intercommunicator each group receives the reduction of the other group.
     *
     * @param reduction the reduction
     * @param blocks    the contribution, divided into blocks one after the other; block r is rank r's result, which is put at the start of
     *                  {@link Buffer#RECV}. On an intercommunicator they are the blocks of the local group, and their total is equal in both
     *                  groups
     * @param inPlace   on all ranks or none: the contribution, all blocks, is located in {@link Buffer#RECV}
     */
    record ReduceScatter(Reduction reduction, Blocks blocks, boolean inPlace) implements Call {
        /** Returns the range that holds this rank's contribution, all blocks. */
        public BufferRange input() {
            return (inPlace ? Buffer.RECV : Buffer.SEND).at(0, blocks.total());
        }

        @Override
        public long sendBytes(final int rank) {
            return inPlace ? 0 : blocks.total();
        }

        @Override
        public long recvBytes(final int rank) {
            return inPlace ? blocks.total() : blocks.bytes(rank);
        }
    }

    /**
     * Neighbour allgather and allgatherv: this rank sends its block to every destination.
     *
     * @param neighbors the neighbours of this rank
     * @param sendBytes length of this rank's block
     * @param recv      layout of the receive buffer, a block per source in their order; the blocks of missing sources are not changed
     */
    record NeighborAllgather(Neighbors neighbors, long sendBytes, Blocks recv) implements Call {
        @Override
        public long sendBytes(final int rank) {
            return sendBytes;
        }

        @Override
        public long recvBytes(final int rank) {
            return recv.end();
        }
    }

    /**
     * Neighbour alltoall, alltoallv and alltoallw.
     *
     * @param neighbors the neighbours of this rank
     * @param send      layout of the send buffer, a block per destination in their order
     * @param recv      layout of the receive buffer, a block per source in their order; the blocks of missing sources are not changed
     */
    record NeighborAlltoall(Neighbors neighbors, Blocks send, Blocks recv) implements Call {
        @Override
        public long sendBytes(final int rank) {
            return send.end();
        }

        @Override
        public long recvBytes(final int rank) {
            return recv.end();
        }
    }
}
