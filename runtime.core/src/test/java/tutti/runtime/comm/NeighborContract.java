package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;
import tutti.runtime.collective.AllToAllCollectives;
import tutti.runtime.collective.Collectives;
import tutti.runtime.collective.Neighborhood;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.Reserved;

/**
 * The contract of the neighbourhood collectives: exact answers for one rank of a topology that is given by all of its edges. Memory that is in
 * no block, in a block of PROC_NULL or in a gap of a type stays unchanged.
 */
public final class NeighborContract {
    /** Two ints of every four. */
    private static final Datatype GAPPED = Datatype.resized(Datatype.vector(2, 1, 2, Datatype.INT), 0, 16);
    private static final int UNTOUCHED = -1;

    /**
     * An edge from a block that one rank sends to the block in which another receives it.
     *
     * @param fromBlock index among the blocks of the sending rank
     * @param toBlock   index among the blocks of the receiving rank
     */
    record Edge(int from, int fromBlock, int to, int toBlock) {}

    /**
     * A topology.
     *
     * @param out   number of blocks that each rank sends, including those to PROC_NULL
     * @param in    number of blocks that each rank receives, including those from PROC_NULL
     * @param edges all edges
     */
    record Topology(String name, int[] out, int[] in, List<Edge> edges) {
        @Override
        public String toString() {
            return name;
        }
    }

    private final Topology topology;
    private final int me;
    private final AllToAllCollectives<?> c;
    private final String what;

    NeighborContract(final Topology topology, final Communicator comm, final AllToAllCollectives<?> c, final String mode) {
        this.topology = topology;
        this.me = comm.rank();
        this.c = c;
        this.what = topology + ", " + mode + ", rank " + me + " of " + comm.size();
    }

    /**
     * Checks every operation on a ring and on a graph.
     *
     * @param c    collectives of the communicator, in some mode
     * @param mode name of the mode
     * @throws AssertionError when an answer differs; it names the operation
     */
    public static void check(final Communicator comm, final Collectives<?> c, final String mode) {
        for (final Topology topology : List.of(grid(new int[] {comm.size()}, 1), graph(comm.size()))) {
            new NeighborContract(topology, comm, c.among(neighborhood(topology, comm.rank())), mode).check(3);
        }
    }

    /**
     * Checks every operation.
     *
     * @param n elements per block
     */
    void check(final int n) {
        for (final Datatype type : List.of(Datatype.INT, GAPPED)) {
            allgather(n, type);
            allgatherv(n, type);
            alltoall(n, type);
            alltoallv(n, type);
        }
        alltoallw(n);
    }

    private static int ints(final Datatype type) {
        return (int) type.extent() / Integer.BYTES;
    }

    private static int value(final int rank, final int block, final int i) {
        return 1 + 10_000 * rank + 100 * block + i;
    }

    /** Writes the data of a block into a buffer; of elements with gaps the first and third int are data. */
    private static void put(final int[] buffer, final int at, final int count, final Datatype type, final int rank, final int block) {
        final int step = ints(type);
        for (int i = 0; i < count; i++) {
            buffer[at + i * step] = value(rank, block, 2 * i);
            if (step > 1) {
                buffer[at + i * step + 2] = value(rank, block, 2 * i + 1);
            }
        }
    }

    private static int[] untouched(final int length) {
        final int[] buffer = new int[length];
        Arrays.fill(buffer, UNTOUCHED);
        return buffer;
    }

    private List<Edge> arriving() {
        return topology.edges.stream().filter(e -> e.to == me).toList();
    }

    private List<Edge> leaving() {
        return topology.edges.stream().filter(e -> e.from == me).toList();
    }

    private void allgather(final int n, final Datatype type) {
        final int size = n * ints(type);
        final int[] send = untouched(size);
        put(send, 0, n, type, me, 0);
        final int[] expected = untouched(size * topology.in[me] + 1);
        arriving().forEach(e -> put(expected, e.toBlock * size, n, type, e.from, 0));
        final int[] recv = untouched(expected.length);
        c.allgather(send, n, type, recv, n, type).await();
        assertArrayEquals(expected, recv, () -> "allgather of " + type.name() + ": " + what);
    }

