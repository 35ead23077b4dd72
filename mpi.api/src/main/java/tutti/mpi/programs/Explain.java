package tutti.mpi.programs;

import java.util.ArrayList;
import java.util.List;
import mpi.Explanation;
import mpi.MPI;
import mpi.MPIException;

/**
 * What {@code tutti explain} runs: on rank 0, prints what serves the operations that the arguments name, or all, on {@code MPI.COMM_WORLD};
 * with {@code --json} as the first argument as JSON.
 */
public final class Explain {
    private Explain() { }

    /** The program. */
    public static void main(final String[] args) throws MPIException {
        final List<String> operations = new ArrayList<>(List.of(MPI.Init(args)));
        if (MPI.COMM_WORLD.getRank() == 0) {
            final boolean json = operations.remove("--json");
            final List<Explanation> all = new ArrayList<>(MPI.COMM_WORLD.explain());
            if (!operations.isEmpty()) {
                all.clear();
                for (final String operation : operations) {
                    all.add(MPI.COMM_WORLD.explain(operation));
                }
            }
            System.out.print(json ? ExplanationText.json(all) : ExplanationText.lines(all));
        }
        MPI.Finalize();
    }
}
