package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import tutti.coll.Operation;
import tutti.runtime.collective.Collectives;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.Reserved;

/**
 * The contract of every collective, independent of the module that serves it: exact answers against values computed without communication, in
 * place and not, for one rank of a communicator. The caller chooses blocking or not by its {@link Collectives}.
 *
 * <p>For the thread of the rank. {@link tutti.runtime.ContractSuite} runs it in all relevant shapes.
 */
public final class CollectivesContract {
    private static final Object IN_PLACE = Reserved.IN_PLACE;
    private static final Map<Operation<?>, Consumer<CollectivesContract>> CHECKS = new TreeMap<>(Map.ofEntries(
        Map.entry(Operation.ALLGATHER, CollectivesContract::allgather),
        Map.entry(Operation.ALLGATHERV, CollectivesContract::allgatherv),
        Map.entry(Operation.ALLREDUCE, CollectivesContract::allreduce),
        Map.entry(Operation.ALLTOALL, CollectivesContract::alltoall),
        Map.entry(Operation.ALLTOALLV, CollectivesContract::alltoallv),
        Map.entry(Operation.ALLTOALLW, CollectivesContract::alltoallw),
        Map.entry(Operation.BARRIER, CollectivesContract::barrier),
        Map.entry(Operation.BCAST, CollectivesContract::bcast),
        Map.entry(Operation.EXSCAN, CollectivesContract::exscan),
        Map.entry(Operation.GATHER, CollectivesContract::gather),
        Map.entry(Operation.GATHERV, CollectivesContract::gatherv),
        Map.entry(Operation.REDUCE, CollectivesContract::reduce),
        Map.entry(Operation.REDUCE_SCATTER, CollectivesContract::reduceScatter),
        Map.entry(Operation.REDUCE_SCATTER_BLOCK, CollectivesContract::reduceScatterBlock),
        Map.entry(Operation.SCAN, CollectivesContract::scan),
        Map.entry(Operation.SCATTER, CollectivesContract::scatter),
        Map.entry(Operation.SCATTERV, CollectivesContract::scatterv)));

    private final Collectives<?> c;
    private final int p;
    private final int me;
    private final int n;
    private final int root;

    /**
     * Creates the contract for a communicator, which all of its ranks check alike.
     *
     * @param c     collectives of the communicator, blocking or not
     * @param count elements per block
     * @param root  root of the operations that have one
     */
    public CollectivesContract(final Communicator comm, final Collectives<?> c, final int count, final int root) {
        this.c = c;
        this.p = comm.size();
        this.me = comm.rank();
        this.n = count;
        this.root = root;
    }

    /** Returns the operations that have a contract in this class: all except neighbourhood collectives. */
    public static Collection<Operation<?>> operations() {
        return CHECKS.keySet();
    }

    /**
     * Checks every operation.
     *
     * @throws AssertionError when an answer differs; it names the operation
     */
    public void check() {
        check(CHECKS.keySet());
    }

    /**
     * Checks some operations, each of which is among {@link #operations()}.
     *
     * @throws AssertionError as {@link #check()}
     */
    public void check(final Collection<Operation<?>> some) {
        some.forEach(o -> CHECKS.get(o).accept(this));
    }

    private static long value(final int rank, final int i) {
        return 1_000_003L * (rank + 1) + 31L * i;
    }

    private static long[] of(final int rank, final int count) {
        final long[] data = new long[count];
        Arrays.setAll(data, i -> value(rank, i));
        return data;
    }

    /** Returns one block per rank in rank order, as received by rank {@code salt}. */
    private long[] all(final int salt, final int[] counts, final int[] displs, final int length) {
        final long[] data = new long[length];
        Arrays.fill(data, -1);
        for (int r = 0; r < p; r++) {
            System.arraycopy(of(r + salt, counts[r]), 0, data, displs[r], counts[r]);
        }
        return data;
    }

    private int[] uniform() {
        final int[] counts = new int[p];
        Arrays.fill(counts, n);
        return counts;
    }

    private int[] uneven() {
        final int[] counts = new int[p];
        Arrays.setAll(counts, r -> (n + r) % 5 == 0 ? 0 : n % 100 + r);
        return counts;
    }

    /** Returns displacements with a gap of one element after each block. */
    private static int[] gapped(final int[] counts) {
        final int[] displs = new int[counts.length];
        for (int i = 1; i < displs.length; i++) {
            displs[i] = displs[i - 1] + counts[i - 1] + 1;
        }
        return displs;
    }

