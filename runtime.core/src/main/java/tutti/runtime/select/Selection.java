package tutti.runtime.select;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Table;

/** Which module's algorithm serves which operation on one communicator, and why. Immutable but for {@link #release}. */
public final class Selection {

    /**
     * What serves an operation.
     *
     * @param module the module
     * @param entry  its offer
     * @param <C>    the call of the operation
     */
    public record Chosen<C extends Call>(OfferedModule module, Table.Entry<C> entry) {
        @Override
        public String toString() {
            return "module " + module + ", algorithm " + entry.name();
        }
    }

    private final Chosen<?>[] chosen = new Chosen<?>[Operation.values().size()];
    private final Candidate[] candidates;
    private final List<Candidate> ready;
    private final List<Candidate> all;
    private final Preferences preferences;
    private final List<LeftOut> leftOut;

    Selection(final Candidate[] candidates, final List<Candidate> order, final List<Candidate> all, final Preferences preferences,
              final List<LeftOut> leftOut) {
        this.candidates = candidates;
        this.ready = order.stream().filter(Candidate::isReady).toList();
        this.all = all;
        this.preferences = preferences;
        this.leftOut = leftOut;
        for (final Operation<?> o : Operation.values()) {
            final Candidate c = candidates[o.ordinal()];
            if (c != Selector.NOBODY) {
                chosen[o.ordinal()] = new Chosen<>(c.module(), c.serves(o));
            }
        }
    }

    private Explanation explain(final Operation<?> o) {
        final Candidate served = candidates[o.ordinal()];
        final List<LeftOut> others = new ArrayList<>();
        for (final Candidate c : all) {
            if (c != served) {
                others.add(new LeftOut(c.module().toString(), why(o, c, served)));
            }
        }
        others.addAll(leftOut);
        return served == Selector.NOBODY ? new Explanation(o.id(), null, null, 0, others)
            : new Explanation(o.id(), served.module().toString(), chosen[o.ordinal()].entry().name(), served.priority(), others);
    }

    private String why(final Operation<?> o, final Candidate c, final Candidate served) {
        if (c.isOut()) {
            return c.reason();
        }
        if (!c.offers(o)) {
            return "does not offer " + o + " on all ranks";
        }
        if (served.name().equals(preferences.pick(o))) {
            return served.name() + " was picked by " + Preferences.parameterOf(o);
        }
        if (preferences.place(served.name()) < preferences.place(c.name())) {
            return served.name() + " comes first in " + Preferences.SELECT;
        }
        return c.priority() < served.priority() ? "priority " + c.priority() + " is below " + served.priority() + " of " + served.name()
            : "priority " + c.priority() + " as " + served.name() + ", which comes first by name";
    }

    /** What serves the operation, or null. */
    @SuppressWarnings("unchecked")
    public <C extends Call> Chosen<C> of(final Operation<C> operation) {
        return (Chosen<C>) chosen[operation.ordinal()];
    }

    /** Why, for every operation, in the order of {@link Operation#values()}. */
    public List<Explanation> explanations() {
        final List<Explanation> explanations = new ArrayList<>();
        Operation.values().forEach(o -> explanations.add(explain(o)));
        return explanations;
    }

    /** Lets go of the modules, when the communicator is freed. Called once. */
    public void release() {
        ready.forEach(Candidate::dispose);
    }
}
