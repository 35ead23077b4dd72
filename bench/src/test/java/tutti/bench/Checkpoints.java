package tutti.bench;

import mpi.MPI;
import mpi.MPIException;
import tutti.checkpoint.Checkpoint;

/**
 * Measures checkpoints: arguments are the number of rounds and the MiB of each rank. Rank 0 prints the time of a point at which nobody asks, in
 * nanoseconds, and the MiB per second of all ranks for data that has changed and for data that has not; the best of the rounds.
 */
public final class Checkpoints {
    private static final int POINTS = 2_000_000;
    private static final double MIB = 1 << 20;

    private Checkpoints() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int rounds = Integer.parseInt(args[0]);
        final int mib = Integer.parseInt(args[1]);
        final long[] data = new long[(int) (mib * MIB / Long.BYTES)];
        final Checkpoint state = Checkpoint.of(MPI.COMM_WORLD);
        state.array("data", data);
        double point = Double.MAX_VALUE;
        double changed = Double.MAX_VALUE;
        double unchanged = Double.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            final long from = System.nanoTime();
            for (int i = 0; i < POINTS; i++) {
                Checkpoint.here(MPI.COMM_WORLD);
            }
            point = Math.min(point, (System.nanoTime() - from) / (double) POINTS);
            for (int i = 0; i < data.length; i++) {
                data[i] = data[i] * 6364136223846793005L + i + round + MPI.COMM_WORLD.getRank();
            }
            changed = Math.min(changed, force());
            unchanged = Math.min(unchanged, force());
        }
        final double all = (double) mib * MPI.COMM_WORLD.getSize();
        if (MPI.COMM_WORLD.getRank() == 0) {
            System.out.printf("%.1f %.0f %.0f%n", point, all / changed, all / unchanged);
        }
        MPI.Finalize();
    }

    private static double force() throws MPIException {
        MPI.COMM_WORLD.barrier();
        final long from = System.nanoTime();
        if (!Checkpoint.force(MPI.COMM_WORLD)) {
            throw new IllegalStateException("no checkpoint was made");
        }
        return (System.nanoTime() - from) / 1e9;
    }
}