    private static int end(final int[] counts, final int[] displs) {
        return displs[displs.length - 1] + counts[counts.length - 1] + 1;
    }

    private int[] dense() {
        final int[] displs = new int[p];
        Arrays.setAll(displs, r -> r * n);
        return displs;
    }

    private void barrier() {
        c.barrier().await();
    }

    private void bcast() {
        final long[] data = me == root ? of(root, n) : new long[n];
        c.bcast(data, n, Datatype.LONG, root).await();
        assertArrayEquals(of(root, n), data, "bcast");
    }

    private void gather() {
        final long[] expected = all(0, uniform(), dense(), n * p);
        final long[] into = me == root ? new long[n * p] : null;
        c.gather(of(me, n), n, Datatype.LONG, into, n, Datatype.LONG, root).await();
        if (me == root) {
            assertArrayEquals(expected, into, "gather");
        }
        final long[] place = filled(n * p);
        System.arraycopy(of(me, n), 0, place, me * n, n);
        c.gather(me == root ? IN_PLACE : of(me, n), n, Datatype.LONG, me == root ? place : null, n, Datatype.LONG, root).await();
        if (me == root) {
            assertArrayEquals(expected, place, "gather in place");
        }
    }

    private void gatherv() {
        final int[] counts = uneven();
        final int[] displs = gapped(counts);
        final long[] expected = all(0, counts, displs, end(counts, displs));
        final long[] into = filled(expected.length);
        c.gatherv(of(me, counts[me]), counts[me], Datatype.LONG, me == root ? into : null, longs(counts), longs(displs), Datatype.LONG, root).await();
        if (me == root) {
            assertArrayEquals(expected, into, "gatherv");
        }
        final long[] place = filled(expected.length);
        System.arraycopy(of(me, counts[me]), 0, place, displs[me], counts[me]);
        c.gatherv(me == root ? IN_PLACE : of(me, counts[me]), counts[me], Datatype.LONG,
            place, longs(counts), longs(displs), Datatype.LONG, root).await();
        if (me == root) {
            assertArrayEquals(expected, place, "gatherv in place");
        }
    }

    private static long[] longs(final int... values) {
        return Arrays.stream(values).asLongStream().toArray();
    }

    private static long[] filled(final int length) {
        final long[] data = new long[length];
        Arrays.fill(data, -1);
        return data;
    }

    private void scatter() {
        final long[] from = me == root ? all(0, uniform(), dense(), n * p) : null;
        final long[] into = new long[n];
        c.scatter(from, n, Datatype.LONG, into, n, Datatype.LONG, root).await();
        assertArrayEquals(of(me, n), into, "scatter");
        final long[] again = new long[n];
        c.scatter(from, n, Datatype.LONG, me == root ? IN_PLACE : again, n, Datatype.LONG, root).await();
        if (me != root) {
            assertArrayEquals(of(me, n), again, "scatter in place");
        }
    }

    private void scatterv() {
        final int[] counts = uneven();
        final int[] displs = gapped(counts);
        final long[] from = me == root ? all(0, counts, displs, end(counts, displs)) : null;
        final long[] into = new long[counts[me]];
        c.scatterv(from, longs(counts), longs(displs), Datatype.LONG, into, counts[me], Datatype.LONG, root).await();
        assertArrayEquals(of(me, counts[me]), into, "scatterv");
        c.scatterv(from, longs(counts), longs(displs), Datatype.LONG, me == root ? IN_PLACE : into, counts[me], Datatype.LONG, root).await();
        assertArrayEquals(of(me, counts[me]), into, "scatterv in place");
    }

    private void allgather() {
        final long[] expected = all(0, uniform(), dense(), n * p);
        final long[] into = new long[n * p];
        c.allgather(of(me, n), n, Datatype.LONG, into, n, Datatype.LONG).await();
        assertArrayEquals(expected, into, "allgather");
        final long[] place = new long[n * p];
        System.arraycopy(of(me, n), 0, place, me * n, n);
        c.allgather(IN_PLACE, 0, Datatype.LONG, place, n, Datatype.LONG).await();
        assertArrayEquals(expected, place, "allgather in place");
    }

    private void allgatherv() {
        final int[] counts = uneven();
        final int[] displs = gapped(counts);
        final long[] expected = all(0, counts, displs, end(counts, displs));
        final long[] into = filled(expected.length);
        c.allgatherv(of(me, counts[me]), counts[me], Datatype.LONG, into, longs(counts), longs(displs), Datatype.LONG).await();
        assertArrayEquals(expected, into, "allgatherv");
        final long[] place = filled(expected.length);
        System.arraycopy(of(me, counts[me]), 0, place, displs[me], counts[me]);
        c.allgatherv(IN_PLACE, 0, Datatype.LONG, place, longs(counts), longs(displs), Datatype.LONG).await();
        assertArrayEquals(expected, place, "allgatherv in place");
    }

