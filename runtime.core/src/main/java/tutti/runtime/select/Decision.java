package tutti.runtime.select;

import java.util.List;
import tutti.coll.Call;
import tutti.coll.Operation;

/**
 * Who serves which calls of one operation on one communicator: made once, the same on all ranks. Immutable; safe for any thread.
 *
 * @param <C> the call of the operation
 */
public final class Decision<C extends Call> {
    private final Operation<C> operation;
    private final boolean inter;
    private final List<Alternative<C>> alternatives;
    private final boolean skipEmpty;

    Decision(final Operation<C> operation, final boolean inter, final List<Alternative<C>> alternatives) {
        this.operation = operation;
        this.inter = inter;
        this.alternatives = List.copyOf(alternatives);
        this.skipEmpty = !alternatives.isEmpty() && alternatives.stream().allMatch(a -> a.chosen().entry().skipEmpty());
    }

    /** What serves a call; null when nothing does. */
    public Selection.SelectedAlgorithm<C> of(final C call) {
        final Alternative<C> first = first(CallProperties.of(operation, call, inter));
        return first == null ? null : first.chosen();
    }

    /** Whether a call without data may return at once, whoever would serve it. */
    public boolean skipEmpty() {
        return skipEmpty;
    }

    Alternative<C> first(final CallProperties call) {
        for (final Alternative<C> a : alternatives) {
            if (a.takes(call)) {
                return a;
            }
        }
        return null;
    }

    Operation<C> operation() {
        return operation;
    }

    boolean isInter() {
        return inter;
    }

    List<Alternative<C>> alternatives() {
        return alternatives;
    }

    /** Whether it can come to a module. */
    boolean reaches(final Candidate c) {
        return alternatives.stream().anyMatch(a -> a.candidate() == c);
    }
}
