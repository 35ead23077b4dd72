package tutti.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import mpi.MPI;
import mpi.MPIException;

/**
 * Measures what a call costs its thread: {@code ROUNDS}. Rank 0 prints {@code CALL NANOSECONDS BYTES} per call for getRank and barrier: those of the
 * fastest
 * round.
 */
public final class InterceptedCalls {
    private static final int GETTERS = 2_000_000;
    private static final int BARRIERS = 100_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private InterceptedCalls() {}

    /** Calls that are measured together. */
    private interface Calls {
        int make(int number) throws MPIException;
    }

    /** Runs the program. */
    public static void main(final String[] arguments) throws MPIException {
        final int rounds = Integer.parseInt(MPI.Init(arguments)[0]);
        measure("getRank", rounds, GETTERS, InterceptedCalls::getRank);
        measure("barrier", rounds, BARRIERS, InterceptedCalls::barrier);
        MPI.Finalize();
    }

    private static int getRank(final int number) throws MPIException {
        int sum = 0;
        for (int i = 0; i < number; i++) {
            sum += MPI.COMM_WORLD.getRank();
        }
        return sum;
    }

    private static int barrier(final int number) throws MPIException {
        for (int i = 0; i < number; i++) {
            MPI.COMM_WORLD.barrier();
        }
        return 0;
    }

    private static void measure(final String name, final int rounds, final int number, final Calls calls) throws MPIException {
        double best = Double.MAX_VALUE;
        long bytes = Long.MAX_VALUE;
        int sum = 0;
        for (int round = 0; round <= rounds; round++) {
            MPI.COMM_WORLD.barrier();
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            final long begin = System.nanoTime();
            sum += calls.make(number);
            final long end = System.nanoTime();
            bytes = Math.min(bytes, THREADS.getCurrentThreadAllocatedBytes() - before);
            best = Math.min(best, (double) (end - begin) / number);
        }
        if (MPI.COMM_WORLD.getRank() == 0 && sum >= 0) {
            System.out.printf(Locale.ROOT, "%s %.1f %.1f%n", name, best, (double) bytes / number);
        }
    }
}