    /** Returns the data that {@code from} sends to {@code to} in the alltoall family. */
    private static long pair(final int from, final int to, final int i) {
        return 1_000_000L * from + 1000L * to + i;
    }

    private long[] pairs(final boolean outgoing, final int[] counts, final int[] displs, final int length) {
        final long[] data = filled(length);
        for (int r = 0; r < p; r++) {
            for (int i = 0; i < counts[r]; i++) {
                data[displs[r] + i] = outgoing ? pair(me, r, i) : pair(r, me, i);
            }
        }
        return data;
    }

    private void alltoall() {
        final long[] into = new long[n * p];
        final long[] expected = pairs(false, uniform(), dense(), n * p);
        c.alltoall(pairs(true, uniform(), dense(), n * p), n, Datatype.LONG, into, n, Datatype.LONG).await();
        assertArrayEquals(expected, into, "alltoall");
        final long[] place = pairs(true, uniform(), dense(), n * p);
        c.alltoall(IN_PLACE, 0, Datatype.LONG, place, n, Datatype.LONG).await();
        assertArrayEquals(expected, place, "alltoall in place");
    }

    /** Returns symmetric counts, which are also valid in place. */
    private int[] between() {
        final int[] counts = new int[p];
        Arrays.setAll(counts, r -> (n % 50 + r + me) % 7);
        return counts;
    }

    private void alltoallv() {
        final int[] counts = between();
        final int[] displs = gapped(counts);
        final long[] expected = pairs(false, counts, displs, end(counts, displs));
        final long[] into = filled(expected.length);
        c.alltoallv(pairs(true, counts, displs, expected.length), longs(counts), longs(displs), Datatype.LONG,
            into, longs(counts), longs(displs), Datatype.LONG).await();
        assertArrayEquals(expected, into, "alltoallv");
        final long[] place = pairs(true, counts, displs, expected.length);
        c.alltoallv(IN_PLACE, null, null, null, place, longs(counts), longs(displs), Datatype.LONG).await();
        assertArrayEquals(expected, place, "alltoallv in place");
    }

    private void alltoallw() {
        final int[] counts = between();
        final int[] displs = gapped(counts);
        final int[] bytes = new int[p];
        Arrays.setAll(bytes, r -> 8 * displs[r]);
        final Datatype[] types = new Datatype[p];
        Arrays.setAll(types, r -> (r + me) % 2 == 0 ? Datatype.LONG : Datatype.contiguous(1, Datatype.LONG));
        final long[] expected = pairs(false, counts, displs, end(counts, displs));
        final long[] into = filled(expected.length);
        c.alltoallw(pairs(true, counts, displs, expected.length), longs(counts), longs(bytes), types,
            into, longs(counts), longs(bytes), types).await();
        assertArrayEquals(expected, into, "alltoallw");
        final long[] place = pairs(true, counts, displs, expected.length);
        c.alltoallw(IN_PLACE, null, null, null, place, longs(counts), longs(bytes), types).await();
        assertArrayEquals(expected, place, "alltoallw in place");
    }

    private static long[] sum(final int from, final int to, final int first, final int count) {
        final long[] data = new long[count];
        for (int r = from; r < to; r++) {
            for (int i = 0; i < count; i++) {
                data[i] += value(r, first + i);
            }
        }
        return data;
    }

    private void reduce() {
        final long[] into = new long[n];
        c.reduce(of(me, n), me == root ? into : null, n, Datatype.LONG, Op.SUM, root).await();
        if (me == root) {
            assertArrayEquals(sum(0, p, 0, n), into, "reduce");
        }
        final long[] place = of(me, n);
        c.reduce(me == root ? IN_PLACE : place, me == root ? place : null, n, Datatype.LONG, Op.SUM, root).await();
        assertArrayEquals(me == root ? sum(0, p, 0, n) : of(me, n), place, "reduce in place");
        final long[] maps = new long[2 * n];
        c.reduce(LinearMaps.of(me, 0, n), me == root ? maps : null, n, LinearMaps.MAP, LinearMaps.COMPOSE, root).await();
        if (me == root) {
            assertArrayEquals(LinearMaps.composed(0, p, 0, n), maps, "reduce in rank order");
        }
    }

