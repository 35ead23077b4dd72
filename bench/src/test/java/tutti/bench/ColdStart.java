package tutti.bench;

import java.util.Arrays;
import java.util.Locale;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Measures the first calls of operations with 8 bytes. The arguments are {@code STEADY OPERATION...}. For each operation rank 0 prints
 * {@code OPERATION FIRST MEAN20 MEDIAN20 MEAN2000 STEADY}, times in microseconds: of the first call, mean and median of calls 1 to 20, mean of calls
 * 1,001 to 2,000, and mean of the calls after the first {@code STEADY} ones, a fifth of that number. Each time is the maximum over the ranks.
 *
 * <p>The ranks begin together, after messages, so that no collective operation was called before. Nothing happens between the calls but a look at
 * the clock.
 */
public final class ColdStart {
    /** The calls that must be quick from the beginning. */
    private static final int FIRST = 20;
    private static final int FROM = 1_000;
    private static final int TO = 2_000;

    private ColdStart() {}

    /** Runs the program. */
    public static void main(final String[] arguments) throws MPIException {
        final String[] args = MPI.Init(arguments);
        final int steady = Math.max(TO, Integer.parseInt(args[0]));
        for (final String operation : Arrays.asList(args).subList(1, args.length)) {
            final double[] slowest = measure(MeasuredCall.of(operation, 1), steady);
            if (MPI.COMM_WORLD.getRank() == 0) {
                System.out.printf(Locale.ROOT, "%s %.3f %.3f %.3f %.3f %.3f%n", operation, slowest[0], slowest[1], slowest[2], slowest[3],
                    slowest[4]);
            }
        }
        MPI.Finalize();
    }

    private static double[] measure(final MeasuredCall call, final int steady) throws MPIException {
        final int calls = steady + steady / 5;
        final long[] ends = new long[calls + 1];
        beginTogether();
        ends[0] = System.nanoTime();
        for (int i = 1; i <= calls; i++) {
            call.run();
            ends[i] = System.nanoTime();
        }
        final double[] own = {mean(ends, 0, 1), mean(ends, 0, FIRST), median(ends), mean(ends, FROM, TO), mean(ends, steady, calls)};
        final double[] slowest = new double[own.length];
        MPI.COMM_WORLD.reduce(own, slowest, own.length, MPI.DOUBLE, MPI.MAX, 0);
        return slowest;
    }

    /** Returns when all ranks have called this. */
    private static void beginTogether() throws MPIException {
        final Intracomm world = MPI.COMM_WORLD;
        final byte[] none = new byte[0];
        if (world.getRank() > 0) {
            world.send(none, 0, MPI.BYTE, 0, 0);
            world.recv(none, 0, MPI.BYTE, 0, 0);
            return;
        }
        for (int rank = 1; rank < world.getSize(); rank++) {
            world.recv(none, 0, MPI.BYTE, rank, 0);
        }
        for (int rank = 1; rank < world.getSize(); rank++) {
            world.send(none, 0, MPI.BYTE, rank, 0);
        }
    }

    /** Returns the mean time in microseconds of the calls after the first {@code from} ones, up to number {@code to}. */
    private static double mean(final long[] ends, final int from, final int to) {
        return (ends[to] - ends[from]) / 1e3 / (to - from);
    }

    private static double median(final long[] ends) {
        final double[] times = new double[FIRST];
        Arrays.setAll(times, i -> mean(ends, i, i + 1));
        Arrays.sort(times);
        return (times[FIRST / 2 - 1] + times[FIRST / 2]) / 2;
    }
}
