package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static programs.Groups.fails;

import mpi.Comm;
import mpi.Group;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Status;

/** Intercommunicators between rank 0 and the other ranks, on at least 2 ranks. */
public final class Intercomms {
    private Intercomms() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final int size = MPI.COMM_WORLD.getSize();
        final int rank = MPI.COMM_WORLD.getRank();
        final Intracomm part = MPI.COMM_WORLD.split(Math.min(rank, 1), 0);
        final Intercomm inter = MPI.COMM_WORLD.createIntercomm(part, 0, rank == 0 ? 1 : 0, 99);
        assertJoined(inter, size, rank);
        final Intercomm dup = inter.dup();
        assertEquals(MPI.CONGRUENT, Comm.compare(dup, inter));
        assertEquals(MPI.UNEQUAL, Comm.compare(part, inter));
        final Intercomm later = inter.iDup();
        later.getRequest().waitFor();
        assertJoined(later, size, rank);
        assertJoined(inter.clone(), size, rank);
        assertJoined(inter.dupWithInfo(MPI.INFO_NULL), size, rank);
        merges(dup, size, rank);
        made(inter, size, rank);
        dup.free();
        assertTrue(dup.isNull());
        final Intercomm parent = Intercomm.getParent();
        assertTrue(parent.isNull());
        fails(MPI.ERR_COMM, "communicator is null", parent::getRemoteSize);
        fails(MPI.ERR_COMM, "local communicator is null", () -> MPI.COMM_WORLD.createIntercomm(null, 0, 0, 0));
        fails(MPI.ERR_RANK, "local leader out of range: leader=9, size=" + part.getSize(), () -> MPI.COMM_WORLD.createIntercomm(part, 9, 0, 0));
        inter.disconnect();
        part.free();
    }

    private static void assertJoined(final Intercomm inter, final int size, final int rank) throws MPIException {
        final int others = size - 1;
        assertTrue(inter.isInter());
        assertEquals(rank == 0 ? 1 : others, inter.getSize());
        assertEquals(rank == 0 ? others : 1, inter.getRemoteSize());
        assertEquals(rank == 0 ? 0 : rank - 1, inter.getRank());
        assertEquals(MPI.UNDEFINED, inter.getRemoteGroup().getRank());
        assertEquals(inter.getRank(), inter.getGroup().getRank());
        assertEquals(MPI.UNEQUAL, Group.compare(inter.getGroup(), inter.getRemoteGroup()));
        final int[] data = {rank};
        if (rank == 0) {
            for (int r = 0; r < others; r++) {
                inter.send(new int[] {100 + r}, 1, MPI.INT, r, 1);
                final Status status = inter.recv(data, 1, MPI.INT, r, 2);
                assertEquals(r, status.getSource());
                assertEquals(r + 1, data[0]);
            }
        } else {
            inter.send(data, 1, MPI.INT, 0, 2);
            final Status status = inter.recv(data, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
            assertEquals(0, status.getSource());
            assertEquals(100 + rank - 1, data[0]);
        }
    }

    private static void merges(final Intercomm inter, final int size, final int rank) throws MPIException {
        for (final boolean zero : new boolean[] {false, true}) {
            for (final boolean rest : new boolean[] {false, true}) {
                try (Intracomm merged = inter.merge(rank == 0 ? zero : rest)) {
                    assertEquals(size, merged.getSize());
                    final boolean isZeroLast = zero && !rest;
                    assertEquals(rank == 0 ? isZeroLast ? size - 1 : 0 : isZeroLast ? rank - 1 : rank, merged.getRank());
                    final int[] sum = {1};
                    merged.allReduce(sum, 1, MPI.INT, MPI.SUM);
                    assertEquals(size, sum[0]);
                }
            }
        }
    }

    private static void made(final Intercomm inter, final int size, final int rank) throws MPIException {
        final int[] first = {0};
        final Group mine = inter.getGroup().incl(first);
        final Intercomm created = inter.create(mine);
        assertEquals(rank > 1, created.isNull());
        final Intercomm split = inter.split(rank < 2 ? 3 : MPI.UNDEFINED, 0);
        assertEquals(rank > 1, split.isNull());
        if (rank < 2) {
            assertJoined(created, 2, rank);
            assertJoined(split, 2, rank);
            assertEquals(MPI.CONGRUENT, Comm.compare(created, split));
            created.free();
            split.free();
        }
        // only rank 0 has colour 0
        assertTrue(inter.split(Math.min(rank, 1), 0).isNull());
        assertEquals(size, inter.getSize() + inter.getRemoteSize());
    }
}