    private void allreduce() {
        final long[] into = new long[n];
        c.allreduce(of(me, n), into, n, Datatype.LONG, Op.SUM).await();
        assertArrayEquals(sum(0, p, 0, n), into, "allreduce");
        final long[] all = of(me, n);
        c.allreduce(IN_PLACE, all, n, Datatype.LONG, Op.SUM).await();
        assertArrayEquals(sum(0, p, 0, n), all, "allreduce in place");
        final long[] maps = new long[2 * n];
        c.allreduce(LinearMaps.of(me, 0, n), maps, n, LinearMaps.MAP, LinearMaps.COMPOSE).await();
        assertArrayEquals(LinearMaps.composed(0, p, 0, n), maps, "allreduce in rank order");
        minimaWithPlaces();
    }

    private void scan() {
        final long[] into = new long[n];
        c.scan(of(me, n), into, n, Datatype.LONG, Op.SUM).await();
        assertArrayEquals(sum(0, me + 1, 0, n), into, "scan");
        final long[] maps = LinearMaps.of(me, 0, n);
        c.scan(IN_PLACE, maps, n, LinearMaps.MAP, LinearMaps.COMPOSE).await();
        assertArrayEquals(LinearMaps.composed(0, me + 1, 0, n), maps, "scan in rank order");
    }

    private void exscan() {
        final long[] before = of(me, n);
        c.exscan(IN_PLACE, before, n, Datatype.LONG, Op.SUM).await();
        assertArrayEquals(me == 0 ? of(0, n) : sum(0, me, 0, n), before, "exscan in place");
        final long[] maps = new long[2 * n];
        c.exscan(LinearMaps.of(me, 0, n), maps, n, LinearMaps.MAP, LinearMaps.COMPOSE).await();
        if (me > 0) {
            assertArrayEquals(LinearMaps.composed(0, me, 0, n), maps, "exscan in rank order");
        }
    }

    private void reduceScatterBlock() {
        final long[] block = new long[n];
        c.reduceScatterBlock(of(me, n * p), block, n, Datatype.LONG, Op.SUM).await();
        assertArrayEquals(sum(0, p, me * n, n), block, "reduce_scatter_block");
        final long[] place = of(me, n * p);
        c.reduceScatterBlock(IN_PLACE, place, n, Datatype.LONG, Op.SUM).await();
        assertArrayEquals(sum(0, p, me * n, n), Arrays.copyOf(place, n), "reduce_scatter_block in place");
        final long[] maps = new long[2 * n];
        c.reduceScatterBlock(LinearMaps.of(me, 0, n * p), maps, n, LinearMaps.MAP, LinearMaps.COMPOSE).await();
        assertArrayEquals(LinearMaps.composed(0, p, me * n, n), maps, "reduce_scatter_block in rank order");
    }

    private void reduceScatter() {
        final int[] counts = uneven();
        final int first = Arrays.stream(counts, 0, me).sum();
        final int total = Arrays.stream(counts).sum();
        final long[] own = new long[counts[me]];
        c.reduceScatter(of(me, total), own, longs(counts), Datatype.LONG, Op.SUM).await();
        assertArrayEquals(sum(0, p, first, counts[me]), own, "reduce_scatter");
        final long[] place = of(me, total);
        c.reduceScatter(IN_PLACE, place, longs(counts), Datatype.LONG, Op.SUM).await();
        assertArrayEquals(sum(0, p, first, counts[me]), Arrays.copyOf(place, counts[me]), "reduce_scatter in place");
        final long[] maps = new long[2 * counts[me]];
        c.reduceScatter(LinearMaps.of(me, 0, total), maps, longs(counts), LinearMaps.MAP, LinearMaps.COMPOSE).await();
        assertArrayEquals(LinearMaps.composed(0, p, first, counts[me]), maps, "reduce_scatter in rank order");
    }

    private void minimaWithPlaces() {
        final int[] mine = {(me * 7 + 3) % p, me};
        final int[] least = new int[2];
        c.allreduce(mine, least, 1, Datatype.INT2, Op.MINLOC).await();
        int best = 0;
        for (int r = 1; r < p; r++) {
            best = (r * 7 + 3) % p < (best * 7 + 3) % p ? r : best;
        }
        assertArrayEquals(new int[] {(best * 7 + 3) % p, best}, least, "allreduce MINLOC");
        final double[] values = {me, -me, 0.5};
        c.allreduce(IN_PLACE, values, 3, Datatype.DOUBLE, Op.MAX).await();
        assertArrayEquals(new double[] {p - 1, 0.0, 0.5}, values, "allreduce MAX");
    }
}
