package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Prequest;
import mpi.Request;
import org.junit.jupiter.api.function.Executable;

/** Forms of the collectives beyond the bindings: long counts, arrays in nonblocking calls, persistent requests, alltoall in place. */
public final class Modes {
    private static final Intracomm WORLD = MPI.COMM_WORLD;
    private static final Datatype INT = MPI.INT;
    private static final Op SUM = MPI.SUM;
    private static final int OLD = -7;
    private static int p;
    private static int me;
    private static int root;

    private Modes() {}

    /** A blocking call. */
    private interface Blocking {
        void run(int[] send, int[] recv) throws MPIException;
    }

    /** A call that returns a request, persistent or not. */
    private interface Started {
        Request run(int[] send, int[] recv) throws MPIException;
    }

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        p = WORLD.getSize();
        me = WORLD.getRank();
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        for (root = 0; root < p; root++) {
            bcasts();
            gathers();
            gathervs();
            scatters();
            scattervs();
            reduces();
        }
        barriers();
        allGathers();
        allToAlls();
        allToAllvs();
        allToAllws();
        allReductions();
        scans();
        buffers();
    }

    /** Runs all forms of a call on fresh arrays; persistent ones three times. */
    private static void check(final String what, final int[] send, final int[] before, final int[] expected, final Blocking wait,
        final Started... starts) throws MPIException {
        final int[] recv = before.clone();
        wait.run(send.clone(), recv);
        assertArrayEquals(expected, recv, what);
        for (int i = 0; i < starts.length; i++) {
            final String form = what + ", form " + i;
            final int[] mine = before.clone();
            final Request request = starts[i].run(send.clone(), mine);
            if (request instanceof Prequest persistent) {
                assertArrayEquals(before, mine, form);
                for (int time = 0; time < 3; time++) {
                    System.arraycopy(before, 0, mine, 0, mine.length);
                    persistent.start();
                    persistent.waitFor();
                    assertFalse(persistent.isNull());
                    assertArrayEquals(expected, mine, form);
                }
                persistent.free();
                assertTrue(persistent.isNull());
            } else {
                request.waitFor();
                assertArrayEquals(expected, mine, form);
            }
        }
    }

    private static int[] of(final int rank, final int n) {
        return IntStream.range(0, n).map(i -> 1 + rank * 100 + i).toArray();
    }

    private static int[] old(final int n) {
        final int[] data = new int[n];
        Arrays.fill(data, OLD);
        return data;
    }

    private static long[] longs(final int[] values) {
        return Arrays.stream(values).asLongStream().toArray();
    }

    /** Returns the counts: the block of rank r has r+1 entries, and a gap of one entry after it. */
    private static int[] counts() {
        return IntStream.range(0, p).map(r -> r + 1).toArray();
    }

    private static int[] displs() {
        return IntStream.range(0, p).map(r -> r * (r + 1) / 2 + r).toArray();
    }

    private static int[] blocks() {
        final int[] all = old(p * (p + 1) / 2 + p);
        for (int r = 0; r < p; r++) {
            System.arraycopy(of(r, r + 1), 0, all, displs()[r], r + 1);
        }
        return all;
    }

    private static int[] equalBlocks() {
        return IntStream.range(0, p).flatMap(r -> Arrays.stream(of(r, 2))).toArray();
    }

    /** Returns {@code all} with the initial value outside of a range. */
    private static int[] only(final int[] all, final int from, final int n) {
        final int[] some = old(all.length);
        System.arraycopy(all, from, some, from, n);
        return some;
    }

    private static int[] sum(final int ranks, final int first, final int n) {
        return IntStream.range(0, n).map(i -> IntStream.range(0, ranks).map(r -> 1 + r * 100 + first + i).sum()).toArray();
    }

    private static int[] atRoot(final int[] expected, final int[] elsewhere) {
        return me == root ? expected : elsewhere;
    }

    private static void barriers() throws MPIException {
        check("barrier", of(me, 1), old(1), old(1), (s, r) -> WORLD.barrier(), (s, r) -> WORLD.iBarrier(), (s, r) -> WORLD.barrierInit());
    }

    private static void bcasts() throws MPIException {
        check("bcast", nothing(), atRoot(of(root, 5), old(5)), of(root, 5), (s, b) -> WORLD.bcast(b, 5L, INT, root),
            (s, b) -> WORLD.iBcast(b, 5, INT, root), (s, b) -> WORLD.bcastInit(b, 5, INT, root));
    }

    private static int[] nothing() {
        return new int[0];
    }

    private static void gathers() throws MPIException {
        final int[] all = equalBlocks();
        check("gather", of(me, 2), old(2 * p), atRoot(all, old(2 * p)), (s, r) -> WORLD.gather(s, 2L, INT, r, 2L, INT, root),
            (s, r) -> WORLD.iGather(s, 2, INT, r, 2, INT, root), (s, r) -> WORLD.gatherInit(s, 2, INT, r, 2, INT, root));
        check("gather in place", nothing(), atRoot(only(all, 2 * me, 2), of(me, 2)), atRoot(all, of(me, 2)),
            (s, b) -> WORLD.gather(b, 2L, INT, root), (s, b) -> WORLD.iGather(b, 2, INT, root), (s, b) -> WORLD.gatherInit(b, 2, INT, root));
    }

    private static void gathervs() throws MPIException {
        final int[] all = blocks();
        final int[] n = counts();
        final int[] at = displs();
        check("gatherv", of(me, me + 1), old(all.length), atRoot(all, old(all.length)),
            (s, r) -> WORLD.gatherv(s, me + 1L, INT, r, longs(n), longs(at), INT, root),
            (s, r) -> WORLD.iGatherv(s, me + 1, INT, r, n, at, INT, root),
            (s, r) -> WORLD.iGatherv(s, me + 1, INT, r, longs(n), longs(at), INT, root),
            (s, r) -> WORLD.gathervInit(s, me + 1, INT, r, n, at, INT, root),
            (s, r) -> me == root ? WORLD.gathervInit(s, me + 1, INT, r, longs(n), longs(at), INT, root)
                : WORLD.gathervInit(s, me + 1, INT, null, null, null, null, root));
        if (me == root) {
            check("gatherv in place", nothing(), only(all, at[me], n[me]), all, (s, b) -> WORLD.gatherv(b, longs(n), longs(at), INT, root),
                (s, b) -> WORLD.iGatherv(b, n, at, INT, root), (s, b) -> WORLD.iGatherv(b, longs(n), longs(at), INT, root),
                (s, b) -> WORLD.gathervInit(b, n, at, INT, root), (s, b) -> WORLD.gathervInit(b, longs(n), longs(at), INT, root));
        } else {
            final int[] mine = of(me, me + 1);
            check("gatherv, sending", nothing(), mine, mine, (s, b) -> WORLD.gatherv(b, me + 1L, INT, root),
                (s, b) -> WORLD.iGatherv(b, me + 1, INT, root), (s, b) -> WORLD.iGatherv(b, me + 1L, INT, root),
                (s, b) -> WORLD.gathervInit(b, me + 1, INT, root), (s, b) -> WORLD.gathervInit(b, me + 1L, INT, root));
        }
        final MPIException e = assertThrows(MPIException.class, () -> WORLD.gathervInit(of(me, 1), 1, INT, all, "1", at, INT, root));
        assertEquals(MPI.ERR_ARG, e.getErrorClass());
        assertTrue(e.getMessage().startsWith("neither int[] nor long[]: class=java.lang.String"), e.getMessage());
    }

    private static void scatters() throws MPIException {
        final int[] all = atRoot(equalBlocks(), nothing());
        check("scatter", all, old(2), of(me, 2), (s, r) -> WORLD.scatter(s, 2L, INT, r, 2L, INT, root),
            (s, r) -> WORLD.iScatter(s, 2, INT, r, 2, INT, root), (s, r) -> WORLD.scatterInit(s, 2, INT, r, 2, INT, root));
        check("scatter in place", nothing(), atRoot(all, old(2)), atRoot(all, of(me, 2)), (s, b) -> WORLD.scatter(b, 2L, INT, root),
            (s, b) -> WORLD.iScatter(b, 2, INT, root), (s, b) -> WORLD.scatterInit(b, 2, INT, root));
    }

    private static void scattervs() throws MPIException {
        final int[] all = atRoot(blocks(), nothing());
        final int[] n = counts();
        final int[] at = displs();
        check("scatterv", all, old(me + 1), of(me, me + 1), (s, r) -> WORLD.scatterv(s, longs(n), longs(at), INT, r, me + 1L, INT, root),
            (s, r) -> WORLD.iScatterv(s, n, at, INT, r, me + 1, INT, root),
            (s, r) -> WORLD.iScatterv(s, longs(n), longs(at), INT, r, me + 1, INT, root),
            (s, r) -> WORLD.scattervInit(s, n, at, INT, r, me + 1, INT, root),
            (s, r) -> me == root ? WORLD.scattervInit(s, longs(n), longs(at), INT, r, me + 1, INT, root)
                : WORLD.scattervInit(null, null, null, null, r, me + 1, INT, root));
        if (me == root) {
            check("scatterv in place", nothing(), all, all, (s, b) -> WORLD.scatterv(b, longs(n), longs(at), INT, root),
                (s, b) -> WORLD.iScatterv(b, n, at, INT, root), (s, b) -> WORLD.iScatterv(b, longs(n), longs(at), INT, root),
                (s, b) -> WORLD.scattervInit(b, n, at, INT, root), (s, b) -> WORLD.scattervInit(b, longs(n), longs(at), INT, root));
        } else {
            check("scatterv, receiving", nothing(), old(me + 1), of(me, me + 1), (s, b) -> WORLD.scatterv(b, me + 1L, INT, root),
                (s, b) -> WORLD.iScatterv(b, me + 1, INT, root), (s, b) -> WORLD.iScatterv(b, me + 1L, INT, root),
                (s, b) -> WORLD.scattervInit(b, me + 1, INT, root), (s, b) -> WORLD.scattervInit(b, me + 1L, INT, root));
        }
    }

    private static void reduces() throws MPIException {
        check("reduce", of(me, 3), old(3), atRoot(sum(p, 0, 3), old(3)), (s, r) -> WORLD.reduce(s, r, 3L, INT, SUM, root),
            (s, r) -> WORLD.iReduce(s, r, 3, INT, SUM, root), (s, r) -> WORLD.reduceInit(s, r, 3, INT, SUM, root));
        check("reduce in place", nothing(), of(me, 3), atRoot(sum(p, 0, 3), of(me, 3)), (s, b) -> WORLD.reduce(b, 3L, INT, SUM, root),
            (s, b) -> WORLD.iReduce(b, 3, INT, SUM, root), (s, b) -> WORLD.reduceInit(b, 3, INT, SUM, root));
    }

    private static void allGathers() throws MPIException {
        final int[] all = equalBlocks();
        check("allGather", of(me, 2), old(2 * p), all, (s, r) -> WORLD.allGather(s, 2L, INT, r, 2L, INT),
            (s, r) -> WORLD.iAllGather(s, 2, INT, r, 2, INT), (s, r) -> WORLD.allGatherInit(s, 2, INT, r, 2, INT));
        check("allGather in place", nothing(), only(all, 2 * me, 2), all, (s, b) -> WORLD.allGather(b, 2L, INT),
            (s, b) -> WORLD.iAllGather(b, 2, INT), (s, b) -> WORLD.allGatherInit(b, 2, INT));
        final int[] ragged = blocks();
        final int[] n = counts();
        final int[] at = displs();
        check("allGatherv", of(me, me + 1), old(ragged.length), ragged, (s, r) -> WORLD.allGatherv(s, me + 1L, INT, r, longs(n), longs(at), INT),
            (s, r) -> WORLD.iAllGatherv(s, me + 1, INT, r, n, at, INT), (s, r) -> WORLD.iAllGatherv(s, me + 1, INT, r, longs(n), longs(at), INT),
            (s, r) -> WORLD.allGathervInit(s, me + 1, INT, r, n, at, INT),
            (s, r) -> WORLD.allGathervInit(s, me + 1, INT, r, longs(n), longs(at), INT));
        check("allGatherv in place", nothing(), only(ragged, at[me], n[me]), ragged, (s, b) -> WORLD.allGatherv(b, longs(n), longs(at), INT),
            (s, b) -> WORLD.iAllGatherv(b, n, at, INT), (s, b) -> WORLD.iAllGatherv(b, longs(n), longs(at), INT),
            (s, b) -> WORLD.allGathervInit(b, n, at, INT), (s, b) -> WORLD.allGathervInit(b, longs(n), longs(at), INT));
    }

    /** Returns the number of entries that two ranks exchange. */
    private static int pair(final int from, final int to) {
        return 1000 * from + to;
    }

    private static int[] pairs(final boolean outgoing) {
        return IntStream.range(0, p).map(r -> outgoing ? pair(me, r) : pair(r, me)).toArray();
    }

    private static void allToAlls() throws MPIException {
        check("allToAll", pairs(true), old(p), pairs(false), (s, r) -> WORLD.allToAll(s, 1L, INT, r, 1L, INT),
            (s, r) -> WORLD.iAllToAll(s, 1, INT, r, 1, INT), (s, r) -> WORLD.allToAllInit(s, 1, INT, r, 1, INT));
        check("allToAll in place", nothing(), pairs(true), pairs(false), (s, b) -> WORLD.allToAll(b, 1, INT),
            (s, b) -> WORLD.iAllToAll(b, 1, INT), (s, b) -> WORLD.allToAllInit(b, 1L, INT));
    }

    /** Returns counts of one entry for ranks of the same parity, else 0, at every second displacement. */
    private static int[] some(final boolean outgoing) {
        final int[] data = old(2 * p);
        for (int r = 0; r < p; r++) {
            data[2 * r] = (r + me) % 2 == 0 ? outgoing ? pair(me, r) : pair(r, me) : OLD;
        }
        return data;
    }

    private static int[] some() {
        return IntStream.range(0, p).map(r -> (r + me + 1) % 2).toArray();
    }

    private static int[] everyOther(final int step) {
        return IntStream.range(0, p).map(r -> 2 * r * step).toArray();
    }

    private static void allToAllvs() throws MPIException {
        final int[] n = some();
        final int[] at = everyOther(1);
        check("allToAllv", some(true), old(2 * p), some(false),
            (s, r) -> WORLD.allToAllv(s, longs(n), longs(at), INT, r, longs(n), longs(at), INT),
            (s, r) -> WORLD.iAllToAllv(s, n, at, INT, r, n, at, INT),
            (s, r) -> WORLD.iAllToAllv(s, longs(n), longs(at), INT, r, longs(n), longs(at), INT),
            (s, r) -> WORLD.allToAllvInit(s, n, at, INT, r, n, at, INT),
            (s, r) -> WORLD.allToAllvInit(s, longs(n), longs(at), INT, r, longs(n), longs(at), INT));
        check("allToAllv in place", nothing(), some(true), some(false), (s, b) -> WORLD.allToAllv(b, n, at, INT),
            (s, b) -> WORLD.iAllToAllv(b, n, at, INT), (s, b) -> WORLD.iAllToAllv(b, longs(n), longs(at), INT),
            (s, b) -> WORLD.allToAllvInit(b, n, at, INT), (s, b) -> WORLD.allToAllvInit(b, longs(n), longs(at), INT));
        check("allToAllv in place, long counts", nothing(), some(true), some(false), (s, b) -> WORLD.allToAllv(b, longs(n), longs(at), INT));
    }

    private static void allToAllws() throws MPIException {
        final int[] n = some();
        final int[] at = everyOther(Integer.BYTES);
        final Datatype[] types = new Datatype[p];
        Arrays.fill(types, INT);
        check("allToAllw", some(true), old(2 * p), some(false),
            (s, r) -> WORLD.allToAllw(s, longs(n), longs(at), types, r, longs(n), longs(at), types),
            (s, r) -> WORLD.iAllToAllw(s, n, at, types, r, n, at, types),
            (s, r) -> WORLD.iAllToAllw(s, longs(n), longs(at), types, r, longs(n), longs(at), types),
            (s, r) -> WORLD.allToAllwInit(s, n, at, types, r, n, at, types),
            (s, r) -> WORLD.allToAllwInit(s, longs(n), longs(at), types, r, longs(n), longs(at), types));
        check("allToAllw in place", nothing(), some(true), some(false), (s, b) -> WORLD.allToAllw(b, n, at, types),
            (s, b) -> WORLD.iAllToAllw(b, n, at, types), (s, b) -> WORLD.iAllToAllw(b, longs(n), longs(at), types),
            (s, b) -> WORLD.allToAllwInit(b, n, at, types), (s, b) -> WORLD.allToAllwInit(b, longs(n), longs(at), types));
        check("allToAllw in place, long counts", nothing(), some(true), some(false), (s, b) -> WORLD.allToAllw(b, longs(n), longs(at), types));
    }

    private static void allReductions() throws MPIException {
        check("allReduce", of(me, 3), old(3), sum(p, 0, 3), (s, r) -> WORLD.allReduce(s, r, 3L, INT, SUM),
            (s, r) -> WORLD.iAllReduce(s, r, 3, INT, SUM), (s, r) -> WORLD.allReduceInit(s, r, 3, INT, SUM));
        check("allReduce in place", nothing(), of(me, 3), sum(p, 0, 3), (s, b) -> WORLD.allReduce(b, 3L, INT, SUM),
            (s, b) -> WORLD.iAllReduce(b, 3, INT, SUM), (s, b) -> WORLD.allReduceInit(b, 3, INT, SUM));
        final int[] n = counts();
        final int total = p * (p + 1) / 2;
        final int[] block = sum(p, me * (me + 1) / 2, me + 1);
        check("reduceScatter", of(me, total), old(me + 1), block, (s, r) -> WORLD.reduceScatter(s, r, longs(n), INT, SUM),
            (s, r) -> WORLD.iReduceScatter(s, r, n, INT, SUM), (s, r) -> WORLD.iReduceScatter(s, r, longs(n), INT, SUM),
            (s, r) -> WORLD.reduceScatterInit(s, r, n, INT, SUM), (s, r) -> WORLD.reduceScatterInit(s, r, longs(n), INT, SUM));
        final int[] own = sum(p, 2 * me, 2);
        check("reduceScatterBlock", of(me, 2 * p), old(2), own, (s, r) -> WORLD.reduceScatterBlock(s, r, 2L, INT, SUM),
            (s, r) -> WORLD.iReduceScatterBlock(s, r, 2, INT, SUM), (s, r) -> WORLD.reduceScatterBlockInit(s, r, 2, INT, SUM));
        // MPI leaves the rest of the buffer undefined
        check("reduceScatter in place", of(me, total), old(me + 1), block, (s, r) -> {
            WORLD.reduceScatter(s, longs(n), INT, SUM);
            System.arraycopy(s, 0, r, 0, r.length);
        });
        check("reduceScatterBlock in place", of(me, 2 * p), old(2), own, (s, r) -> {
            WORLD.reduceScatterBlock(s, 2L, INT, SUM);
            System.arraycopy(s, 0, r, 0, r.length);
        });
        for (int form = 0; form < 6; form++) {
            final int[] buffer = of(me, form < 4 ? total : 2 * p);
            final Request request = switch (form) {
                case 0 -> WORLD.iReduceScatter(buffer, n, INT, SUM);
                case 1 -> WORLD.iReduceScatter(buffer, longs(n), INT, SUM);
                case 2 -> WORLD.reduceScatterInit(buffer, n, INT, SUM);
                case 3 -> WORLD.reduceScatterInit(buffer, longs(n), INT, SUM);
                case 4 -> WORLD.iReduceScatterBlock(buffer, 2, INT, SUM);
                default -> WORLD.reduceScatterBlockInit(buffer, 2, INT, SUM);
            };
            if (request instanceof Prequest persistent) {
                persistent.start();
            }
            request.waitFor();
            assertArrayEquals(form < 4 ? block : own, Arrays.copyOf(buffer, form < 4 ? me + 1 : 2), "reduceScatter in place, form " + form);
        }
    }

    private static void scans() throws MPIException {
        check("scan", of(me, 3), old(3), sum(me + 1, 0, 3), (s, r) -> WORLD.scan(s, r, 3L, INT, SUM),
            (s, r) -> WORLD.iScan(s, r, 3, INT, SUM), (s, r) -> WORLD.scanInit(s, r, 3, INT, SUM));
        check("scan in place", nothing(), of(me, 3), sum(me + 1, 0, 3), (s, b) -> WORLD.scan(b, 3L, INT, SUM),
            (s, b) -> WORLD.iScan(b, 3, INT, SUM), (s, b) -> WORLD.scanInit(b, 3, INT, SUM));
        final int[] before = me == 0 ? old(3) : sum(me, 0, 3);
        check("exScan", of(me, 3), old(3), before, (s, r) -> WORLD.exScan(s, r, 3L, INT, SUM),
            (s, r) -> WORLD.iExScan(s, r, 3, INT, SUM), (s, r) -> WORLD.exScanInit(s, r, 3, INT, SUM));
        final int[] kept = me == 0 ? of(0, 3) : sum(me, 0, 3);
        check("exScan in place", nothing(), of(me, 3), kept, (s, b) -> WORLD.exScan(b, 3L, INT, SUM),
            (s, b) -> WORLD.iExScan(b, 3, INT, SUM), (s, b) -> WORLD.exScanInit(b, 3, INT, SUM));
    }

    /** Sub-ranges of arrays, heap and direct buffers, and read-only buffers. */
    private static void buffers() throws MPIException {
        final int[] array = old(6);
        array[2] = me;
        final IntBuffer heap = IntBuffer.allocate(2);
        WORLD.iAllReduce(MPI.slice(array, 2), 1, INT, SUM).waitFor();
        final Prequest request = WORLD.allReduceInit(MPI.slice(array, 2), heap, 1L, INT, MPI.MAX);
        request.start();
        request.waitFor();
        assertArrayEquals(new int[] {OLD, OLD, p * (p - 1) / 2, OLD, OLD, OLD}, array);
        assertArrayEquals(new int[] {array[2], 0}, heap.array());
        WORLD.iAllReduce(heap.asReadOnlyBuffer(), MPI.slice(array, 5), 1, INT, MPI.MIN).waitFor();
        assertEquals(array[2], array[5]);
        final IntBuffer fixed = MPI.newIntBuffer(1).asReadOnlyBuffer();
        for (final Executable call : new Executable[] {
            () -> WORLD.allReduce(array, fixed, 1, INT, SUM), () -> WORLD.iAllReduce(heap, fixed, 1, INT, SUM),
            () -> WORLD.allReduceInit(array, heap.asReadOnlyBuffer(), 1, INT, SUM), () -> WORLD.allToAll(fixed, 1, INT)}) {
            final MPIException e = assertThrows(MPIException.class, call);
            assertEquals(MPI.ERR_BUFFER, e.getErrorClass());
        }
        WORLD.barrier();
    }
}
