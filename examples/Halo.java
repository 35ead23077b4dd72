import java.nio.DoubleBuffer;
import java.util.Locale;
import mpi.Info;
import mpi.MPI;
import mpi.MPIException;
import mpi.Win;

/**
 * Smooths a row of numbers: each rank has a part, and writes its outer numbers to the halo of its neighbours, which make no call for that.
 *
 * <p>Run it with {@code ./tutti run -n 3 examples/Halo.java}, or with {@code --nodes 2} on two nodes.
 */
public final class Halo {
    private static final int EACH = 1_000;
    private static final int STEPS = 200;

    private Halo() {}

    /** Runs the program, without arguments. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int rank = MPI.COMM_WORLD.getRank();
        final int size = MPI.COMM_WORLD.getSize();
        // beyond the ends there is no process, and nothing is written
        final int left = rank == 0 ? MPI.PROC_NULL : rank - 1;
        final int right = rank == size - 1 ? MPI.PROC_NULL : rank + 1;
        // numbers 1 to EACH are this rank's, 0 and EACH + 1 its halo
        final DoubleBuffer row = MPI.newDoubleBuffer(EACH + 2);
        final DoubleBuffer smooth = MPI.newDoubleBuffer(EACH + 2);
        for (int i = 1; i <= EACH; i++) {
            row.put(i, rank == 0 && i == 1 ? size * EACH : 0);
        }
        try (Win win = new Win(row, EACH + 2, 1, new Info(), MPI.COMM_WORLD)) {
            for (int step = 0; step < STEPS; step++) {
                row.put(0, rank == 0 ? row.get(1) : 0).put(EACH + 1, rank == size - 1 ? row.get(EACH) : 0);
                win.fence(0);
                win.put(MPI.slice(row, 1), 1, MPI.DOUBLE, left, EACH + 1, 1, MPI.DOUBLE);
                win.put(MPI.slice(row, EACH), 1, MPI.DOUBLE, right, 0, 1, MPI.DOUBLE);
                win.fence(0);
                for (int i = 1; i <= EACH; i++) {
                    smooth.put(i, (row.get(i - 1) + 2 * row.get(i) + row.get(i + 1)) / 4);
                }
                row.put(1, smooth, 1, EACH);
            }
        }
        double own = 0;
        for (int i = 1; i <= EACH; i++) {
            own += row.get(i);
        }
        final double[] sum = {own};
        MPI.COMM_WORLD.allReduce(sum, 1, MPI.DOUBLE, MPI.SUM);
        if (rank == 0) {
            System.out.printf(Locale.ROOT, "after %d steps the sum of %d numbers is %.3f%n", STEPS, size * EACH, sum[0]);
        }
        MPI.Finalize();
    }
}
