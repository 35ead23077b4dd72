import mpi.MPI;
import mpi.MPIException;

/**
 * Measures latency and bandwidth: ranks 0 and 1 send messages of growing size to and fro.
 *
 * <p>Run it with {@code ./tutti run -n 2 --nodes 2 examples/PingPong.java}, or with {@code --nodes 1} for two ranks on one node. The table
 * shows half of the mean round-trip time and the bandwidth in one direction. Other ranks wait.
 */
public final class PingPong {
    private static final int SMALLEST = 8;
    private static final int LARGEST = 4 << 20;
    /** The number of bytes sent for each line of the table, within the limits of the repetitions. */
    private static final int VOLUME = 64 << 20;
    private static final int MOST = 5_000;
    private static final int LEAST = 20;

    private PingPong() {}

    /** Runs the program, without arguments. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int rank = MPI.COMM_WORLD.getRank();
        if (MPI.COMM_WORLD.getSize() < 2) {
            System.err.println("ping-pong needs two ranks: -n 2");
            System.exit(2);
        }
        if (rank == 0) {
            System.out.printf("%10s %14s %16s%n", "bytes", "latency [us]", "bandwidth [MB/s]");
        }
        final byte[] data = new byte[LARGEST];
        for (int bytes = SMALLEST; bytes <= LARGEST; bytes *= 2) {
            final int times = Math.clamp(VOLUME / bytes, LEAST, MOST);
            if (rank < 2) {
                exchange(data, bytes, times, rank);
                final double start = MPI.wtime();
                exchange(data, bytes, times, rank);
                final double oneWay = (MPI.wtime() - start) / times / 2;
                if (rank == 0) {
                    System.out.printf("%10d %14.2f %16.1f%n", bytes, oneWay * 1e6, bytes / oneWay / 1e6);
                }
            }
        }
        MPI.Finalize();
    }

    private static void exchange(final byte[] data, final int bytes, final int times, final int rank) throws MPIException {
        final int peer = 1 - rank;
        for (int i = 0; i < times; i++) {
            if (rank == 0) {
                MPI.COMM_WORLD.send(data, bytes, MPI.BYTE, peer, 0);
                MPI.COMM_WORLD.recv(data, bytes, MPI.BYTE, peer, 0);
            } else {
                MPI.COMM_WORLD.recv(data, bytes, MPI.BYTE, peer, 0);
                MPI.COMM_WORLD.send(data, bytes, MPI.BYTE, peer, 0);
            }
        }
    }
}
