import mpi.MPI;
import mpi.MPIException;

/**
 * The smallest program: every rank prints its number and its node.
 *
 * <p>Run it with {@code ./tutti run -n 4 examples/HelloWorld.java}; the order of the lines is not defined.
 */
public final class HelloWorld {
    private HelloWorld() {}

    /** Runs the program, without arguments. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int rank = MPI.COMM_WORLD.getRank();
        final int size = MPI.COMM_WORLD.getSize();
        System.out.printf("Hello from rank %d of %d on node %s%n", rank, size, MPI.getNodeName());
        MPI.Finalize();
    }
}
