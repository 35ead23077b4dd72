///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 25
//REPOS tutti=file:///path/to/tutti/repository
//DEPS tutti:tutti.mpi.api:0.1.0-SNAPSHOT
//SOURCES parts/Numbers.java

import java.util.Arrays;
import mpi.MPI;
import mpi.MPIException;

/**
 * Prints the mean of the numbers of all ranks; a source file for JBang and development environments, which {@code tutti run} runs as it is.
 *
 * <p>Run it with {@code ./tutti run -n 4 examples/jbang/Mean.java}.
 */
public final class Mean {
    private Mean() {}

    /** Runs the program, without arguments. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final double[] mine = Numbers.of(MPI.COMM_WORLD.getRank());
        final double[] sums = {Arrays.stream(mine).sum(), mine.length};
        MPI.COMM_WORLD.allReduce(sums, 2, MPI.DOUBLE, MPI.SUM);
        if (MPI.COMM_WORLD.getRank() == 0) {
            System.out.println("the mean of " + (int) sums[1] + " numbers is " + sums[0] / sums[1]);
        }
        MPI.Finalize();
    }
}