    private void alltoall(final int n, final Datatype type) {
        final int size = n * ints(type);
        final int[] send = untouched(size * topology.out[me]);
        leaving().forEach(e -> put(send, e.fromBlock * size, n, type, me, e.fromBlock));
        final int[] expected = untouched(size * topology.in[me] + 1);
        arriving().forEach(e -> put(expected, e.toBlock * size, n, type, e.from, e.fromBlock));
        final int[] recv = untouched(expected.length);
        c.alltoall(send, n, type, recv, n, type).await();
        assertArrayEquals(expected, recv, () -> "alltoall of " + type.name() + ": " + what);
    }

    private static int count(final int n, final Edge e) {
        return n == 0 ? 0 : (e.from + 2 * e.to + e.fromBlock) % (n + 2);
    }

    private static long[] counts(final int blocks, final List<Edge> edges, final ToIntFunction<Edge> block, final int n,
        final boolean bySender) {
        final long[] counts = new long[blocks];
        Arrays.fill(counts, n);
        edges.forEach(e -> counts[block.applyAsInt(e)] = bySender ? ofSender(n, e.from) : count(n, e));
        return counts;
    }

    private static int ofSender(final int n, final int rank) {
        return n == 0 ? 0 : (rank + 1) % (n + 1);
    }

    /** Returns displacements of blocks in falling order, with an element between them. */
    private static long[] places(final long[] counts, final IntUnaryOperator step) {
        final long[] places = new long[counts.length];
        long next = 0;
        for (int i = counts.length - 1; i >= 0; i--) {
            places[i] = next;
            next += (counts[i] + 1) * step.applyAsInt(i);
        }
        return places;
    }

    private static int length(final long[] counts, final long[] places, final IntUnaryOperator step, final int unit) {
        return counts.length == 0 ? 0 : (int) ((places[0] + (counts[0] + 1) * step.applyAsInt(0)) * unit);
    }

    private void allgatherv(final int n, final Datatype type) {
        final int own = ofSender(n, me);
        final int[] send = untouched(own * ints(type));
        put(send, 0, own, type, me, 0);
        final long[] counts = counts(topology.in[me], arriving(), Edge::toBlock, n, true);
        final long[] displs = places(counts, i -> 1);
        final int[] expected = untouched(length(counts, displs, i -> 1, ints(type)));
        arriving().forEach(e -> put(expected, (int) displs[e.toBlock] * ints(type), ofSender(n, e.from), type, e.from, 0));
        final int[] recv = untouched(expected.length);
        c.allgatherv(send, own, type, recv, counts, displs, type).await();
        assertArrayEquals(expected, recv, () -> "allgatherv of " + type.name() + ": " + what);
    }

    private void alltoallv(final int n, final Datatype type) {
        final int step = ints(type);
        final long[] sendCounts = counts(topology.out[me], leaving(), Edge::fromBlock, n, false);
        final long[] sendDispls = places(sendCounts, i -> 1);
        final int[] send = untouched(length(sendCounts, sendDispls, i -> 1, step));
        leaving().forEach(e -> put(send, (int) sendDispls[e.fromBlock] * step, count(n, e), type, me, e.fromBlock));
        final long[] counts = counts(topology.in[me], arriving(), Edge::toBlock, n, false);
        final long[] displs = places(counts, i -> 1);
        final int[] expected = untouched(length(counts, displs, i -> 1, step));
        arriving().forEach(e -> put(expected, (int) displs[e.toBlock] * step, count(n, e), type, e.from, e.fromBlock));
        final int[] recv = untouched(expected.length);
        c.alltoallv(send, sendCounts, sendDispls, type, recv, counts, displs, type).await();
        assertArrayEquals(expected, recv, () -> "alltoallv of " + type.name() + ": " + what);
    }

    private static Datatype typeOf(final Edge e) {
        return (e.from + e.to) % 2 == 0 ? Datatype.INT : GAPPED;
    }

