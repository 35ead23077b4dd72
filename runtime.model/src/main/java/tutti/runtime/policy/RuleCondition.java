package tutti.runtime.policy;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;

/**
 * A kind of condition of a {@link SelectionRule}: what it is about, the values that it may name, and the operations for which it is defined.
 * Immutable; for any thread.
 */
public enum RuleCondition {
    /** The number of ranks of the communicator, on an intercommunicator of both groups. */
    RANKS("ranks", Kind.RANGE),
    /** The number of ranks of each group of an intercommunicator. A rule without this condition is for intracommunicators. */
    GROUPS("groups", Kind.RANGE, false, (o, inter) -> o.onIntercommunicators(), "is not defined on intercommunicators"),
    /** The number of nodes that hold ranks of the communicator. */
    NODES("nodes", Kind.RANGE),
    /** The number of its ranks on each of these nodes. */
    RANKS_PER_NODE("ranksPerNode", Kind.RANGE),
    /** True if the number of ranks is a power of two, in both groups of an intercommunicator. */
    POWER_OF_TWO("powerOfTwo", Kind.FLAG),
    /** The narrowest level of locality that has all ranks of the communicator in one domain. */
    LEVEL("level", Kind.LEVEL),
    /** The class of the links between the nodes: {@link LinkSpeed}. A communicator on one node has none: it counts as fast. */
    LINK("link", Kind.LINK),
    /** The bytes of the call as defined by {@link MessageBytes}. */
    BYTES("bytes", Kind.RANGE, true, MessageBytes::known, "has a length that not every rank knows"),
    /** The average length of the call's blocks, in bytes rounded down. */
    BLOCK("block", Kind.RANGE, true, (o, inter) -> MessageBytes.hasBlocks(o), "has no blocks"),
    /** True if all blocks of the call have the same length. */
    REGULAR("regular", Kind.FLAG, true, (o, inter) -> !inter && isOneOf(o, Operation.ALLGATHERV, Operation.REDUCE_SCATTER),
        "has no blocks that may differ and that every rank knows"),
    /** True if the reduction is commutative. */
    COMMUTATIVE("commutative", Kind.FLAG, true, (o, inter) -> isReduction(o), "is not a reduction"),
    /** True if the reduction is a predefined operation, not a function of the program. */
    PREDEFINED("predefined", Kind.FLAG, true, (o, inter) -> isReduction(o), "is not a reduction"),
    /** True if the ranks are in place. Defined where MPI requires that either all ranks are in place or none. */
    IN_PLACE("inPlace", Kind.FLAG, true, (o, inter) -> !inter && isOneOf(o, Operation.ALLGATHER, Operation.ALLGATHERV,
        Operation.ALLREDUCE, Operation.ALLTOALL, Operation.ALLTOALLV, Operation.ALLTOALLW), "has ranks that may differ in it");

    /** The values that a condition may name. */
    public enum Kind {
        /** A range of numbers. */
        RANGE(".*", LongRange.SYNTAX),
        /** True or false. */
        FLAG("true|false", "true, false"),
        /** Levels of locality. */
        LEVEL("hwthread|core|cache|numa|socket|jvm|host|switch([2-9]|[1-9]\\d{1,2})?|cluster", "\"hwthread\", \"core\", \"cache\", \"numa\", "
            + "\"socket\", \"jvm\", \"host\", \"switch\", \"switch2\", \"switch3\" and so on, \"cluster\", or an array of them"),
        /** Classes of links. */
        LINK("fast|slow", "\"fast\", \"slow\", or an array of them");

        private final Pattern text;
        private final String syntax;

        Kind(final String text, final String syntax) {
            this.text = Pattern.compile(text);
            this.syntax = syntax;
        }

        /** Returns the values that a rule file may have, for messages. */
        public String syntax() {
            return syntax;
        }

        /** Returns whether values are words, of which a rule may name several. */
        public boolean isWords() {
            return this == LEVEL || this == LINK;
        }

        private ConditionValues parse(final Collection<String> texts) {
            if (this == RANGE) {
                return LongRange.of(texts.iterator().next());
            }
            texts.stream().filter(t -> !text.matcher(t).matches()).findFirst().ifPresent(t -> {
                throw new IllegalArgumentException("no such value: " + t);
            });
            return WordSet.of(texts);
        }
    }

    private final String field;
    private final Kind kind;
    private final boolean ofCall;
    private final BiPredicate<Operation<?>, Boolean> defined;
    private final String otherwise;
    private final String name;

    RuleCondition(final String field, final Kind kind) {
        this(field, kind, false, (o, inter) -> true, "");
    }

    RuleCondition(final String field, final Kind kind, final boolean ofCall, final BiPredicate<Operation<?>, Boolean> defined,
        final String otherwise) {
        this.field = field;
        this.kind = kind;
        this.ofCall = ofCall;
        this.defined = defined;
        this.otherwise = otherwise;
        this.name = field.replaceAll("(\\p{Upper})", " $1").toLowerCase(Locale.ROOT);
    }

    /** Returns whether the operation is a reduction. */
    public static boolean isReduction(final Operation<?> operation) {
        return isOneOf(operation, Operation.REDUCE, Operation.ALLREDUCE, Operation.SCAN, Operation.EXSCAN, Operation.REDUCE_SCATTER,
            Operation.REDUCE_SCATTER_BLOCK);
    }

    private static boolean isOneOf(final Operation<?> operation, final Operation<?>... all) {
        return List.of(all).contains(operation);
    }

    /** Returns the name of the field in a rule file. */
    public String field() {
        return field;
    }

    /** Returns which values the condition may name. */
    public Kind kind() {
        return kind;
    }

    /** Returns whether the condition is about the call, not about the communicator. */
    public boolean isOfCall() {
        return ofCall;
    }

    /** Returns whether calls of an operation can meet the condition. */
    public boolean isDefined(final Operation<?> operation, final boolean inter) {
        return defined.test(operation, inter);
    }

    /** Returns why calls of an operation, or of any one if it is null, cannot meet the condition: field and allowed values. Null when they can. */
    @Nullable
    String problem(final @Nullable Operation<?> operation, final boolean inter) {
        final List<Operation<?>> allowed = Operation.values().stream().filter(o -> isDefined(o, inter)).toList();
        if (operation == null ? !allowed.isEmpty() : allowed.contains(operation)) {
            return null;
        }
        return field + ": " + (allowed.isEmpty() ? "not defined on intercommunicators; allowed without " + GROUPS.field
            : operation + " " + otherwise + "; allowed with " + allowed.stream().map(Operation::id).collect(Collectors.joining(", ")));
    }

    /**
     * Parses the values.
     *
     * @param texts one text, or several for words
     * @throws IllegalArgumentException when a value is not allowed; the message says what is wrong
     */
    public ConditionValues parse(final Collection<String> texts) {
        return kind.parse(texts);
    }

    /** Parses the text form of values. */
    ConditionValues parse(final String text) {
        return parse(List.of(text.split(ConditionValues.SEPARATOR)));
    }

    /** Returns the condition with its values as text, for example {@code ranks 2..8} or {@code not commutative}. */
    public String text(final ConditionValues values) {
        return kind == Kind.FLAG ? (values.equals(WordSet.of(true)) ? "" : "not ") + name : name + " " + values;
    }

    /**
     * Returns the condition of a field.
     *
     * @throws IllegalArgumentException when there is none
     */
    static RuleCondition of(final String field) {
        return Stream.of(values()).filter(c -> c.field.equals(field)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no such condition: " + field));
    }
}
