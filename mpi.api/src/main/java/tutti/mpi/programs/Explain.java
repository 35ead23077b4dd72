package tutti.mpi.programs;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import mpi.Comm;
import mpi.Explanation;
import mpi.MPI;
import mpi.MPIException;
import org.jspecify.annotations.Nullable;

/**
 * The program of {@code tutti explain}: prints the explanations of the operations that the arguments name, or of all, on {@code MPI.COMM_WORLD}.
 * Argument {@code --json} selects JSON, {@code --bytes} and a number select calls of that size, {@code --group} and a list of ranks, such as
 * {@code 0..1,4}, select a communicator of these ranks, and {@code --groups} and a number the intercommunicator of so many first ranks and the other
 * ones.
 */
public final class Explain {
    private Explain() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        final PrintStream results = Results.begin();
        final List<String> operations = new ArrayList<>(List.of(MPI.Init(args)));
        final boolean json = operations.remove("--json");
        final String bytes = option(operations, "--bytes");
        final String first = option(operations, "--groups");
        final String group = option(operations, "--group");
        final Comm comm = first != null ? new TwoGroups(Integer.parseInt(first)).comm()
            : group == null ? MPI.COMM_WORLD : MPI.COMM_WORLD.create(MPI.COMM_WORLD.getGroup().incl(ranks(group)));
        if (first != null ? MPI.COMM_WORLD.getRank() == 0 : !comm.isNull() && comm.getRank() == 0) {
            if (operations.isEmpty()) {
                comm.explain().forEach(e -> operations.add(e.operation()));
            }
            final List<Explanation> all = new ArrayList<>();
            for (final String operation : operations) {
                all.add(bytes == null ? comm.explain(operation) : comm.explain(operation, Long.parseLong(bytes)));
            }
            results.print(json ? ExplanationText.json(all) : ExplanationText.lines(all));
        }
        MPI.Finalize();
    }

    /** Removes an option with its value from the arguments. Returns the value; null if there is none. */
    private static @Nullable String option(final List<String> arguments, final String name) {
        final int at = arguments.indexOf(name);
        if (at < 0) {
            return null;
        }
        arguments.remove(at);
        return arguments.remove(at);
    }

    private static int[] ranks(final String group) {
        return Stream.of(group.split(",")).map(part -> part.split("\\.\\."))
            .flatMapToInt(ends -> IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))).toArray();
    }
}
