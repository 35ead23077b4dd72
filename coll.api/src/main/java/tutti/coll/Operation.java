package tutti.coll;

import java.util.ArrayList;
import java.util.List;

/**
 * A collective operation, typed by the call that it takes. The constants here are all there are.
 *
 * <p>A table of algorithms is keyed by these constants, so an algorithm for one operation cannot be filed under another.
 * Immutable; safe for any thread.
 *
 * @param <C> what a call of the operation carries
 */
public final class Operation<C extends Call> implements Comparable<Operation<?>> {
    private static final List<Operation<?>> ALL = new ArrayList<>();

    /** Every rank gets every rank's block, blocks of one size. */
    public static final Operation<Call.Allgather> ALLGATHER = new Operation<>("allgather", Call.Allgather.class, true);
    /** Every rank gets every rank's block, sizes and places per rank. */
    public static final Operation<Call.Allgather> ALLGATHERV = new Operation<>("allgatherv", Call.Allgather.class, true);
    /** Every rank gets the reduction of all contributions. */
    public static final Operation<Call.Allreduce> ALLREDUCE = new Operation<>("allreduce", Call.Allreduce.class, true);
    /** Every rank sends a block to every rank, blocks of one size. */
    public static final Operation<Call.Alltoall> ALLTOALL = new Operation<>("alltoall", Call.Alltoall.class, true);
    /** Every rank sends a block to every rank, sizes and places per rank. */
    public static final Operation<Call.Alltoall> ALLTOALLV = new Operation<>("alltoallv", Call.Alltoall.class, true);
    /** Every rank sends a block to every rank, sizes, places and types per rank. */
    public static final Operation<Call.Alltoall> ALLTOALLW = new Operation<>("alltoallw", Call.Alltoall.class, true);
    /** No rank leaves before every rank has entered. */
    public static final Operation<Call.Barrier> BARRIER = new Operation<>("barrier", Call.Barrier.class, true);
    /** The root's data on every rank. */
    public static final Operation<Call.Bcast> BCAST = new Operation<>("bcast", Call.Bcast.class, true);
    /** Rank r gets the reduction over ranks 0 to r-1; rank 0 gets nothing. */
    public static final Operation<Call.Scan> EXSCAN = new Operation<>("exscan", Call.Scan.class, false);
    /** The root gets every rank's block, blocks of one size. */
    public static final Operation<Call.Gather> GATHER = new Operation<>("gather", Call.Gather.class, true);
    /** The root gets every rank's block, sizes and places known to the root alone. */
    public static final Operation<Call.Gather> GATHERV = new Operation<>("gatherv", Call.Gather.class, true);
    /** Every rank's block goes to its neighbours, blocks of one size. */
    public static final Operation<Call.NeighborAllgather> NEIGHBOR_ALLGATHER =
        new Operation<>("neighbor_allgather", Call.NeighborAllgather.class, false);
    /** Every rank's block goes to its neighbours, sizes and places per source. */
    public static final Operation<Call.NeighborAllgather> NEIGHBOR_ALLGATHERV =
        new Operation<>("neighbor_allgatherv", Call.NeighborAllgather.class, false);
    /** Every rank sends a block to each of its neighbours, blocks of one size. */
    public static final Operation<Call.NeighborAlltoall> NEIGHBOR_ALLTOALL =
        new Operation<>("neighbor_alltoall", Call.NeighborAlltoall.class, false);
    /** Every rank sends a block to each of its neighbours, sizes and places per neighbour. */
    public static final Operation<Call.NeighborAlltoall> NEIGHBOR_ALLTOALLV =
        new Operation<>("neighbor_alltoallv", Call.NeighborAlltoall.class, false);
    /** Every rank sends a block to each of its neighbours, sizes, places and types per neighbour. */
    public static final Operation<Call.NeighborAlltoall> NEIGHBOR_ALLTOALLW =
        new Operation<>("neighbor_alltoallw", Call.NeighborAlltoall.class, false);
    /** The root gets the reduction of all contributions. */
    public static final Operation<Call.Reduce> REDUCE = new Operation<>("reduce", Call.Reduce.class, true);
    /** Rank r gets block r of the reduction of all contributions, sizes per rank. */
    public static final Operation<Call.ReduceScatter> REDUCE_SCATTER = new Operation<>("reduce_scatter", Call.ReduceScatter.class, true);
    /** Rank r gets block r of the reduction of all contributions, blocks of one size. */
    public static final Operation<Call.ReduceScatter> REDUCE_SCATTER_BLOCK =
        new Operation<>("reduce_scatter_block", Call.ReduceScatter.class, true);
    /** Rank r gets the reduction over ranks 0 to r. */
    public static final Operation<Call.Scan> SCAN = new Operation<>("scan", Call.Scan.class, false);
    /** Every rank gets its block of the root's data, blocks of one size. */
    public static final Operation<Call.Scatter> SCATTER = new Operation<>("scatter", Call.Scatter.class, true);
    /** Every rank gets its block of the root's data, sizes and places known to the root alone. */
    public static final Operation<Call.Scatter> SCATTERV = new Operation<>("scatterv", Call.Scatter.class, true);

    private static final List<Operation<?>> VALUES = List.copyOf(ALL);

    private final String id;
    private final Class<C> callType;
    private final boolean inter;
    private final int ordinal;

    private Operation(final String id, final Class<C> callType, final boolean inter) {
        this.id = id;
        this.callType = callType;
        this.inter = inter;
        this.ordinal = ALL.size();
        ALL.add(this);
    }

    /** All operations, in the order of their {@link #ordinal()}. */
    public static List<Operation<?>> values() {
        return VALUES;
    }

    /**
     * The operation of that id.
     *
     * @throws IllegalArgumentException when there is none; the message lists those that exist
     */
    public static Operation<?> of(final String id) {
        for (final Operation<?> o : VALUES) {
            if (o.id.equals(id)) {
                return o;
            }
        }
        throw new IllegalArgumentException("no such operation: name=" + id + ", known=" + VALUES);
    }

    /** The id in lower case as in parameters, {@code reduce_scatter} for one. */
    public String id() {
        return id;
    }

    /** The record that carries a call. */
    public Class<C> callType() {
        return callType;
    }

    /** Whether MPI defines the operation on intercommunicators. */
    public boolean onIntercommunicators() {
        return inter;
    }

    /** A dense index from 0, for tables. */
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
