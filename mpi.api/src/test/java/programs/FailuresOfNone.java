package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static programs.Groups.fails;

import java.util.List;
import java.util.stream.IntStream;
import mpi.CartComm;
import mpi.Comm;
import mpi.Group;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/** The calls for failed ranks where none has failed. On any number of ranks. */
public final class FailuresOfNone {
    private FailuresOfNone() {}

    /** Runs the program. */
    public static void main(final String[] args) throws Exception {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        MPI.COMM_SELF.setErrhandler(MPI.ERRORS_RETURN);
        final int rank = MPI.COMM_WORLD.getRank();
        final int size = MPI.COMM_WORLD.getSize();
        final Intracomm dup = MPI.COMM_WORLD.dup();
        for (final Intracomm comm : List.of(MPI.COMM_WORLD, MPI.COMM_SELF, dup)) {
            knowsOfNoFailure(comm);
            agrees(comm);
            shrinks(comm);
        }
        nonblocking(dup);
        arguments(dup);
        attributes(dup);
        topology(dup);
        if (size > 1) {
            final Intracomm half = dup.split(rank % 2, 0);
            try (Intercomm inter = dup.createIntercomm(half, 0, 1 - rank % 2, 3)) {
                knowsOfNoFailure(inter);
                agrees(inter);
                final Intercomm[] made = new Intercomm[1];
                inter.iShrink(made).waitFor();
                agrees(made[0]);
                made[0].free();
                final Intercomm shrunk = inter.shrink();
                assertSame(MPI.ERRORS_RETURN, shrunk.getErrhandler());
                assertEquals(MPI.CONGRUENT, Comm.compare(inter, shrunk));
                assertEquals(inter.getRemoteSize(), shrunk.getRemoteSize());
                agrees(shrunk);
                shrunk.free();
            }
            half.free();
        }
        dup.free();
        final String freed = "communicator has been freed: comm=survivors";
        fails(MPI.ERR_COMM, freed, dup::getFailed);
        fails(MPI.ERR_COMM, freed, dup::revoke);
        fails(MPI.ERR_COMM, freed, dup::shrink);
        fails(MPI.ERR_COMM, freed, () -> dup.agree(new int[1]));
    }

    static void knowsOfNoFailure(final Comm comm) throws MPIException {
        assertSame(MPI.GROUP_EMPTY, comm.getFailed());
        assertEquals(0, comm.ackFailed(0));
        assertEquals(0, comm.ackFailed(comm.getSize()));
        assertFalse(comm.isRevoked());
    }

    /** Agrees on the bits that all ranks have set, several times. */
    static void agrees(final Comm comm) throws MPIException {
        final boolean isInter = comm.isInter();
        final int self = MPI.COMM_WORLD.getRank();
        int all = -1;
        for (final int worldRank : worldRanks(comm, isInter)) {
            all &= ~(1 << worldRank);
        }
        for (int round = 0; round < 3; round++) {
            final int[] flag = {~(1 << self), 7};
            comm.agree(flag);
            assertArrayEquals(new int[] {all, 7}, flag);
        }
        final int[] none = {0};
        comm.agree(none);
        assertEquals(0, none[0]);
        final int[] every = {-1};
        comm.agree(every);
        assertEquals(-1, every[0]);
    }

    private static int[] worldRanks(final Comm comm, final boolean isInter) throws MPIException {
        final Group members = isInter ? Group.union(comm.getGroup(), ((Intercomm) comm).getRemoteGroup()) : comm.getGroup();
        return Group.translateRanks(members, IntStream.range(0, members.getSize()).toArray(), MPI.COMM_WORLD.getGroup());
    }

    private static void nonblocking(final Intracomm comm) throws Exception {
        final int[] first = {-2};
        final int[] second = {-3};
        final Request one = comm.iAgree(first);
        final Request two = comm.iAgree(second);
        Request.waitAll(new Request[] {one, two});
        assertTrue(one.isNull() && two.isNull());
        assertEquals(-2, first[0]);
        assertEquals(-3, second[0]);
        final int[] third = {comm.getRank() == 0 ? 6 : 3};
        final Request tested = comm.iAgree(third);
        while (tested.getStatus() == null) {
            Thread.onSpinWait();
        }
        final int expected = comm.getSize() == 1 ? 6 : 2;
        assertEquals(expected, third[0]);
        third[0] = 1;
        assertTrue(tested.test());
        assertTrue(tested.isNull());
        assertEquals(expected, third[0]);
        third[0] = 5;
        assertTrue(tested.test());
        assertEquals(5, third[0], "a null request sets nothing");
        final int[] fourth = {12};
        assertEquals(12, comm.iAgree(fourth).toCompletionStage().thenApply(s -> fourth[0]).toCompletableFuture().get());
        // agreements go together with other operations
        final int[] fifth = {9};
        final Request pending = comm.iAgree(fifth);
        comm.barrier();
        pending.waitFor();
        assertEquals(9, fifth[0]);
    }

