package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static programs.Groups.fails;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import mpi.Datatype;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Prequest;
import mpi.Request;
import mpi.UserFunction;

/**
 * Every collective operation of an intercommunicator, blocking, nonblocking and persistent, with each rank of both groups as root. On at least 2
 * ranks; the first group has one rank or two.
 */
public final class IntercommCollectives {
    private static final Datatype INT = MPI.INT;
    private static final Op SUM = MPI.SUM;
    private static final int OLD = -7;

    private final Intercomm inter;
    /** Numbers of the ranks of both groups in their data: 0 and up in the first, 100 and up in the second. */
    private final int mine;
    private final int theirs;
    private final int p;
    private final int q;
    private final int me;

    private IntercommCollectives(final Intercomm inter, final boolean first) throws MPIException {
        this.inter = inter;
        this.mine = first ? 0 : 100;
        this.theirs = first ? 100 : 0;
        this.p = inter.getSize();
        this.q = inter.getRemoteSize();
        this.me = inter.getRank();
    }

    /** A blocking call with a buffer to receive into. */
    private interface Blocking {
        void run(int[] into) throws MPIException;
    }

    /** A call that returns a request, persistent or not. */
    private interface Started {
        Request run(int[] into) throws MPIException;
    }

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        final Intracomm world = MPI.COMM_WORLD;
        final int firstRanks = world.getSize() > 3 ? 2 : 1;
        final boolean first = world.getRank() < firstRanks;
        final Intracomm part = world.split(first ? 0 : 1, 0);
        final Intercomm inter = world.createIntercomm(part, 0, first ? firstRanks : 0, 3);
        inter.setErrhandler(MPI.ERRORS_RETURN);
        check(inter, first);
        inter.free();
        part.free();
    }

    /** Calls everything on an intercommunicator; {@code first} is true in one of the groups. */
    static void check(final Intercomm inter, final boolean first) throws MPIException {
        final IntercommCollectives calls = new IntercommCollectives(inter, first);
        for (final boolean fromFirst : new boolean[] {true, false}) {
            final boolean rooted = first == fromFirst;
            for (int root = 0; root < (rooted ? calls.p : calls.q); root++) {
                calls.rooted(rooted ? calls.me == root ? MPI.ROOT : MPI.PROC_NULL : root);
            }
        }
        calls.barrier();
        calls.allGathers();
        calls.allToAlls();
        calls.reductions();
        calls.refusals();
    }

    private static int[] old(final int length) {
        final int[] into = new int[length];
        Arrays.fill(into, OLD);
        return into;
    }

    private static int[] ints(final int length, final IntUnaryOperator value) {
        final int[] all = new int[length];
        Arrays.setAll(all, value);
        return all;
    }

    /** Returns what a rank contributes. */
    private static int[] of(final int rank, final int length) {
        return ints(length, i -> 1000 * rank + i);
    }

    /** Makes the same call in all forms and compares what it receives. */
    private static void check(final int[] expected, final Blocking blocking, final Started nonblocking, final Started persistent)
        throws MPIException {
        final int[] got = old(expected.length);
        blocking.run(got);
        assertArrayEquals(expected, got, "blocking");
        final int[] later = old(expected.length);
        nonblocking.run(later).waitFor();
        assertArrayEquals(expected, later, "nonblocking");
        final int[] again = old(expected.length);
        final Prequest request = (Prequest) persistent.run(again);
        for (int i = 0; i < 3; i++) {
            Arrays.fill(again, OLD);
            request.start();
            request.waitFor();
            assertArrayEquals(expected, again, "persistent");
        }
        request.free();
    }

    /** Returns displacements with a gap of one entry after each block. */
    private static int[] gapped(final int[] counts) {
        final int[] displs = new int[counts.length];
        for (int i = 1; i < displs.length; i++) {
            displs[i] = displs[i - 1] + counts[i - 1] + 1;
        }
        return displs;
    }

    private static int end(final int[] counts) {
        return Arrays.stream(counts).sum() + counts.length;
    }

    /** Returns a block of each rank of a group at its displacement. */
    private static int[] blocks(final int group, final int[] counts) {
        final int[] all = old(end(counts));
        final int[] displs = gapped(counts);
        for (int r = 0; r < counts.length; r++) {
            System.arraycopy(of(group + r, counts[r]), 0, all, displs[r], counts[r]);
        }
        return all;
    }

    private static int[] equalBlocks(final int group, final int ranks) {
        final int[] all = new int[2 * ranks];
        for (int r = 0; r < ranks; r++) {
            System.arraycopy(of(group + r, 2), 0, all, 2 * r, 2);
        }
        return all;
    }

    /** Returns lengths of blocks that differ by rank, of which one is empty. */
    private static int[] uneven(final int ranks) {
        return ints(ranks, r -> (r + 2) % 3);
    }

    private void rooted(final int root) throws MPIException {
        final boolean isRoot = root == MPI.ROOT;
        final boolean isOther = root >= 0;
        final int[] given = of(mine + me, 3);
        check(isRoot ? given : isOther ? of(theirs + root, 3) : old(0), into -> inter.bcast(filled(into, given, isRoot), 3, INT, root),
            into -> inter.iBcast(filled(into, given, isRoot), 3L, INT, root), into -> inter.bcastInit(isRoot ? given.clone() : into, 3, INT, root),
            isRoot);
        final int[] block = of(mine + me, 2);
        check(isRoot ? equalBlocks(theirs, q) : old(1), into -> inter.gather(block, 2, INT, into, 2, INT, root),
            into -> inter.iGather(block, 2L, INT, into, 2L, INT, root), into -> inter.gatherInit(block, 2, INT, into, 2, INT, root));
        final int[] all = equalBlocks(mine, q);
        check(isOther ? Arrays.copyOfRange(equalBlocks(theirs, p), 2 * me, 2 * me + 2) : old(1),
            into -> inter.scatter(all, 2, INT, into, 2, INT, root), into -> inter.iScatter(all, 2L, INT, into, 2L, INT, root),
            into -> inter.scatterInit(all, 2, INT, into, 2, INT, root));
        final int own = uneven(p)[me];
        final int[] ragged = of(mine + me, own);
        final int[] counts = uneven(q);
        final int[] displs = gapped(counts);
        check(isRoot ? blocks(theirs, counts) : old(1), into -> inter.gatherv(ragged, own, INT, into, counts, displs, INT, root),
            into -> inter.iGatherv(ragged, (long) own, INT, into, counts, displs, INT, root),
            into -> inter.gathervInit(ragged, own, INT, into, counts, displs, INT, root));
        final int[] spread = blocks(theirs, counts);
        check(isOther ? of(mine + me, own) : old(1), into -> inter.scatterv(spread, counts, displs, INT, into, own, INT, root),
            into -> inter.iScatterv(spread, counts, displs, INT, into, (long) own, INT, root),
            into -> inter.scattervInit(spread, counts, displs, INT, into, own, INT, root));
        // in the root's group the operation is not significant
        final Op op = isRoot || isOther ? SUM : null;
        check(isRoot ? sum(3) : old(1), into -> inter.reduce(given, into, 3, INT, op, root), into -> inter.iReduce(given, into, 3L, INT, op, root),
            into -> inter.reduceInit(given, into, 3, INT, op, root));
        final Op freed = new Op(new UserFunction() {
            @Override
            public void call(final Object in, final Object inOut, final int count, final Datatype type) {
                throw new AssertionError("not significant");
            }
        }, true);
        freed.free();
        inter.reduce(given, old(3), 3, INT, isRoot || isOther ? MPI.MAX : freed, root);
    }

    /** As the other form, for a call whose root keeps its own data. */
    private static void check(final int[] expected, final Blocking blocking, final Started nonblocking, final Started persistent,
        final boolean isRoot) throws MPIException {
        if (!isRoot) {
            check(expected, blocking, nonblocking, persistent);
            return;
        }
        final int[] into = expected.clone();
        blocking.run(into);
        nonblocking.run(into).waitFor();
        final Prequest request = (Prequest) persistent.run(into);
        for (int i = 0; i < 3; i++) {
            request.start();
            request.waitFor();
        }
        request.free();
        assertArrayEquals(expected, into);
    }

    private static int[] filled(final int[] into, final int[] given, final boolean isRoot) {
        return isRoot ? given : into;
    }

    private void barrier() throws MPIException {
        check(old(0), into -> inter.barrier(), into -> inter.iBarrier(), into -> inter.barrierInit());
    }

    private void allGathers() throws MPIException {
        final int[] block = of(mine + me, 2);
        check(equalBlocks(theirs, q), into -> inter.allGather(block, 2, INT, into, 2, INT),
            into -> inter.iAllGather(block, 2L, INT, into, 2L, INT), into -> inter.allGatherInit(block, 2, INT, into, 2, INT));
        final int own = uneven(p)[me];
        final int[] ragged = of(mine + me, own);
        final int[] counts = uneven(q);
        final int[] displs = gapped(counts);
        check(blocks(theirs, counts), into -> inter.allGatherv(ragged, own, INT, into, counts, displs, INT),
            into -> inter.iAllGatherv(ragged, (long) own, INT, into, counts, displs, INT),
            into -> inter.allGathervInit(ragged, own, INT, into, counts, displs, INT));
    }

    /** Returns what one rank sends to another. */
    private static int between(final int from, final int to) {
        return 1000 * from + to;
    }

    private void allToAlls() throws MPIException {
        final int[] send = ints(q, r -> between(mine + me, theirs + r));
        final int[] expected = ints(q, r -> between(theirs + r, mine + me));
        check(expected, into -> inter.allToAll(send, 1, INT, into, 1, INT), into -> inter.iAllToAll(send, 1L, INT, into, 1L, INT),
            into -> inter.allToAllInit(send, 1, INT, into, 1, INT));
        // the first rank of each group neither sends nor receives
        final int[] counts = ints(q, r -> me == 0 || r == 0 ? 0 : 1);
        final int[] displs = ints(q, r -> r);
        final int[] bytes = ints(q, r -> r * Integer.BYTES);
        final Datatype[] types = new Datatype[q];
        Arrays.fill(types, INT);
        final int[] some = ints(q, r -> counts[r] == 0 ? OLD : expected[r]);
        check(some, into -> inter.allToAllv(send, counts, displs, INT, into, counts, displs, INT),
            into -> inter.iAllToAllv(send, counts, displs, INT, into, counts, displs, INT),
            into -> inter.allToAllvInit(send, counts, displs, INT, into, counts, displs, INT));
        check(some, into -> inter.allToAllw(send, counts, bytes, types, into, counts, bytes, types),
            into -> inter.iAllToAllw(send, counts, bytes, types, into, counts, bytes, types),
            into -> inter.allToAllwInit(send, counts, bytes, types, into, counts, bytes, types));
    }

    /** Returns the sum of what the ranks of the other group contribute. */
    private int[] sum(final int length) {
        return ints(length, i -> {
            int sum = 0;
            for (int r = 0; r < q; r++) {
                sum += 1000 * (theirs + r) + i;
            }
            return sum;
        });
    }

    private void reductions() throws MPIException {
        final int[] given = of(mine + me, 3);
        check(sum(3), into -> inter.allReduce(given, into, 3, INT, SUM), into -> inter.iAllReduce(given, into, 3L, INT, SUM),
            into -> inter.allReduceInit(given, into, 3, INT, SUM));
        final int total = 2 * p * q;
        final int[] all = of(mine + me, total);
        check(Arrays.copyOfRange(sum(total), me * 2 * q, (me + 1) * 2 * q), into -> inter.reduceScatterBlock(all, into, 2 * q, INT, SUM),
            into -> inter.iReduceScatterBlock(all, into, 2L * q, INT, SUM), into -> inter.reduceScatterBlockInit(all, into, 2 * q, INT, SUM));
        // the first rank receives the elements that the others lack
        final int[] counts = ints(p, r -> r == 0 ? total - (p - 1) * q : q);
        final int start = me == 0 ? 0 : counts[0] + (me - 1) * q;
        check(Arrays.copyOfRange(sum(total), start, start + counts[me]), into -> inter.reduceScatter(all, into, counts, INT, SUM),
            into -> inter.iReduceScatter(all, into, counts, INT, SUM), into -> inter.reduceScatterInit(all, into, counts, INT, SUM));
    }

    private void refusals() {
        final int[] data = new int[Math.max(p, q)];
        fails(MPI.ERR_ROOT, "root out of range: root=" + q + ", remote size=" + q, () -> inter.bcast(data, 1, INT, q));
        fails(MPI.ERR_OP, "operation is null", () -> inter.reduce(data, data, 1, INT, null, 0));
        final MPIException inPlace = assertThrows(MPIException.class, () -> inter.allReduce(data, 1, INT, SUM));
        assertEquals(MPI.ERR_BUFFER, inPlace.getErrorClass());
        assertTrue(inPlace.getMessage().startsWith("IN_PLACE is not allowed on an intercommunicator: "), inPlace.getMessage());
    }
}
