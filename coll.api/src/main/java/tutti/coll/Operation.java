package tutti.coll;

import java.util.ArrayList;
import java.util.List;

/**
 * A collective operation, typed by its call. The constants of this class are the only instances.
 *
 * <p>An {@link AlgorithmTable} is keyed by these constants, so the compiler checks that an algorithm is entered under its own operation.
 * Immutable and thread-safe.
 *
 * @param <C> the type of the operation's calls
 */
public final class Operation<C extends Call> implements Comparable<Operation<?>> {
    private static final List<Operation<?>> ALL = new ArrayList<>();

    /** Every rank receives the blocks of all ranks; all blocks have one size. */
    public static final Operation<Call.Allgather> ALLGATHER = new Operation<>("allgather", Call.Allgather.class, true, true);
    /** Every rank receives the blocks of all ranks; sizes and displacements differ by rank. */
    public static final Operation<Call.Allgather> ALLGATHERV = new Operation<>("allgatherv", Call.Allgather.class, true, true);
    /** Every rank receives the reduction of all contributions. */
    public static final Operation<Call.Allreduce> ALLREDUCE = new Operation<>("allreduce", Call.Allreduce.class, true, true);
    /** Every rank sends a block to every rank; all blocks have one size. */
    public static final Operation<Call.Alltoall> ALLTOALL = new Operation<>("alltoall", Call.Alltoall.class, true, true);
    /** Every rank sends a block to every rank; sizes and displacements differ by rank. */
    public static final Operation<Call.Alltoall> ALLTOALLV = new Operation<>("alltoallv", Call.Alltoall.class, true, false);
    /** Every rank sends a block to every rank; sizes, displacements and datatypes differ by rank. */
    public static final Operation<Call.Alltoall> ALLTOALLW = new Operation<>("alltoallw", Call.Alltoall.class, true, false);
    /** No rank leaves before every rank has entered. */
    public static final Operation<Call.Barrier> BARRIER = new Operation<>("barrier", Call.Barrier.class, true, false);
    /** Every rank receives the root's data. */
    public static final Operation<Call.Bcast> BCAST = new Operation<>("bcast", Call.Bcast.class, true, true);
    /** Rank r receives the reduction over ranks 0 to r-1; rank 0 receives nothing. */
    public static final Operation<Call.Scan> EXSCAN = new Operation<>("exscan", Call.Scan.class, false, true);
    /** The root receives the blocks of all ranks; all blocks have one size. */
    public static final Operation<Call.Gather> GATHER = new Operation<>("gather", Call.Gather.class, true, true);
    /** The root receives the blocks of all ranks; only the root knows all sizes and displacements. */
    public static final Operation<Call.Gather> GATHERV = new Operation<>("gatherv", Call.Gather.class, true, false);
    /** Every rank sends its block to all its neighbours; all blocks have one size. */
    public static final Operation<Call.NeighborAllgather> NEIGHBOR_ALLGATHER =
        new Operation<>("neighbor_allgather", Call.NeighborAllgather.class, false, false);
    /** Every rank sends its block to all its neighbours; sizes and displacements differ by source. */
    public static final Operation<Call.NeighborAllgather> NEIGHBOR_ALLGATHERV =
        new Operation<>("neighbor_allgatherv", Call.NeighborAllgather.class, false, false);
    /** Every rank sends a block to each of its neighbours; all blocks have one size. */
    public static final Operation<Call.NeighborAlltoall> NEIGHBOR_ALLTOALL =
        new Operation<>("neighbor_alltoall", Call.NeighborAlltoall.class, false, false);
    /** Every rank sends a block to each of its neighbours; sizes and displacements differ by neighbour. */
    public static final Operation<Call.NeighborAlltoall> NEIGHBOR_ALLTOALLV =
        new Operation<>("neighbor_alltoallv", Call.NeighborAlltoall.class, false, false);
    /** Every rank sends a block to each of its neighbours; sizes, displacements and datatypes differ by neighbour. */
    public static final Operation<Call.NeighborAlltoall> NEIGHBOR_ALLTOALLW =
        new Operation<>("neighbor_alltoallw", Call.NeighborAlltoall.class, false, false);
    /** The root receives the reduction of all contributions. */
    public static final Operation<Call.Reduce> REDUCE = new Operation<>("reduce", Call.Reduce.class, true, true);
    /** Rank r receives block r of the reduction of all contributions; sizes differ by rank. */
    public static final Operation<Call.ReduceScatter> REDUCE_SCATTER = new Operation<>("reduce_scatter", Call.ReduceScatter.class, true, true);
    /** Rank r receives block r of the reduction of all contributions; all blocks have one size. */
    public static final Operation<Call.ReduceScatter> REDUCE_SCATTER_BLOCK =
        new Operation<>("reduce_scatter_block", Call.ReduceScatter.class, true, true);
    /** Rank r receives the reduction over ranks 0 to r. */
    public static final Operation<Call.Scan> SCAN = new Operation<>("scan", Call.Scan.class, false, true);
    /** Every rank receives its block of the root's data; all blocks have one size. */
    public static final Operation<Call.Scatter> SCATTER = new Operation<>("scatter", Call.Scatter.class, true, true);
    /** Every rank receives its block of the root's data; only the root knows all sizes and displacements. */
    public static final Operation<Call.Scatter> SCATTERV = new Operation<>("scatterv", Call.Scatter.class, true, false);

    private static final List<Operation<?>> VALUES = List.copyOf(ALL);

    private final String id;
    private final Class<C> callType;
    private final boolean inter;
    private final boolean skipsEmpty;
    private final int ordinal;

    private Operation(final String id, final Class<C> callType, final boolean inter, final boolean skipsEmpty) {
        this.id = id;
        this.callType = callType;
        this.inter = inter;
        this.skipsEmpty = skipsEmpty;
        this.ordinal = ALL.size();
        ALL.add(this);
    }

    /** Returns all operations in the order of their {@link #ordinal()}, which is alphabetical. */
    public static List<Operation<?>> values() {
        return VALUES;
    }

    /**
     * Returns the operation with an id.
     *
     * @param id for example {@code reduce_scatter}
     * @throws IllegalArgumentException if there is none; the message lists the known ids
     */
    public static Operation<?> of(final String id) {
        for (final Operation<?> o : VALUES) {
            if (o.id.equals(id)) {
                return o;
            }
        }
        throw new IllegalArgumentException("no such operation: name=" + id + ", known=" + VALUES);
    }

    /** Returns the id in lower case, as used in parameters, for example {@code reduce_scatter}. */
    public String id() {
        return id;
    }

    /** Returns the type of the operation's calls. */
    public Class<C> callType() {
        return callType;
    }

    /** Returns whether MPI defines the operation on intercommunicators. */
    public boolean onIntercommunicators() {
        return inter;
    }

    /**
     * Returns whether a call on an intracommunicator in which a rank has no data returns at once, without a plan: then no rank has any. On an
     * intercommunicator some ranks do not know whether there is data, so every call is planned.
     */
    public boolean skipsEmpty() {
        return skipsEmpty;
    }

    /** Returns the index of this operation in {@link #values()}. */
    public int ordinal() {
        return ordinal;
    }

    @Override
    public int compareTo(final Operation<?> other) {
        return Integer.compare(ordinal, other.ordinal);
    }

    @Override
    public String toString() {
        return id;
    }
}
