package tutti.runtime.select;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;

/** Which module's algorithm serves which calls on one communicator, and why. Immutable but for {@link #release}. */
public final class Selection {

    /**
     * What serves a call.
     *
     * @param module the module
     * @param entry  its offer
     * @param <C>    the call of the operation
     */
    public record SelectedAlgorithm<C extends Call>(OfferedModule module, AlgorithmTable.Entry<C> entry) {
        @Override
        public String toString() {
            return "module " + module + ", algorithm " + entry.name();
        }
    }

    private final List<Decision<?>> decisions;
    private final List<Candidate> ready;
    private final List<Candidate> all;
    private final List<Candidate> order;
    private final SelectionPolicy wishes;
    private final List<ExcludedModule> leftOut;

    Selection(final List<Decision<?>> decisions, final List<Candidate> order, final List<Candidate> all, final SelectionPolicy wishes,
              final List<ExcludedModule> leftOut) {
        this.decisions = List.copyOf(decisions);
        this.ready = all.stream().filter(Candidate::isReady).toList();
        this.all = List.copyOf(all);
        this.order = List.copyOf(order);
        this.wishes = wishes;
        this.leftOut = leftOut;
    }

    /** Who serves the calls of an operation. */
    @SuppressWarnings("unchecked")
    public <C extends Call> Decision<C> of(final Operation<C> operation) {
        return (Decision<C>) decisions.get(operation.ordinal());
    }

    /** Why, and who serves which calls, for every operation, in the order of {@link Operation#values()}. */
    public List<Explanation> explanations() {
        final List<Explanation> explanations = new ArrayList<>();
        Operation.values().forEach(o -> explanations.add(new SelectionExplainer<>(of(o), wishes, order).explain(all, leftOut)));
        return explanations;
    }

    /**
     * Why, for calls of one operation that have so many bytes; without its choices.
     *
     * @param bytes as in {@link MessageBytes}; without effect where they are unknown
     */
    public Explanation explain(final Operation<?> operation, final long bytes) {
        return new SelectionExplainer<>(of(operation), wishes, order).explain(bytes, all, leftOut, List.of());
    }

    /** Lets go of the modules, when the communicator is freed. Called once. */
    public void release() {
        ready.forEach(Candidate::dispose);
    }
}
