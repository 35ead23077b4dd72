package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static programs.RevokedComms.revoked;

import java.util.List;
import mpi.Comm;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import org.junit.jupiter.api.function.Executable;

/** Intercommunicators between the even ranks and the odd ranks, which a rank revokes while others wait. On at least 2 ranks. */
public final class RevokedIntercomms {
    private static final int[] DATA = new int[8];
    private static final int TAG = 1;

    private RevokedIntercomms() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final int rank = MPI.COMM_WORLD.getRank();
        final int size = MPI.COMM_WORLD.getSize();
        final Intracomm half = MPI.COMM_WORLD.split(rank % 2, 0);
        final Intercomm first = MPI.COMM_WORLD.createIntercomm(half, 0, 1 - rank % 2, TAG);
        exchanges(first);
        // a rank of either group revokes
        Intercomm inter = first;
        for (final int revoking : List.of(size - 1, size - 2, 0)) {
            whileOthersWait(inter, rank == revoking);
            refused(inter);
            assertTrue(inter.isInter());
            assertEquals(half.getSize(), inter.getSize());
            assertEquals(size - half.getSize(), inter.getRemoteSize());
            assertEquals(inter.getRemoteSize(), inter.getRemoteGroup().getSize());
            RevokedComms.localOnEvery(inter);
            FailuresOfNone.agrees(inter);
            final Intercomm shrunk = inter.shrink();
            assertSame(MPI.ERRORS_RETURN, shrunk.getErrhandler());
            assertEquals(MPI.CONGRUENT, Comm.compare(inter, shrunk));
            inter.free();
            FailuresOfNone.knowsOfNoFailure(shrunk);
            exchanges(shrunk);
            inter = shrunk;
        }
        inter.free();
        // the communicators from which the intercommunicator was created are not revoked
        assertFalse(half.isRevoked());
        FailuresOfNone.sums(half);
        half.free();
        FailuresOfNone.sums(MPI.COMM_WORLD);
    }

    private static void whileOthersWait(final Intercomm inter, final boolean revokes) throws MPIException {
        final Request pending = inter.iRecv(new int[1], 1L, MPI.INT, MPI.ANY_SOURCE, TAG);
        MPI.COMM_WORLD.barrier();
        if (revokes) {
            inter.revoke();
        } else {
            revoked(() -> inter.recv(new int[1], 1, MPI.INT, 0, TAG));
        }
        assertTrue(inter.isRevoked());
        revoked(pending::waitFor);
    }

    private static void refused(final Intercomm inter) {
        List.<Executable>of(
            () -> inter.send(DATA, 1, MPI.INT, 0, TAG),
            () -> inter.recv(DATA, 1, MPI.INT, MPI.ANY_SOURCE, TAG),
            inter::barrier,
            () -> inter.allReduce(DATA, new int[1], 1, MPI.INT, MPI.SUM),
            inter::dup,
            () -> inter.merge(false),
            () -> inter.split(0, 0),
            () -> inter.create(inter.getGroup())).forEach(RevokedComms::revoked);
    }

    /** Exchanges data between the groups, and among all ranks. */
    private static void exchanges(final Intercomm inter) throws MPIException {
        final int[] sum = new int[1];
        inter.allReduce(new int[] {1}, sum, 1, MPI.INT, MPI.SUM);
        assertEquals(inter.getRemoteSize(), sum[0]);
        if (inter.getRank() == 0) {
            final int[] got = new int[1];
            inter.sendRecv(new int[] {MPI.COMM_WORLD.getRank()}, 1, MPI.INT, 0, 2, got, 1, MPI.INT, MPI.ANY_SOURCE, 2);
            assertEquals(1 - MPI.COMM_WORLD.getRank(), got[0]);
        }
        try (Intracomm merged = inter.merge(MPI.COMM_WORLD.getRank() % 2 == 1)) {
            assertEquals(MPI.COMM_WORLD.getSize(), merged.getSize());
            FailuresOfNone.sums(merged);
        }
    }
}
