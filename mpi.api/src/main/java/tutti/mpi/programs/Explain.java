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
import tutti.runtime.introspect.PartSummary;

/**
 * The program of {@code tutti explain}: prints the explanations of the operations that the arguments name, or of all, on {@code MPI.COMM_WORLD}.
 * It explains the nested collectives of hierarchical algorithms, too, where the arguments name operations. Argument {@code --json} selects JSON,
 * {@code --bytes} and a number select calls of that size, {@code --group} and a list of ranks, such as {@code 0..1,4}, select a communicator of
 * these ranks, and {@code --groups} and a number the intercommunicator of so many first ranks and the other ones.
 */
public final class Explain {
    /** The size of the calls whose nested collectives are explained where none is given. */
    private static final long BYTES = 1024;

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
        final long size = bytes == null ? BYTES : Long.parseLong(bytes);
        final List<List<PartSummary>> parts = new ArrayList<>();
        for (final String operation : first != null || comm.isNull() ? List.<String>of() : operations) {
            parts.add(parts(comm, operation, size));
        }
        if (first != null ? MPI.COMM_WORLD.getRank() == 0 : !comm.isNull() && comm.getRank() == 0) {
            if (operations.isEmpty()) {
                comm.explain().forEach(e -> operations.add(e.operation()));
            }
            final List<Explanation> all = new ArrayList<>();
            for (final String operation : operations) {
                all.add(bytes == null ? comm.explain(operation) : comm.explain(operation, Long.parseLong(bytes)));
            }
            results.print(json ? ExplanationText.json(all, parts) : ExplanationText.lines(all, parts, size));
        }
        MPI.Finalize();
    }

    /** Gathers the collectives that the plans of all ranks nest; returns them on rank 0. */
    private static List<PartSummary> parts(final Comm comm, final String operation, final long bytes) throws MPIException {
        final byte[] own = ExplainedParts.write(ownParts(comm, operation, bytes));
        final int[] lengths = new int[comm.getSize()];
        comm.gather(new int[] {own.length}, 1, MPI.INT, lengths, 1, MPI.INT, 0);
        final int[] offsets = new int[lengths.length];
        for (int r = 1; r < lengths.length; r++) {
            offsets[r] = offsets[r - 1] + lengths[r - 1];
        }
        final byte[] all = new byte[offsets[offsets.length - 1] + lengths[lengths.length - 1]];
        comm.gatherv(own, own.length, MPI.BYTE, all, lengths, offsets, MPI.BYTE, 0);
        return ExplainedParts.read(all, lengths);
    }

    /** Returns the collectives that this rank's plan nests; none if the call cannot be planned, whose explanation says who would serve it. */
    private static List<Explanation.Part> ownParts(final Comm comm, final String operation, final long bytes) throws MPIException {
        try {
            return comm.explainParts(operation, bytes);
        } catch (final MPIException e) {
            if (comm.getRank() == 0) {
                System.err.println(e.getMessage());
            }
            return List.of();
        }
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
