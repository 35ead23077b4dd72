package tutti.bench;

import java.util.Arrays;
import java.util.Locale;
import mpi.MPI;
import mpi.MPIException;

/**
 * Measures calls from the first on: arguments are a number of calls and, for each of some operations, {@code OPERATION=BYTES}, with the bytes as
 * rules count them. Rank 0 prints a line for each: the operation, the bytes, the time of so many calls together, and the median time of as many more,
 * both in microseconds; before the latter 100 times as many warm the code up. A barrier precedes each call. The time of a call is that of the slowest
 * rank.
 */
public final class TunedCalls {
    private static final double MICROS = 1e3;
    private static final int WARM_UP = 100;

    private TunedCalls() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int calls = Integer.parseInt(args[0]);
        for (final String arg : Arrays.copyOfRange(args, 1, args.length)) {
            final String operation = arg.substring(0, arg.indexOf('='));
            final int bytes = Integer.parseInt(arg.substring(arg.indexOf('=') + 1));
            final boolean hasBlocks = operation.equals("allgather") || operation.equals("alltoall");
            final MeasuredCall call = MeasuredCall.of(operation, bytes / Double.BYTES / (hasBlocks ? MPI.COMM_WORLD.getSize() : 1));
            final double[] first = measure(call, calls);
            measure(call, WARM_UP * calls);
            final double[] later = measure(call, calls);
            Arrays.sort(later);
            if (MPI.COMM_WORLD.getRank() == 0) {
                System.out.printf(Locale.ROOT, "%s %d %.1f %.2f%n", operation, bytes, Arrays.stream(first).sum() / MICROS, later[calls / 2] / MICROS);
            }
        }
        MPI.Finalize();
    }

    private static double[] measure(final MeasuredCall call, final int calls) throws MPIException {
        final double[] times = new double[calls];
        for (int i = 0; i < calls; i++) {
            MPI.COMM_WORLD.barrier();
            final long begin = System.nanoTime();
            call.run();
            times[i] = System.nanoTime() - begin;
        }
        MPI.COMM_WORLD.allReduce(times, calls, MPI.DOUBLE, MPI.MAX);
        return times;
    }
}
