import java.nio.charset.StandardCharsets;
import mpi.MPI;
import mpi.MPIException;

/**
 * Computes pi by numerical integration on all ranks: the first program of every MPI course.
 *
 * <p>Run it with {@code ./tutti run -n 4 examples/Pi.java [INTERVALS]}. It shows a reduction and the two forms of gather, for blocks of
 * equal and of different size.
 */
public final class Pi {
    private static final int INTERVALS = 10_000_000;

    private Pi() {}

    /** Runs the program. The argument is the number of intervals, 10,000,000 by default. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int rank = MPI.COMM_WORLD.getRank();
        final int size = MPI.COMM_WORLD.getSize();
        final int intervals = args.length > 0 ? Integer.parseInt(args[0]) : INTERVALS;

        final double[] pi = {integrate(rank, size, intervals)};
        MPI.COMM_WORLD.allReduce(pi, 1, MPI.DOUBLE, MPI.SUM);

        final String[] workers = gather("rank " + rank + " on " + MPI.getNodeName(), rank, size);
        if (rank == 0) {
            for (final String worker : workers) {
                System.out.println(worker);
            }
            System.out.printf("pi is approximately %.12f, error %.1e%n", pi[0], Math.abs(pi[0] - Math.PI));
        }
        MPI.Finalize();
    }

    /** Returns this rank's part of the integral of 4/(1+x^2) from 0 to 1, by the midpoint rule. */
    private static double integrate(final int rank, final int size, final int intervals) {
        final double h = 1.0 / intervals;
        double sum = 0;
        for (int i = rank; i < intervals; i += size) {
            final double x = h * (i + 0.5);
            sum += 4 / (1 + x * x);
        }
        return h * sum;
    }

    /** Returns the texts of all ranks in rank order on rank 0; null on other ranks. */
    private static String[] gather(final String text, final int rank, final int size) throws MPIException {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final int[] lengths = new int[size];
        MPI.COMM_WORLD.gather(new int[] {bytes.length}, 1, MPI.INT, lengths, 1, MPI.INT, 0);
        if (rank != 0) {
            MPI.COMM_WORLD.gatherv(bytes, bytes.length, MPI.BYTE, 0);
            return null;
        }
        final int[] starts = new int[size];
        for (int r = 1; r < size; r++) {
            starts[r] = starts[r - 1] + lengths[r - 1];
        }
        final byte[] all = new byte[starts[size - 1] + lengths[size - 1]];
        MPI.COMM_WORLD.gatherv(bytes, bytes.length, MPI.BYTE, all, lengths, starts, MPI.BYTE, 0);
        final String[] texts = new String[size];
        for (int r = 0; r < size; r++) {
            texts[r] = new String(all, starts[r], lengths[r], StandardCharsets.UTF_8);
        }
        return texts;
    }
}