    private static void arguments(final Intracomm comm) {
        for (final int[] wrong : new int[][] {null, {}}) {
            final String text = "array of the flag too short: length=" + (wrong == null ? "null" : "0") + ", min=1";
            fails(MPI.ERR_ARG, text, () -> comm.agree(wrong));
            fails(MPI.ERR_ARG, text, () -> comm.iAgree(wrong));
        }
        for (final Comm[] wrong : new Comm[][] {null, {}, {comm}, new Intercomm[1]}) {
            fails(MPI.ERR_ARG, "array of the result is null, too short or of another kind of communicator, or its first element is not null",
                () -> comm.iShrink(wrong));
        }
        fails(MPI.ERR_ARG, "number of failed ranks out of range: count=-1, min=0", () -> comm.ackFailed(-1));
        fails(MPI.ERR_COMM, "communicator is null", () -> Intercomm.getParent().shrink());
        fails(MPI.ERR_COMM, "communicator is null", () -> Intercomm.getParent().agree(null));
        fails(MPI.ERR_COMM, "communicator is null", () -> Intercomm.getParent().ackFailed(-1));
        fails(MPI.ERR_COMM, "communicator is null", () -> Intercomm.getParent().isRevoked());
    }

    private static void shrinks(final Intracomm comm) throws MPIException {
        final Intracomm shrunk = comm.shrink();
        assertEquals(MPI.CONGRUENT, Comm.compare(comm, shrunk));
        assertEquals("", shrunk.getName());
        assertSame(MPI.ERRORS_RETURN, shrunk.getErrhandler());
        sums(shrunk);
        knowsOfNoFailure(shrunk);
        // a shrunk communicator is one as others are
        final Intracomm[] made = new Intracomm[1];
        final Request request = shrunk.iShrink(made);
        agrees(shrunk);
        request.waitFor();
        final Intracomm again = made[0];
        assertSame(MPI.ERRORS_RETURN, again.getErrhandler());
        agrees(again);
        shrunk.free();
        sums(again);
        again.free();
    }

    static void sums(final Comm comm) throws MPIException {
        final int[] sum = {1};
        comm.allReduce(sum, 1, MPI.INT, MPI.SUM);
        assertEquals(comm.getSize(), sum[0]);
        final int next = (comm.getRank() + 1) % comm.getSize();
        final int[] got = {-1};
        comm.sendRecv(new int[] {comm.getRank()}, 1, MPI.INT, next, 5, got, 1, MPI.INT, MPI.ANY_SOURCE, 5);
        assertEquals((comm.getRank() + comm.getSize() - 1) % comm.getSize(), got[0]);
    }

    private static void attributes(final Intracomm comm) throws MPIException {
        final int copied = Comm.createKeyval((c, key, value) -> value, null);
        comm.setAttr(copied, "value");
        comm.setName("survivors");
        try (Intracomm dup = comm.dup(); Intracomm shrunk = comm.shrink()) {
            assertEquals("value", dup.getAttr(copied));
            assertNull(shrunk.getAttr(copied));
            assertEquals("", shrunk.getName());
        }
        comm.deleteAttr(copied);
        Comm.freeKeyval(copied);
    }

    private static void topology(final Intracomm comm) throws MPIException {
        try (CartComm grid = comm.createCart(new int[] {comm.getSize()}, new boolean[1], false); Intracomm shrunk = grid.shrink()) {
            assertEquals(MPI.CART, grid.getTopology());
            assertEquals(MPI.UNDEFINED, shrunk.getTopology());
            assertSame(Intracomm.class, shrunk.getClass());
            assertEquals(MPI.CONGRUENT, Comm.compare(grid, shrunk));
        }
    }
}
