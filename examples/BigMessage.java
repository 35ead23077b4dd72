import mpi.MPI;
import mpi.MPIException;
import mpi.Status;

/**
 * Sends one message of 1 GiB from rank 0 to the last rank, which checks every element.
 *
 * <p>Run it with {@code ./tutti run -n 2 examples/BigMessage.java [DOUBLES]}. Each of the two ranks has one array of that size and nothing
 * else, so a heap of 3 GiB per node is enough, even when both ranks are on the same node.
 */
public final class BigMessage {
    private static final int DOUBLES = 1 << 27;
    private static final int TAG = 1;

    private BigMessage() {}

    /** Runs the program. The argument is the number of doubles, 134,217,728 by default. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int rank = MPI.COMM_WORLD.getRank();
        final int last = MPI.COMM_WORLD.getSize() - 1;
        final int n = args.length > 0 ? Integer.parseInt(args[0]) : DOUBLES;
        if (last == 0) {
            System.err.println("the message needs a sender and a receiver: -n 2");
            System.exit(2);
        }
        int wrong = 0;
        if (rank == 0) {
            final double[] data = new double[n];
            for (int i = 0; i < n; i++) {
                data[i] = element(i);
            }
            MPI.COMM_WORLD.send(data, n, MPI.DOUBLE, last, TAG);
        } else if (rank == last) {
            final double[] data = new double[n];
            MPI.COMM_WORLD.probe(0, TAG);
            final double start = MPI.wtime();
            final Status status = MPI.COMM_WORLD.recv(data, n, MPI.DOUBLE, 0, TAG);
            final double seconds = MPI.wtime() - start;
            wrong = count(data, status.getCount(MPI.DOUBLE));
            System.out.printf("%d doubles (%.1f MiB) in %.3f s, %.0f MB/s, %d wrong%n", status.getCount(MPI.DOUBLE), n / 131072.0, seconds,
                n * 8.0 / seconds / 1e6, wrong);
        }
        MPI.Finalize();
        System.exit(wrong == 0 ? 0 : 1);
    }

    private static double element(final int i) {
        return i * 0.5 + 1;
    }

    /** Returns the number of elements that differ from what rank 0 sent, including missing ones. */
    private static int count(final double[] data, final int received) {
        int wrong = data.length - received;
        for (int i = 0; i < received; i++) {
            if (data[i] != element(i)) {
                wrong++;
            }
        }
        return wrong;
    }
}
