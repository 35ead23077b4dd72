package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Prequest;
import mpi.UserFunction;

/** Uses the communicator and others after an error that a call returned. On at least 3 ranks. */
public final class AfterErrors {
    /** Sizes of data that is sent eagerly, and of data that stays with the sender. */
    private static final int[] SIZES = {1, 100_000};

    private static Intracomm comm;
    private static int rank;
    private static int size;

    private AfterErrors() {}

    private interface Call {
        void run() throws MPIException;
    }

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        comm = MPI.COMM_WORLD.dup();
        rank = comm.getRank();
        size = comm.getSize();
        truncation();
        badArgument();
        for (final int n : SIZES) {
            failingFunction(n);
            blocksOfOtherLengths(n + 1);
            otherCall(n);
        }
        comm.disconnect();
        MPI.COMM_WORLD.barrier();
    }

    private static void assertUsable() throws MPIException {
        for (final Intracomm c : new Intracomm[] {comm, MPI.COMM_WORLD}) {
            final int[] sum = {rank};
            c.allReduce(sum, 1, MPI.INT, MPI.SUM);
            assertEquals(size * (size - 1) / 2, sum[0]);
            final int[] got = new int[1];
            c.sendRecv(new int[] {rank}, 1, MPI.INT, (rank + 1) % size, 9, got, 1, MPI.INT, (rank + size - 1) % size, 9);
            assertEquals((rank + size - 1) % size, got[0]);
        }
    }

    private static int errorClass(final Call call) {
        return assertThrows(MPIException.class, call::run).getErrorClass();
    }

    private static void truncation() throws MPIException {
        for (final int n : SIZES) {
            if (rank == 0) {
                comm.send(new int[n + 1], n + 1, MPI.INT, 1, 0);
            } else if (rank == 1) {
                assertEquals(MPI.ERR_TRUNCATE, errorClass(() -> comm.recv(new int[n], n, MPI.INT, 0, 0)));
            }
            assertUsable();
        }
    }

    private static void badArgument() throws MPIException {
        assertEquals(MPI.ERR_ROOT, errorClass(() -> comm.bcast(new int[1], 1, MPI.INT, size)));
        if (rank == 1) {
            assertEquals(MPI.ERR_COUNT, errorClass(() -> comm.allReduce(new int[1], -1, MPI.INT, MPI.SUM)));
            assertEquals(MPI.ERR_BUFFER, errorClass(() -> comm.iAllReduce(new int[1], 2L, MPI.INT, MPI.SUM)));
        }
        assertUsable();
    }

    /** A user function fails on rank 0: rank 0 and the ranks that depend on its result get an error, the others the correct result. */
    private static void failingFunction(final int n) throws MPIException {
        final boolean[] failed = new boolean[1];
        final Op op = new Op(new UserFunction() {
            @Override
            public void call(final Object in, final Object inOut, final int count, final Datatype type) {
                if (rank == 0) {
                    failed[0] = true;
                    throw new IllegalStateException("thrown on purpose");
                }
                for (int i = 0; i < count; i++) {
                    ((int[]) inOut)[i] += ((int[]) in)[i];
                }
            }
        }, true);
        final int all = size * (size - 1) / 2;
        final int[] data = new int[n];
        errorOr(failed, data, all, () -> comm.allReduce(data, n, MPI.INT, op));
        errorOr(failed, data, all, () -> comm.iAllReduce(data, (long) n, MPI.INT, op).waitFor());
        errorOr(failed, data, rank == 0 ? all : rank, () -> comm.reduce(data.clone(), data, n, MPI.INT, op, 0));
        errorOr(failed, data, rank == size - 1 ? all : rank, () -> comm.reduce(data.clone(), data, n, MPI.INT, op, size - 1));
        errorOr(failed, data, rank * (rank + 1) / 2, () -> comm.scan(data, n, MPI.INT, op));
        final Prequest persistent = comm.allReduceInit(data, n, MPI.INT, op);
        errorOr(failed, data, all, () -> {
            persistent.start();
            persistent.waitFor();
        });
        persistent.free();
        op.free();
    }

    private static void errorOr(final boolean[] failed, final int[] data, final int result, final Call call) throws MPIException {
        Arrays.fill(data, rank);
        failed[0] = false;
        boolean isError = false;
        try {
            call.run();
            assertEquals(result, data[0]);
            assertEquals(result, data[data.length - 1]);
        } catch (final MPIException e) {
            isError = true;
            assertEquals(MPI.ERR_OTHER, e.getErrorClass());
            assertTrue(e.getMessage().contains(rank == 0 ? "thrown on purpose" : "collective failed on another rank: rank "), e.getMessage());
        }
        if (rank == 0) {
            assertEquals(failed[0], isError);
        }
        assertUsable();
    }

    /** One rank calls another operation; all calls end, and at least one rank gets an error. */
    private static void otherCall(final int n) throws MPIException {
        int found = 0;
        try {
            if (rank == 1) {
                comm.allGather(new int[n], n, MPI.INT, new int[n * size], n, MPI.INT);
            } else {
                comm.bcast(new int[n], n, MPI.INT, 0);
            }
        } catch (final MPIException e) {
            found = 1;
        }
        final int[] all = {found};
        MPI.COMM_WORLD.allReduce(all, 1, MPI.INT, MPI.SUM);
        assertTrue(all[0] > 0);
        assertUsable();
    }

    /** A rank's receive buffer is too small for the data of another rank. */
    private static void blocksOfOtherLengths(final int n) throws MPIException {
        final int[] counts = new int[size];
        final int[] displs = new int[size];
        Arrays.setAll(counts, i -> n);
        Arrays.setAll(displs, i -> i * n);
        final int[] less = counts.clone();
        if (rank == 0) {
            less[1] = n - 1;
        }
        final int[] mine = new int[n * size];
        Arrays.fill(mine, rank + 1);
        final int[] got = new int[n * size];
        final Call call = () -> comm.allToAllv(mine, counts, displs, MPI.INT, got, less, displs, MPI.INT);
        if (rank == 0) {
            assertEquals(MPI.ERR_TRUNCATE, errorClass(call));
        } else {
            try {
                call.run();
                final int[] expected = new int[n * size];
                Arrays.setAll(expected, i -> i / n + 1);
                assertArrayEquals(expected, got);
            } catch (final MPIException e) {
                // rank 0, which ends its call at once, or a rank that its failure had reached
                assertTrue(e.getMessage().startsWith("collective failed on another rank: rank "), e.getMessage());
            }
        }
        assertUsable();
    }
}
