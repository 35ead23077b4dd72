package tutti.mpi.programs;

import java.util.ArrayList;
import java.util.List;
import mpi.Comm;
import mpi.Explanation;
import mpi.MPI;
import mpi.MPIException;

/**
 * The program of {@code tutti explain}: on rank 0, prints the explanations of the operations that the arguments name, or of all, on
 * {@code MPI.COMM_WORLD}. Argument {@code --json} selects JSON, {@code --bytes} and a number select calls of that size, and {@code --groups} and a
 * number the intercommunicator of so many first ranks and the other ones.
 */
public final class Explain {
    private Explain() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        final List<String> operations = new ArrayList<>(List.of(MPI.Init(args)));
        final String first = option(operations, "--groups");
        final Comm comm = first == null ? MPI.COMM_WORLD : new TwoGroups(Integer.parseInt(first)).comm();
        if (MPI.COMM_WORLD.getRank() == 0) {
            final boolean json = operations.remove("--json");
            final String bytes = option(operations, "--bytes");
            if (operations.isEmpty()) {
                comm.explain().forEach(e -> operations.add(e.operation()));
            }
            final List<Explanation> all = new ArrayList<>();
            for (final String operation : operations) {
                all.add(bytes == null ? comm.explain(operation) : comm.explain(operation, Long.parseLong(bytes)));
            }
            System.out.print(json ? ExplanationText.json(all) : ExplanationText.lines(all));
        }
        MPI.Finalize();
    }

    /** Removes an option and its value from the arguments, and returns the value; null where the option is not given. */
    private static String option(final List<String> arguments, final String name) {
        final int at = arguments.indexOf(name);
        if (at < 0) {
            return null;
        }
        arguments.remove(at);
        return arguments.remove(at);
    }
}
