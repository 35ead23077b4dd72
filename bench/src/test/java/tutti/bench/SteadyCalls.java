package tutti.bench;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import mpi.MPI;
import mpi.MPIException;

/**
 * Calls allreduce of a double at a rate, until rank 0 reads a line: the argument is the number of calls in a second. Rank 0 prints {@code up} when
 * the calls begin, and their number at the end.
 */
public final class SteadyCalls {
    private SteadyCalls() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final boolean isFirst = MPI.COMM_WORLD.getRank() == 0;
        final long interval = TimeUnit.SECONDS.toNanos(1) / Integer.parseInt(args[0]);
        final AtomicBoolean isRead = new AtomicBoolean();
        if (isFirst) {
            final Thread reader = new Thread(() -> read(isRead));
            reader.setDaemon(true);
            reader.start();
            System.out.println("up");
        }
        final double[] in = {0};
        final double[] out = {0};
        long calls = 0;
        long next = System.nanoTime();
        while (out[0] == 0) {
            in[0] = isFirst && isRead.get() ? 1 : 0;
            MPI.COMM_WORLD.allReduce(in, out, 1, MPI.DOUBLE, MPI.SUM);
            calls++;
            next += interval;
            LockSupport.parkNanos(next - System.nanoTime());
        }
        if (isFirst) {
            System.out.println(calls);
        }
        MPI.Finalize();
    }

    private static void read(final AtomicBoolean isRead) {
        try {
            System.in.read();
        } catch (final IOException e) {
            System.err.println(e);
        }
        isRead.set(true);
    }
}
