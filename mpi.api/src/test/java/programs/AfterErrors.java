package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Request;
import mpi.UserFunction;

/** What can be used after an error that a call returned: the communicator itself, and others. On at least 3 ranks. */
public final class AfterErrors {
    /** Sizes of data that is copied, and of such that stays with the sender. */
    private static final int[] SIZES = {1, 100_000};

    private static Intracomm comm;
    private static int rank;
    private static int size;

    private AfterErrors() { }

    private interface Call {
        void run() throws MPIException;
    }

    /** The program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        comm = MPI.COMM_WORLD.dup();
        rank = comm.getRank();
        size = comm.getSize();
        truncation();
        badArgument();
        for (final int n : SIZES) {
            failingFunction(n);
            otherCall(n);
            blocksOfOtherLengths(n);
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

    /** A function of the program's that fails on one rank: that and those that would get its result have an error, the others the result. */
    private static void failingFunction(final int n) throws MPIException {
        final List<Thread> failing = new ArrayList<>();
        final Op op = new Op(new UserFunction() {
            @Override
            public void call(final Object in, final Object inOut, final int count, final Datatype type) {
                if (rank == 0) {
                    failing.add(Thread.currentThread());
                    throw new IllegalStateException("thrown on purpose");
                }
                for (int i = 0; i < count; i++) {
                    ((int[]) inOut)[i] += ((int[]) in)[i];
                }
            }
        }, true);
        final MPIException all = assertThrows(MPIException.class, () -> comm.allReduce(new int[n], n, MPI.INT, op));
        assertTrue(all.getMessage().contains(rank == 0 ? "thrown on purpose" : "collective failed on another rank: rank "), all.getMessage());
        assertUsable();
        final Request started = comm.iAllReduce(new int[n], (long) n, MPI.INT, op);
        assertEquals(MPI.ERR_OTHER, errorClass(started::waitFor));
        assertUsable();
        final int[] sum = new int[n];
        final Call reduce = () -> comm.reduce(new int[n], sum, n, MPI.INT, op, 0);
        if (rank == 0) {
            assertEquals(MPI.ERR_OTHER, errorClass(reduce));
        } else {
            reduce.run();
        }
        assertUsable();
        assertEquals(rank == 0, !failing.isEmpty());
        op.free();
    }

    /** One rank calls another operation; all come to an end, and somebody finds out. */
    private static void otherCall(final int n) throws MPIException {
        int found = 0;
        try {
            if (rank == 1) {
                comm.reduce(new int[n], new int[n], n, MPI.INT, MPI.SUM, 0);
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

    /** A rank has no room for what another one sends it. */
    private static void blocksOfOtherLengths(final int n) throws MPIException {
        final int[] counts = new int[size];
        final int[] places = new int[size];
        Arrays.setAll(counts, i -> n);
        Arrays.setAll(places, i -> i * n);
        final int[] less = counts.clone();
        if (rank == 0) {
            less[1] = n - 1;
        }
        final int[] mine = new int[n * size];
        Arrays.fill(mine, rank + 1);
        final int[] got = new int[n * size];
        final Call call = () -> comm.allToAllv(mine, counts, places, MPI.INT, got, less, places, MPI.INT);
        if (rank == 0) {
            assertEquals(MPI.ERR_TRUNCATE, errorClass(call));
        } else {
            call.run();
            final int[] expected = new int[n * size];
            Arrays.setAll(expected, i -> i / n + 1);
            assertArrayEquals(expected, got);
        }
        assertUsable();
    }
}
