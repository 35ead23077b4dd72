package tutti.runtime.select;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.policy.RuleTable;

/**
 * The decision which algorithm serves which calls of one operation on one communicator. It is made once and is the same on all ranks.
 * Immutable; safe for any thread.
 *
 * @param <C> the type of the operation's calls
 */
public final class Decision<C extends Call> {
    private final Operation<C> operation;
    private final CommShape comm;
    private final long averageBlock;
    private final List<Alternative<C>> alternatives;
    private final List<Alternative<C>> triable;
    private final RuleTable rules;
    /** Per alternative: why it serves, in words, from when it is first asked for. Threads that race store equal texts. */
    private final String[] reasons;

    /**
     * Creates a decision for a communicator.
     *
     * @param averageBlock average block of calls where not every rank knows it; may be unknown
     * @param triable      what tuning may try; empty where the calls are not tuned
     * @param rules        the job's rules
     */
    Decision(final Operation<C> operation, final CommShape comm, final long averageBlock, final List<Alternative<C>> alternatives,
        final List<Alternative<C>> triable, final RuleTable rules) {
        this.operation = operation;
        this.comm = comm;
        this.averageBlock = averageBlock;
        this.alternatives = List.copyOf(alternatives);
        this.triable = List.copyOf(triable);
        this.rules = rules;
        this.reasons = new String[alternatives.size()];
    }

    /** Returns the algorithm that serves a call; null when none does. */
    public Selection.@Nullable SelectedAlgorithm<C> of(final C call) {
        final Alternative<C> first = first(CallProperties.of(operation, call, comm, averageBlock));
        return first == null ? null : first.chosen();
    }

    /**
     * Returns the algorithms among which tuning chooses for calls like one, each once: first the one that {@link #of} returns, last those that it
     * would never return. Equal on all ranks; empty where calls of the operation are not tuned.
     */
    public List<Selection.SelectedAlgorithm<C>> contenders(final C call) {
        if (triable.isEmpty()) {
            return List.of();
        }
        final CallProperties properties = CallProperties.of(operation, call, comm, averageBlock);
        final List<Selection.SelectedAlgorithm<C>> contenders = new ArrayList<>();
        Stream.concat(alternatives.stream(), triable.stream()).filter(a -> a.serves(properties)).map(Alternative::chosen)
            .filter(c -> contenders.stream().noneMatch(c::isSame)).forEach(contenders::add);
        return contenders;
    }

    /** Returns why an algorithm serves that {@link #of} returned: the request that names it, the name of the rule, or the priority of its module. */
    public String reason(final Selection.SelectedAlgorithm<C> chosen) {
        for (int i = 0; i < reasons.length; i++) {
            if (alternatives.get(i).chosen() == chosen) {
                reasons[i] = reasons[i] == null ? reason(alternatives.get(i)) : reasons[i];
                return reasons[i];
            }
        }
        throw new IllegalArgumentException("not of this decision: operation=" + operation + ", chosen=" + chosen);
    }

    private String reason(final Alternative<C> a) {
        return a.reason() != null ? a.reason() : a.rule() == null ? "priority " + a.candidate().priority()
            : rules.name(rules.rules().indexOf(a.rule()));
    }

    /** Returns the first alternative that serves a call of these properties; null when none does. */
    @Nullable
    Alternative<C> first(final CallProperties call) {
        for (final Alternative<C> a : alternatives) {
            if (a.serves(call)) {
                return a;
            }
        }
        return null;
    }

    Operation<C> operation() {
        return operation;
    }

    /** Returns the shape of the communicator. */
    CommShape comm() {
        return comm;
    }

    /** Returns the average block of calls where not every rank knows it; it may be unknown. */
    long averageBlock() {
        return averageBlock;
    }

    List<Alternative<C>> alternatives() {
        return alternatives;
    }

    /** Returns whether an algorithm of the module may serve a call. */
    boolean includes(final Candidate c) {
        return Stream.concat(alternatives.stream(), triable.stream()).anyMatch(a -> a.candidate() == c);
    }
}
