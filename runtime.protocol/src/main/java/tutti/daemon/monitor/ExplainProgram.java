package tutti.daemon.monitor;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;
import tutti.daemon.command.SimilarNames;
import tutti.runtime.policy.LongRange;

/**
 * Arguments of the program of {@code tutti explain}, which every node has. It prints which modules serve collective operations in its job, and why.
 *
 * @param operations names of operations; empty for all
 * @param bytes      size of a call; null for calls of all sizes
 * @param firstGroup number of ranks of the first group of an intercommunicator of all ranks; 0 for {@code MPI.COMM_WORLD}
 * @param group      ranks of a communicator, for example {@code 0..3,7}; null for all
 * @param isJson     whether the program prints JSON
 */
public record ExplainProgram(List<String> operations, @Nullable Long bytes, int firstGroup, @Nullable String group, boolean isJson) {
    /** Class of the program, in bundle {@code mpi.api}. */
    public static final String CLASS = "tutti.mpi.programs.Explain";

    private static final Pattern RANKS = Pattern.compile("\\d{1,9}(\\.\\.\\d{1,9})?(,\\d{1,9}(\\.\\.\\d{1,9})?)*");

    /**
     * Checks the arguments.
     *
     * @throws IllegalArgumentException when an operation is unknown, or {@code group} is no list of ranks
     */
    public ExplainProgram {
        operations = List.copyOf(operations);
        for (final String name : operations) {
            final List<String> known = Operation.values().stream().map(Operation::id).toList();
            if (!known.contains(name)) {
                throw new IllegalArgumentException("no such operation: " + name + SimilarNames.suggestion(name, known));
            }
        }
        if (group != null && !RANKS.matcher(group).matches()) {
            throw new IllegalArgumentException("invalid ranks: --group " + group + ", expected 0..3,7");
        }
    }

    /**
     * Reads the size of a call.
     *
     * @param text a number, with a unit or without
     * @throws IllegalArgumentException when it is none
     */
    public static long bytes(final String text) {
        LongRange size = null;
        try {
            size = LongRange.of(text);
        } catch (final IllegalArgumentException e) {
            throw invalidSize(text, e);
        }
        if (size.min() != size.max()) {
            throw invalidSize(text, null);
        }
        return size.min();
    }

    private static IllegalArgumentException invalidSize(final String text, final @Nullable Exception cause) {
        return new IllegalArgumentException("invalid size: --bytes " + text + ", expected 8, 64K, 1M or 2G", cause);
    }

    /** Returns the arguments as the program takes them. */
    public List<String> arguments() {
        final List<String> args = new ArrayList<>(operations);
        if (bytes != null) {
            args.addAll(List.of("--bytes", Long.toString(bytes)));
        }
        if (firstGroup > 0) {
            args.addAll(List.of("--groups", Integer.toString(firstGroup)));
        }
        if (group != null) {
            args.addAll(List.of("--group", group));
        }
        if (isJson) {
            args.add("--json");
        }
        return args;
    }
}
