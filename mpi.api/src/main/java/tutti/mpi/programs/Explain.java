package tutti.mpi.programs;

import java.util.ArrayList;
import java.util.List;
import mpi.Explanation;
import mpi.MPI;
import mpi.MPIException;

/**
 * The program of {@code tutti explain}: on rank 0, prints the explanations of the operations that the arguments name, or of all, on
 * {@code MPI.COMM_WORLD}. Argument {@code --json} selects JSON, {@code --bytes} and a number select calls of that size.
 */
public final class Explain {
    private Explain() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        final List<String> operations = new ArrayList<>(List.of(MPI.Init(args)));
        if (MPI.COMM_WORLD.getRank() == 0) {
            final boolean json = operations.remove("--json");
            final int at = operations.indexOf("--bytes");
            final Long bytes = at < 0 ? null : Long.valueOf(operations.remove(at + 1));
            operations.remove("--bytes");
            if (operations.isEmpty()) {
                MPI.COMM_WORLD.explain().forEach(e -> operations.add(e.operation()));
            }
            final List<Explanation> all = new ArrayList<>();
            for (final String operation : operations) {
                all.add(bytes == null ? MPI.COMM_WORLD.explain(operation) : MPI.COMM_WORLD.explain(operation, bytes));
            }
            System.out.print(json ? ExplanationText.json(all) : ExplanationText.lines(all));
        }
        MPI.Finalize();
    }
}