    private static Datatype[] types(final int blocks, final List<Edge> edges, final ToIntFunction<Edge> block) {
        final Datatype[] types = new Datatype[blocks];
        Arrays.fill(types, GAPPED);
        edges.forEach(e -> types[block.applyAsInt(e)] = typeOf(e));
        return types;
    }

    private void alltoallw(final int n) {
        final Datatype[] sendTypes = types(topology.out[me], leaving(), Edge::fromBlock);
        final long[] sendCounts = counts(topology.out[me], leaving(), Edge::fromBlock, n, false);
        final long[] sendAt = places(sendCounts, i -> ints(sendTypes[i]));
        final int[] send = untouched(length(sendCounts, sendAt, i -> ints(sendTypes[i]), 1));
        leaving().forEach(e -> put(send, (int) sendAt[e.fromBlock], count(n, e), typeOf(e), me, e.fromBlock));
        final Datatype[] types = types(topology.in[me], arriving(), Edge::toBlock);
        final long[] counts = counts(topology.in[me], arriving(), Edge::toBlock, n, false);
        final long[] at = places(counts, i -> ints(types[i]));
        final int[] expected = untouched(length(counts, at, i -> ints(types[i]), 1));
        arriving().forEach(e -> put(expected, (int) at[e.toBlock], count(n, e), typeOf(e), e.from, e.fromBlock));
        final int[] recv = untouched(expected.length);
        c.alltoallw(send, sendCounts, bytes(sendAt), sendTypes, recv, counts, bytes(at), types).await();
        assertArrayEquals(expected, recv, () -> "alltoallw: " + what);
    }

    private static long[] bytes(final long[] ints) {
        return Arrays.stream(ints).map(i -> i * Integer.BYTES).toArray();
    }

    /**
     * Returns a grid in row-major order. Data sent towards lower coordinates is received as from higher ones.
     *
     * @param periodic bit i: dimension i is periodic
     */
    static Topology grid(final int[] dims, final int periodic) {
        final int size = Arrays.stream(dims).reduce(1, (a, b) -> a * b);
        final List<Edge> edges = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            int stride = size;
            for (int d = 0; d < dims.length; d++) {
                stride /= dims[d];
                final int at = rank / stride % dims[d];
                for (int up = 0; up < 2; up++) {
                    final int next = at + 2 * up - 1;
                    final int wrapped = Math.floorMod(next, dims[d]);
                    if (next == wrapped || (periodic >> d & 1) == 1) {
                        edges.add(new Edge(rank, 2 * d + up, rank + (wrapped - at) * stride, 2 * d + 1 - up));
                    }
                }
            }
        }
        final int[] blocks = new int[size];
        Arrays.fill(blocks, 2 * dims.length);
        return new Topology("grid " + Arrays.toString(dims) + " periodic " + Integer.toBinaryString(periodic), blocks, blocks, edges);
    }

    /** Returns a graph with edges of a rank to itself, duplicate edges, and ranks without any; the sources of a rank are in falling order. */
    static Topology graph(final int size) {
        final int[] out = new int[size];
        final int[] in = new int[size];
        final List<Edge> edges = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            final int from = size - 1 - i;
            for (final int to : from % 3 == 2 ? new int[0] : new int[] {2 * from % size, 0, from, 2 * from % size}) {
                edges.add(new Edge(from, out[from]++, to, in[to]++));
            }
        }
        return new Topology("graph", out, in, edges);
    }

    /** Returns the neighbours of a rank as lists. */
    static Neighborhood neighborhood(final Topology topology, final int rank) {
        final int[] sources = new int[topology.in[rank]];
        final int[] destinations = new int[topology.out[rank]];
        Arrays.fill(sources, Reserved.PROC_NULL);
        Arrays.fill(destinations, Reserved.PROC_NULL);
        for (final Edge e : topology.edges) {
            if (e.from == rank) {
                destinations[e.fromBlock] = e.to;
            }
            if (e.to == rank) {
                sources[e.toBlock] = e.from;
            }
        }
        return topology.name.startsWith("grid") ? Neighborhood.opposite(destinations) : Neighborhood.of(sources, destinations);
    }
}
