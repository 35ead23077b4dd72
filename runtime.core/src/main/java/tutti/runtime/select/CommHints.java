package tutti.runtime.select;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.MessageBytes;

/**
 * The hints of a program on a communicator that the runtime reads. Immutable; for any thread.
 * <ul>
 * <li>{@code tutti_coll_OPERATION=MODULE/ALGORITHM} names the module or algorithm that serves an operation;
 * <li>{@code tutti_average_block=BYTES} is the average block of calls where not every rank knows it;
 * <li>{@code mpi_assert_...=true|false} are the assertions of MPI.
 * </ul>
 */
public final class CommHints {
    /** The start of the names of the hints that the runtime alone has. They are equal on all ranks. */
    public static final String OWN = "tutti_";
    /** The start of the hints that name an algorithm. */
    public static final String PICK = "tutti_coll_";
    /** The hint with the average block. */
    public static final String AVERAGE_BLOCK = "tutti_average_block";
    /** The hint that the program gives no tag but its own to receives. */
    public static final String NO_ANY_TAG = "mpi_assert_no_any_tag";
    /** The hint that the program names the source of each message that it receives. */
    public static final String NO_ANY_SOURCE = "mpi_assert_no_any_source";
    /** The hint that each message is as long as the receive that it matches. */
    public static final String EXACT_LENGTH = "mpi_assert_exact_length";
    /** The hint that messages may be matched in any order. */
    public static final String ALLOW_OVERTAKING = "mpi_assert_allow_overtaking";
    /** No hints. */
    public static final CommHints NONE = new CommHints(Map.of());

    private final SortedMap<String, String> own = new TreeMap<>();
    private final Map<String, AlgorithmRef> picks = new HashMap<>();
    private final long averageBlock;
    private final boolean noAnyTag;
    private final boolean noAnySource;
    private final boolean exactLength;
    private final SortedMap<String, String> inUse = new TreeMap<>();

    private CommHints(final Map<String, String> hints) {
        hints.forEach((key, value) -> {
            if (key.startsWith(PICK)) {
                picks.put(operation(key), ref(key, value));
            }
        });
        averageBlock = hints.containsKey(AVERAGE_BLOCK) ? bytes(hints.get(AVERAGE_BLOCK)) : MessageBytes.UNKNOWN;
        own.putAll(ownOf(hints));
        own.keySet().removeIf(key -> !key.startsWith(PICK) && !key.equals(AVERAGE_BLOCK));
        inUse.putAll(own);
        Stream.of(NO_ANY_TAG, NO_ANY_SOURCE, EXACT_LENGTH, ALLOW_OVERTAKING)
            .forEach(key -> inUse.put(key, flag(key, hints.getOrDefault(key, "false"))));
        noAnyTag = Boolean.parseBoolean(inUse.get(NO_ANY_TAG));
        noAnySource = Boolean.parseBoolean(inUse.get(NO_ANY_SOURCE));
        exactLength = Boolean.parseBoolean(inUse.get(EXACT_LENGTH));
    }

    /**
     * Reads hints. Unknown ones are ignored.
     *
     * @throws MpiFailure of class INFO_KEY or INFO_VALUE when a hint is invalid; the message says what is allowed
     */
    public static CommHints of(final Map<String, String> hints) {
        return new CommHints(hints);
    }

    /** Returns the hints of a program that all ranks must give alike. */
    public static SortedMap<String, String> ownOf(final Map<String, String> hints) {
        final SortedMap<String, String> own = new TreeMap<>(hints);
        own.keySet().removeIf(key -> !key.startsWith(OWN));
        return own;
    }

    private static String operation(final String key) {
        final String id = key.substring(PICK.length());
        if (Operation.values().stream().noneMatch(o -> o.id().equals(id))) {
            // Cause: a hint of a communicator names no collective operation. Remedy: one that the message names.
            throw new MpiFailure(ErrorClass.INFO_KEY, "no such operation: hint=" + key + ", allowed: " + PICK + " with one of "
                + Operation.values().stream().map(Operation::id).collect(Collectors.joining(", ")));
        }
        return id;
    }

    private static AlgorithmRef ref(final String key, final String value) {
        try {
            return AlgorithmRef.of(value);
        } catch (final IllegalArgumentException e) {
            // Cause: a hint `tutti_coll_...` is not the name of a module or algorithm. Remedy: `MODULE` or `MODULE/ALGORITHM`, with parameters if
            // wanted.
            throw new MpiFailure(ErrorClass.INFO_VALUE, e.getMessage() + ": hint=" + key + ", value=" + value + ", allowed: " + AlgorithmRef.SYNTAX);
        }
    }

    private static long bytes(final String value) {
        try {
            final LongRange range = LongRange.of(value);
            if (range.min() == range.max()) {
                return range.min();
            }
        } catch (final IllegalArgumentException e) {
            // refused below
        }
        // Remedy: a number.
        throw new MpiFailure(ErrorClass.INFO_VALUE, "not a number of bytes: hint=" + AVERAGE_BLOCK + ", value=" + value
            + ", allowed: a number such as 4096 or 4K, with K, M, G for powers of 1024");
    }

    private static String flag(final String key, final String value) {
        if (!value.equals("true") && !value.equals("false")) {
            // Cause: a hint `mpi_assert_...` is a flag. Remedy: `true` or `false`.
            throw new MpiFailure(ErrorClass.INFO_VALUE, "neither true nor false: hint=" + key + ", value=" + value);
        }
        return value;
    }

    /** Returns the name of the hint that names an algorithm for an operation. */
    static String keyOf(final Operation<?> operation) {
        return PICK + operation.id();
    }

    /** Returns the module or algorithm that a hint names for an operation; null when none does. */
    @Nullable
    AlgorithmRef pick(final Operation<?> operation) {
        return picks.get(operation.id());
    }

    /** Returns the average block of calls where not every rank knows it, in bytes; {@link MessageBytes#UNKNOWN} without that hint. */
    long averageBlock() {
        return averageBlock;
    }

    /** Returns whether the selection is the same with other hints. */
    public boolean selectsAs(final CommHints other) {
        return own.equals(other.own);
    }

    /** Returns whether the program promised to receive no message by any tag. */
    public boolean noAnyTag() {
        return noAnyTag;
    }

    /** Returns whether the program promised to receive no message from any source. */
    public boolean noAnySource() {
        return noAnySource;
    }

    /** Returns whether the program promised that messages are as long as their receives. */
    public boolean exactLength() {
        return exactLength;
    }

    /** Returns the hints in use with their values: those that were given, and the assertions of MPI with their defaults. */
    public SortedMap<String, String> inUse() {
        return Collections.unmodifiableSortedMap(inUse);
    }

    @Override
    public String toString() {
        return own.toString();
    }
}
