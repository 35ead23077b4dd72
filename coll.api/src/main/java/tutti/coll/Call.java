package tutti.coll;

/**
 * The arguments of one collective call on one rank, in packed bytes and without any address: all that a schedule depends on.
 *
 * <p>The records are values, so a call is the key under which its schedule is cached. {@code inPlace} says that this rank gave no
 * send buffer: its contribution lies in {@link Buffer#RECV} where MPI puts it for the operation, and {@link Buffer#SEND} is absent.
 * In rooted operations in place concerns the root alone, so ranks differ in it.
 *
 * <p>A new case here is a major change of the package, whatever baselining says: existing switches would not know it.
 */
public sealed interface Call {
    /** As root on an intercommunicator: this rank is the root. */
    int ROOT = -4;
    /** As root on an intercommunicator: this rank is in the root's group and takes no part in the data. As a neighbour: nobody. */
    int PROC_NULL = -2;

    /**
     * The bytes that {@link Buffer#SEND} must hold; 0 where it is absent or not significant.
     *
     * @param rank the calling rank; of a rooted call -1 where {@code root} does not count this rank's group
     */
    long sendBytes(int rank);

    /**
     * The bytes that {@link Buffer#RECV} must hold; 0 where it is not significant.
     *
     * @param rank the calling rank; of a rooted call -1 where {@code root} does not count this rank's group
     */
    long recvBytes(int rank);

    /** As {@link #sendBytes(int)}, on either kind of communicator. */
    default long sendBytes(final int rank, final boolean inter) {
        return sendBytes(inter && this instanceof Rooted ? -1 : rank);
    }

    /** As {@link #recvBytes(int)}, on either kind of communicator. */
    default long recvBytes(final int rank, final boolean inter) {
        return recvBytes(inter && this instanceof Rooted ? -1 : rank);
    }

    /** What it combines contributions with; null when it combines none, or where this rank does not know. */
    default Reduction reduction() {
        return null;
    }

    /** Whether this rank gave no send buffer, or in scatter no receive buffer. */
    default boolean inPlace() {
        return false;
    }

    /**
     * A call that has a root. On an intercommunicator that is {@link #ROOT} at the root, {@link #PROC_NULL} on the other ranks of its group,
     * whose further arguments say nothing, and in the other group the root's rank: what is sent or received there is all of that group.
     */
    sealed interface Rooted extends Call {
        /** The root. */
        int root();
    }

    /** A barrier has no arguments. */
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
     * Broadcast: one buffer, {@link Buffer#RECV}, on every rank.
     *
     * @param bytes of the data, the same on every rank
     * @param root  rank that has the data
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
     * @param sendBytes of this rank's block
     * @param recv      where the blocks go at the root, one for each rank that sends; for gather known on every rank that takes part, for
     *                  gatherv null but at the root
     * @param root      rank that gets the blocks
     * @param inPlace   at the root only: its own block is in its place already
     */
    record Gather(long sendBytes, Blocks recv, int root, boolean inPlace) implements Rooted {
        /** Where {@code rank}'s own block is read. */
        public BufferRange input(final int rank) {
            return inPlace ? recv.in(Buffer.RECV, rank) : Buffer.SEND.at(0, sendBytes);
        }

        @Override
        public long sendBytes(final int rank) {
            return inPlace || root == ROOT || root == PROC_NULL ? 0 : sendBytes;
        }

        @Override
        public long recvBytes(final int rank) {
            return rank == root || root == ROOT ? recv.end() : 0;
        }
    }

    /**
     * Scatter and scatterv.
     *
     * @param send      where the blocks lie at the root, one for each rank that receives; for scatter known on every rank that takes part,
     *                  for scatterv null but at the root
     * @param recvBytes of this rank's block
     * @param root      rank that has the blocks
     * @param inPlace   at the root only: its own block stays in the send buffer, and RECV is absent
     */
    record Scatter(Blocks send, long recvBytes, int root, boolean inPlace) implements Rooted {
        @Override
        public long sendBytes(final int rank) {
            return rank == root || root == ROOT ? send.end() : 0;
        }

        @Override
        public long recvBytes(final int rank) {
            return inPlace || root == ROOT || root == PROC_NULL ? 0 : recvBytes;
        }
    }

    /**
     * Allgather and allgatherv.
     *
     * @param sendBytes of this rank's block
     * @param recv      where the blocks go, the same on every rank of a group; on an intercommunicator those of the remote group
     * @param inPlace   on all ranks or none: the own block is in its place already
     */
    record Allgather(long sendBytes, Blocks recv, boolean inPlace) implements Call {
        /** Where {@code rank}'s own block is read. */
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
     * @param send    where the blocks lie that go to each rank, on an intercommunicator of the remote group; in place equal to {@code recv}
     * @param recv    where the blocks of each rank go, on an intercommunicator of the remote group
     * @param inPlace on all ranks or none: the blocks to be sent lie in RECV, and are replaced
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
     * @param reduction what is applied; null where the root is {@link #PROC_NULL}
     * @param count     elements
     * @param root      rank that gets the result
     * @param inPlace   at the root only: its contribution is in RECV
     */
    record Reduce(Reduction reduction, long count, int root, boolean inPlace) implements Rooted {
        /** Bytes of the data. */
        public long bytes() {
            return count * reduction.elementBytes();
        }

        /** Where this rank's contribution is read. */
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
     * Reduce with the result on every rank; on an intercommunicator each group gets the reduction of the other.
     *
     * @param reduction what is applied
     * @param count     elements
     * @param inPlace   on all ranks or none: the contribution is in RECV
     */
    record Allreduce(Reduction reduction, long count, boolean inPlace) implements Call {
        /** Bytes of the data. */
        public long bytes() {
            return count * reduction.elementBytes();
        }

        /** Where this rank's contribution is read. */
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
     * @param reduction what is applied
     * @param count     elements
     * @param inPlace   on all ranks or none: the contribution is in RECV
     */
    record Scan(Reduction reduction, long count, boolean inPlace) implements Call {
        /** Bytes of the data. */
        public long bytes() {
            return count * reduction.elementBytes();
        }

        /** Where this rank's contribution is read. */
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
     * Reduce-scatter in both forms; on an intercommunicator each group gets the reduction of the other.
     *
     * @param reduction what is applied
     * @param blocks    the contribution cut into blocks one after the other; block r is rank r's result, put at the start of RECV.
     *                  On an intercommunicator the blocks are those of the own group, and their total is equal in both groups
     * @param inPlace   on all ranks or none: the contribution (all blocks) is in RECV
     */
    record ReduceScatter(Reduction reduction, Blocks blocks, boolean inPlace) implements Call {
        /** Where this rank's contribution is read: all blocks. */
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
     * Neighbour allgather and allgatherv: the block goes to every destination.
     *
     * @param neighbors of this rank
     * @param sendBytes of this rank's block
     * @param recv      where the blocks go, one per source and in their order; those of nobody are left alone
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
     * @param neighbors of this rank
     * @param send      where the blocks lie, one per destination and in their order
     * @param recv      where the blocks go, one per source and in their order; those of nobody are left alone
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
