import java.nio.LongBuffer;
import mpi.MPI;
import mpi.MPIException;
import mpi.Win;

/**
 * Shares out work that takes longer for some items than for others: each rank takes the next item from a counter at rank 0, which makes no call for
 * that, as it works on items as well.
 *
 * <p>Run it with {@code ./tutti run -n 3 examples/WorkQueue.java}, or with {@code --nodes 2} on two nodes.
 */
public final class WorkQueue {
    private static final int ITEMS = 2_000;

    private WorkQueue() {}

    /** Runs the program, without arguments. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int rank = MPI.COMM_WORLD.getRank();
        long done = 0;
        long primes = 0;
        try (Win win = new Win(rank == 0 ? 1 : 0, 1, MPI.INFO_NULL, MPI.COMM_WORLD, LongBuffer.allocate(0), Win.FLAVOR_PRIVATE)) {
            final LongBuffer one = MPI.newLongBuffer(1).put(0, 1);
            final LongBuffer item = MPI.newLongBuffer(1);
            win.lockAll(0);
            while (true) {
                win.fetchAndOp(one, item, MPI.LONG, 0, 0, MPI.SUM);
                win.flush(0);
                if (item.get(0) >= ITEMS) {
                    break;
                }
                done++;
                primes += isPrime(item.get(0)) ? 1 : 0;
            }
            win.unlockAll();
        }
        final long[] sums = {done, primes};
        MPI.COMM_WORLD.allReduce(sums, 2, MPI.LONG, MPI.SUM);
        if (rank == 0) {
            System.out.println(sums[0] + " items are done, " + sums[1] + " of them are prime");
        }
        MPI.Finalize();
    }

    private static boolean isPrime(final long number) {
        for (long i = 2; i * i <= number; i++) {
            if (number % i == 0) {
                return false;
            }
        }
        return number > 1;
    }
}
