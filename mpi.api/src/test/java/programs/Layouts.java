package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/** Buffers that have to be staged: arrays of booleans, and datatypes with gaps. On any number of ranks, including one. */
public final class Layouts {
    private static final Intracomm WORLD = MPI.COMM_WORLD;

    private Layouts() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        final int p = WORLD.getSize();
        final int me = WORLD.getRank();
        final int[] counts = new int[p];
        final int[] displs = new int[p];
        Arrays.fill(counts, 2);
        Arrays.setAll(displs, r -> 3 * r + 1);
        final boolean[] all = new boolean[3 * p];
        all[0] = true;
        WORLD.allGatherv(new boolean[] {true, me % 2 == 0}, 2, MPI.BOOLEAN, all, counts, displs, MPI.BOOLEAN);
        final boolean[] expected = new boolean[3 * p];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = i == 0 || i % 3 == 1 || i % 3 == 2 && i / 3 % 2 == 0;
        }
        assertArrayEquals(expected, all);
        WORLD.allReduce(all, 3 * p, MPI.BOOLEAN, MPI.LXOR);
        assertArrayEquals(p % 2 == 1 ? expected : new boolean[3 * p], all);

        final Datatype everySecond = Datatype.createVector(2, 1, 2, MPI.BOOLEAN);
        everySecond.commit();
        final boolean[] got = {false, true, false, false};
        WORLD.sendRecv(new boolean[] {true, true}, 2, MPI.BOOLEAN, me, 0, got, 1, everySecond, me, 0);
        assertArrayEquals(new boolean[] {true, true, true, false}, got);
        final int[] half = new int[5];
        final Datatype ends = Datatype.createVector(2, 1, 3, MPI.INT);
        ends.commit();
        WORLD.sendRecv(new int[] {7}, 1, MPI.INT, me, 0, half, 1, ends, me, 0);
        assertArrayEquals(new int[] {7, 0, 0, 0, 0}, half);

        final Datatype sparse = Datatype.createResized(MPI.INT, 0, 8);
        sparse.commit();
        final int[] ints = new int[2 * p + 2];
        Arrays.fill(counts, 1);
        Arrays.setAll(displs, r -> r + 1);
        WORLD.allGatherv(new int[] {me + 5}, 1, MPI.INT, ints, counts, displs, sparse);
        final int[] expectedInts = new int[2 * p + 2];
        Arrays.setAll(expectedInts, i -> i > 0 && i % 2 == 0 ? i / 2 + 4 : 0);
        assertArrayEquals(expectedInts, ints);
    }
}
