import mpi.MPI;
import mpi.MPIException;

/**
 * Sends a token around the ring of ranks; every rank adds its number to it.
 *
 * <p>Run it with {@code ./tutti run -n 4 examples/Ring.java [ROUNDS]}. Rank 0 checks the sum that it receives.
 */
public final class Ring {
    private static final int TAG = 1;

    private Ring() {}

    /** Runs the program. The argument is the number of rounds, 3 by default. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int rank = MPI.COMM_WORLD.getRank();
        final int size = MPI.COMM_WORLD.getSize();
        final int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 3;
        if (size < 2) {
            System.err.println("a ring needs two ranks at least: -n 2");
            System.exit(2);
        }
        final int next = (rank + 1) % size;
        final int previous = (rank + size - 1) % size;
        final long[] token = new long[1];
        for (int round = 0; round < rounds; round++) {
            if (rank == 0) {
                MPI.COMM_WORLD.send(token, 1, MPI.LONG, next, TAG);
                MPI.COMM_WORLD.recv(token, 1, MPI.LONG, previous, TAG);
                System.out.printf("round %d: the token is back with %d%n", round + 1, token[0]);
            } else {
                MPI.COMM_WORLD.recv(token, 1, MPI.LONG, previous, TAG);
                token[0] += rank;
                MPI.COMM_WORLD.send(token, 1, MPI.LONG, next, TAG);
            }
        }
        MPI.Finalize();
        final long expected = (long) rounds * size * (size - 1) / 2;
        if (rank == 0 && token[0] != expected) {
            System.err.printf("wrong sum: token=%d, expected=%d%n", token[0], expected);
            System.exit(1);
        }
    }
}
