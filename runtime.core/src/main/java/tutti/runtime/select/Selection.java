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
    private final List<Candidate> ready;
    private final List<Explanation> explanations = new ArrayList<>();

    Selection(final Candidate[] candidates, final List<Candidate> order, final List<Candidate> all, final Preferences preferences,
              final List<LeftOut> leftOut) {
        this.ready = order.stream().filter(Candidate::isReady).toList();
        for (final Operation<?> o : Operation.values()) {
            final Candidate c = candidates[o.ordinal()];
            if (c != Selector.NOBODY) {
                chosen[o.ordinal()] = new Chosen<>(c.module(), c.serves(o));
            }
            explanations.add(explain(o, c, all, preferences, leftOut));
        }
    }

    private static Explanation explain(final Operation<?> o, final Candidate served, final List<Candidate> all, final Preferences preferences,
                                       final List<LeftOut> leftOut) {
        final List<LeftOut> others = new ArrayList<>();
        for (final Candidate c : all) {
            if (c != served) {
                others.add(new LeftOut(c.module().toString(), why(o, c, served, preferences)));
            }
        }
        others.addAll(leftOut);
        return served == Selector.NOBODY ? new Explanation(o.id(), null, null, 0, others)
            : new Explanation(o.id(), served.module().toString(), served.serves(o).name(), served.priority(), others);
    }

    private static String why(final Operation<?> o, final Candidate c, final Candidate served, final Preferences preferences) {
        if (c.isOut()) {
            return c.reason();
        }
        if (c.serves(o) == null) {
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
        return List.copyOf(explanations);
    }

    /** Lets go of the modules, when the communicator is freed. Called once. */
    public void release() {
        ready.forEach(Candidate::dispose);
    }
}
