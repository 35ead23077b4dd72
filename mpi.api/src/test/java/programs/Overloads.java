package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.IntBuffer;
import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Request;

/** Every overload of every collective operation, blocking on arrays and nonblocking on buffers, for each root. */
public final class Overloads {
    private static final Intracomm WORLD = MPI.COMM_WORLD;
    private static final Datatype INT = MPI.INT;
    private static final Op SUM = MPI.SUM;
    private static int p;
    private static int me;
    private static int root;

    private Overloads() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        p = WORLD.getSize();
        me = WORLD.getRank();
        for (root = 0; root < p; root++) {
            gathers();
            scatters();
            reductions();
        }
        allGathers();
        allToAlls();
        scans();
    }

    /** Returns {@code n} ints; entry i is {@code rank * 100 + i}. */
    private static int[] of(final int rank, final int n) {
        final int[] data = new int[n];
        for (int i = 0; i < n; i++) {
            data[i] = rank * 100 + i;
        }
        return data;
    }

    private static IntBuffer buffer(final int[] data) {
        return MPI.newIntBuffer(data.length).put(data);
    }

    private static int[] array(final IntBuffer buffer) {
        final int[] data = new int[buffer.capacity()];
        buffer.get(0, data);
        return data;
    }

    /** Waits, and compares. */
    private static void check(final int[] expected, final Request request, final IntBuffer got) throws MPIException {
        request.waitFor();
        assertArrayEquals(expected, array(got));
    }

    private static int[] counts() {
        final int[] counts = new int[p];
        Arrays.setAll(counts, r -> r + 1);
        return counts;
    }

    /** Returns displacements of blocks with a gap of one entry. */
    private static int[] displacements() {
        final int[] displs = new int[p];
        Arrays.setAll(displs, r -> r * (r + 1) / 2 + r);
        return displs;
    }

    private static int[] blocks() {
        final int[] all = new int[p * (p + 1) / 2 + p];
        for (int r = 0; r < p; r++) {
            System.arraycopy(of(r, r + 1), 0, all, displacements()[r], r + 1);
        }
        return all;
    }

    private static int[] equalBlocks() {
        final int[] all = new int[2 * p];
        for (int r = 0; r < p; r++) {
            System.arraycopy(of(r, 2), 0, all, 2 * r, 2);
        }
        return all;
    }

    private static int[] own(final int[] all, final int from, final int n) {
        final int[] mine = new int[all.length];
        System.arraycopy(all, from, mine, from, n);
        return mine;
    }

    private static void gathers() throws MPIException {
        final boolean isRoot = me == root;
        final int[] expected = isRoot ? equalBlocks() : new int[2 * p];
        final int[] all = new int[2 * p];
        WORLD.gather(of(me, 2), 2, INT, all, 2, INT, root);
        assertArrayEquals(expected, all);
        final IntBuffer all2 = MPI.newIntBuffer(2 * p);
        check(expected, WORLD.iGather(buffer(of(me, 2)), 2, INT, all2, 2, INT, root), all2);
        final int[] inPlace = isRoot ? own(expected, 2 * me, 2) : of(me, 2);
        final IntBuffer inPlace2 = buffer(inPlace);
        WORLD.gather(inPlace, 2, INT, root);
        assertArrayEquals(isRoot ? expected : of(me, 2), inPlace);
        check(inPlace, WORLD.iGather(inPlace2, 2, INT, root), inPlace2);

        final int[] expectedV = isRoot ? blocks() : new int[blocks().length];
        final int[] allV = new int[expectedV.length];
        WORLD.gatherv(of(me, me + 1), me + 1, INT, allV, counts(), displacements(), INT, root);
        assertArrayEquals(expectedV, allV);
        final IntBuffer allV2 = MPI.newIntBuffer(expectedV.length);
        check(expectedV, WORLD.iGatherv(buffer(of(me, me + 1)), me + 1, INT, allV2, counts(), displacements(), INT, root), allV2);
        if (isRoot) {
            final int[] mine = own(expectedV, displacements()[me], me + 1);
            final IntBuffer mine2 = buffer(mine);
            WORLD.gatherv(mine, counts(), displacements(), INT, root);
            assertArrayEquals(expectedV, mine);
            check(expectedV, WORLD.iGatherv(mine2, counts(), displacements(), INT, root), mine2);
        } else {
            WORLD.gatherv(of(me, me + 1), me + 1, INT, root);
            WORLD.iGatherv(buffer(of(me, me + 1)), me + 1, INT, root).waitFor();
        }
    }

    private static void scatters() throws MPIException {
        final boolean isRoot = me == root;
        final int[] data = isRoot ? equalBlocks() : null;
        final int[] got = new int[2];
        WORLD.scatter(data, 2, INT, got, 2, INT, root);
        assertArrayEquals(of(me, 2), got);
        final IntBuffer got2 = MPI.newIntBuffer(2);
        check(of(me, 2), WORLD.iScatter(isRoot ? buffer(data) : null, 2, INT, got2, 2, INT, root), got2);
        final int[] inPlace = isRoot ? equalBlocks() : new int[2];
        final IntBuffer inPlace2 = buffer(inPlace);
        WORLD.scatter(inPlace, 2, INT, root);
        assertArrayEquals(isRoot ? data : of(me, 2), inPlace);
        check(inPlace, WORLD.iScatter(inPlace2, 2, INT, root), inPlace2);

        final int[] gotV = new int[me + 1];
        WORLD.scatterv(blocks(), counts(), displacements(), INT, gotV, me + 1, INT, root);
        assertArrayEquals(of(me, me + 1), gotV);
        final IntBuffer gotV2 = MPI.newIntBuffer(me + 1);
        check(gotV, WORLD.iScatterv(buffer(blocks()), counts(), displacements(), INT, gotV2, me + 1, INT, root), gotV2);
        final IntBuffer gotV3 = MPI.newIntBuffer(me + 1);
        if (isRoot) {
            WORLD.scatterv(blocks(), counts(), displacements(), INT, root);
            WORLD.iScatterv(buffer(blocks()), counts(), displacements(), INT, root).waitFor();
        } else {
            Arrays.fill(gotV, -1);
            WORLD.scatterv(gotV, me + 1, INT, root);
            assertArrayEquals(of(me, me + 1), gotV);
            check(gotV, WORLD.iScatterv(gotV3, me + 1, INT, root), gotV3);
        }
    }

    /** Returns the sum of {@code of(r, n)} for ranks 0 to {@code last}. */
    private static int[] sum(final int last, final int n) {
        final int[] sum = new int[n];
        for (int r = 0; r <= last; r++) {
            final int rank = r;
            Arrays.setAll(sum, i -> sum[i] + of(rank, n)[i]);
        }
        return sum;
    }

    private static void reductions() throws MPIException {
        final boolean isRoot = me == root;
        final int[] data = isRoot ? of(root, 3) : new int[3];
        final IntBuffer data2 = buffer(data);
        WORLD.bcast(data, 3, INT, root);
        assertArrayEquals(of(root, 3), data);
        check(data, WORLD.iBcast(data2, 3, INT, root), data2);

        final int[] sum = new int[3];
        WORLD.reduce(of(me, 3), sum, 3, INT, SUM, root);
        assertArrayEquals(isRoot ? sum(p - 1, 3) : new int[3], sum);
        final IntBuffer sum2 = MPI.newIntBuffer(3);
        check(sum, WORLD.iReduce(buffer(of(me, 3)), sum2, 3, INT, SUM, root), sum2);
        final int[] inPlace = of(me, 3);
        WORLD.reduce(inPlace, 3, INT, SUM, root);
        assertArrayEquals(isRoot ? sum(p - 1, 3) : of(me, 3), inPlace);
        final IntBuffer inPlace2 = buffer(of(me, 3));
        check(inPlace, WORLD.iReduce(inPlace2, 3, INT, SUM, root), inPlace2);
    }

    private static void allGathers() throws MPIException {
        final int[] all = new int[2 * p];
        WORLD.allGather(of(me, 2), 2, INT, all, 2, INT);
        assertArrayEquals(equalBlocks(), all);
        final IntBuffer all2 = MPI.newIntBuffer(2 * p);
        check(all, WORLD.iAllGather(buffer(of(me, 2)), 2, INT, all2, 2, INT), all2);
        final int[] inPlace = own(equalBlocks(), 2 * me, 2);
        final IntBuffer inPlace2 = buffer(inPlace);
        WORLD.allGather(inPlace, 2, INT);
        assertArrayEquals(equalBlocks(), inPlace);
        check(inPlace, WORLD.iAllGather(inPlace2, 2, INT), inPlace2);

        final int[] allV = new int[blocks().length];
        WORLD.allGatherv(of(me, me + 1), me + 1, INT, allV, counts(), displacements(), INT);
        assertArrayEquals(blocks(), allV);
        final IntBuffer allV2 = MPI.newIntBuffer(allV.length);
        check(allV, WORLD.iAllGatherv(buffer(of(me, me + 1)), me + 1, INT, allV2, counts(), displacements(), INT), allV2);
        final int[] inPlaceV = own(blocks(), displacements()[me], me + 1);
        final IntBuffer inPlaceV2 = buffer(inPlaceV);
        WORLD.allGatherv(inPlaceV, counts(), displacements(), INT);
        assertArrayEquals(blocks(), inPlaceV);
        check(inPlaceV, WORLD.iAllGatherv(inPlaceV2, counts(), displacements(), INT), inPlaceV2);
        WORLD.barrier();
        WORLD.iBarrier().waitFor();
    }

    /** Returns the data that rank {@code r} receives: block s is {@code n} ints, the first {@code s * 100 + r * n}. */
    private static int[] transposed(final int r, final int n) {
        final int[] got = new int[n * p];
        for (int s = 0; s < p; s++) {
            System.arraycopy(of(s, n * p), r * n, got, s * n, n);
        }
        return got;
    }

    private static void allToAlls() throws MPIException {
        final int[] data = of(me, 2 * p);
        final int[] counts = new int[p];
        final int[] displs = new int[p];
        final int[] bytes = new int[p];
        final Datatype[] types = new Datatype[p];
        Arrays.fill(counts, 2);
        Arrays.fill(types, INT);
        Arrays.setAll(displs, r -> 2 * r);
        Arrays.setAll(bytes, r -> 8 * r);
        final int[] got = new int[2 * p];
        WORLD.allToAll(data, 2, INT, got, 2, INT);
        assertArrayEquals(transposed(me, 2), got);
        final IntBuffer got2 = MPI.newIntBuffer(2 * p);
        check(got, WORLD.iAllToAll(buffer(data), 2, INT, got2, 2, INT), got2);
        final int[] gotV = new int[2 * p];
        WORLD.allToAllv(data, counts, displs, INT, gotV, counts, displs, INT);
        assertArrayEquals(got, gotV);
        final IntBuffer gotV2 = MPI.newIntBuffer(2 * p);
        check(got, WORLD.iAllToAllv(buffer(data), counts, displs, INT, gotV2, counts, displs, INT), gotV2);
        final int[] gotW = new int[2 * p];
        WORLD.allToAllw(data, counts, bytes, types, gotW, counts, bytes, types);
        assertArrayEquals(got, gotW);
        final IntBuffer gotW2 = MPI.newIntBuffer(2 * p);
        check(got, WORLD.iAllToAllw(buffer(data), counts, bytes, types, gotW2, counts, bytes, types), gotW2);
    }

    private static void scans() throws MPIException {
        final int[] expected = sum(p - 1, 3);
        final int[] all = new int[3];
        WORLD.allReduce(of(me, 3), all, 3, INT, SUM);
        assertArrayEquals(expected, all);
        final IntBuffer all2 = MPI.newIntBuffer(3);
        check(expected, WORLD.iAllReduce(buffer(of(me, 3)), all2, 3, INT, SUM), all2);
        final int[] inPlace = of(me, 3);
        WORLD.allReduce(inPlace, 3, INT, SUM);
        assertArrayEquals(expected, inPlace);
        final IntBuffer inPlace2 = buffer(of(me, 3));
        check(expected, WORLD.iAllReduce(inPlace2, 3, INT, SUM), inPlace2);

        final int[] prefix = of(me, 3);
        WORLD.scan(prefix, 3, INT, SUM);
        assertArrayEquals(sum(me, 3), prefix);
        WORLD.scan(of(me, 3), prefix, 3, INT, SUM);
        assertArrayEquals(sum(me, 3), prefix);
        final IntBuffer prefix2 = buffer(of(me, 3));
        check(prefix, WORLD.iScan(prefix2, 3, INT, SUM), prefix2);
        check(prefix, WORLD.iScan(buffer(of(me, 3)), prefix2, 3, INT, SUM), prefix2);
        final int[] before = of(me, 3);
        WORLD.exScan(before, 3, INT, SUM);
        final int[] expectedBefore = me == 0 ? of(0, 3) : sum(me - 1, 3);
        assertArrayEquals(expectedBefore, before);
        WORLD.exScan(of(me, 3), before, 3, INT, SUM);
        assertArrayEquals(expectedBefore, before);
        final IntBuffer before2 = buffer(of(me, 3));
        check(before, WORLD.iExScan(before2, 3, INT, SUM), before2);
        check(before, WORLD.iExScan(buffer(of(me, 3)), before2, 3, INT, SUM), before2);
        reduceScatters();
    }

    private static void reduceScatters() throws MPIException {
        final int[] total = sum(p - 1, 2 * p);
        final int[] mine = Arrays.copyOfRange(total, 2 * me, 2 * me + 2);
        final int[] got = new int[2];
        WORLD.reduceScatterBlock(of(me, 2 * p), got, 2, INT, SUM);
        assertArrayEquals(mine, got);
        final IntBuffer got2 = MPI.newIntBuffer(2);
        check(mine, WORLD.iReduceScatterBlock(buffer(of(me, 2 * p)), got2, 2, INT, SUM), got2);
        final int[] inPlace = of(me, 2 * p);
        WORLD.reduceScatterBlock(inPlace, 2, INT, SUM);
        assertArrayEquals(mine, Arrays.copyOf(inPlace, 2));
        final IntBuffer inPlace2 = buffer(of(me, 2 * p));
        WORLD.iReduceScatterBlock(inPlace2, 2, INT, SUM).waitFor();
        assertArrayEquals(mine, Arrays.copyOf(array(inPlace2), 2));

        final int n = p * (p + 1) / 2;
        final int from = me * (me + 1) / 2;
        final int[] mineV = Arrays.copyOfRange(sum(p - 1, n), from, from + me + 1);
        final int[] gotV = new int[me + 1];
        WORLD.reduceScatter(of(me, n), gotV, counts(), INT, SUM);
        assertArrayEquals(mineV, gotV);
        final IntBuffer gotV2 = MPI.newIntBuffer(me + 1);
        check(mineV, WORLD.iReduceScatter(buffer(of(me, n)), gotV2, counts(), INT, SUM), gotV2);
        final int[] inPlaceV = of(me, n);
        WORLD.reduceScatter(inPlaceV, counts(), INT, SUM);
        assertArrayEquals(mineV, Arrays.copyOf(inPlaceV, me + 1));
        final IntBuffer inPlaceV2 = buffer(of(me, n));
        WORLD.iReduceScatter(inPlaceV2, counts(), INT, SUM).waitFor();
        assertArrayEquals(mineV, Arrays.copyOf(array(inPlaceV2), me + 1));
    }
}
