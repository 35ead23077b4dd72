package tutti.mpi.programs;

import java.io.PrintStream;
import mpi.MPI;
import mpi.MPIException;

/**
 * The program of {@code tutti explain --plan}: every rank plans a call on {@code MPI.COMM_WORLD} without executing it, and rank 0 prints all
 * plans as a JSON array. Arguments: the operation, the bytes, the root, the rank whose plan is wanted or -1 for all, and the maximum number of
 * tasks.
 */
public final class ExplainPlan {
    private ExplainPlan() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        final PrintStream results = Results.begin();
        final String[] rest = MPI.Init(args);
        final String plans = PlanGather.run(ExplainPlan.class.getClassLoader(), rest);
        if (MPI.COMM_WORLD.getRank() == 0) {
            results.print(plans);
        }
        MPI.Finalize();
    }
}
