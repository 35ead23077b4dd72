package tutti.runtime.select;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.coll.Tunable;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.policy.UserPreferences;

/** Builds the explanation of a selection decision. */
final class SelectionExplainer<C extends Call> {
    private static final Reduction COMMUTATIVE = new SampleReduction(true);
    private static final Reduction NOT_COMMUTATIVE = new SampleReduction(false);

    private final Decision<C> decision;
    private final SelectionPolicy policy;
    private final List<Candidate> order;

    /** A sample reduction, used to query the decision. */
    private record SampleReduction(boolean isCommutative) implements Reduction {
        @Override
        public long elementBytes() {
            return 1;
        }
    }

    SelectionExplainer(final Decision<C> decision, final SelectionPolicy policy, final List<Candidate> order) {
        this.decision = decision;
        this.policy = policy;
        this.order = order;
    }

    /** Explains the decision with the choices for all calls. */
    Explanation explain(final List<Candidate> all, final List<ExcludedModule> leftOut) {
        return explain(0, all, leftOut, choices());
    }

    /** Explains the decision for a commutative call of the given bytes that is not in place. */
    Explanation explain(final long bytes, final List<Candidate> all, final List<ExcludedModule> leftOut, final List<Explanation.Choice> choices) {
        final Operation<C> o = decision.operation();
        final Alternative<C> served = decision.first(new CallProperties(bytesKnown() ? bytes : MessageBytes.UNKNOWN, reduction(true), false));
        final List<ExcludedModule> others = new ArrayList<>();
        for (final Candidate c : all) {
            if (served == null || c != served.candidate()) {
                others.add(new ExcludedModule(c.module().toString(), reason(c, served)));
            }
        }
        others.addAll(leftOut);
        final List<String> notes = new ArrayList<>(policy.notes(o, order));
        all.stream().filter(c -> !c.isCheckpointable()).forEach(c -> notes.add("the job cannot be checkpointed, since module " + c.module()
            + " has state that it does not save"));
        if (policy.applicable().link() == LinkSpeed.SLOW) {
            notes.add("links between nodes are slow, " + (policy.preferences().sets(LinkSpeed.PARAMETER) ? "by -p " + LinkSpeed.PARAMETER
                : "as measured; rules for other links apply with -p " + LinkSpeed.PARAMETER + "=" + LinkSpeed.FAST));
        }
        final List<Explanation.Offer> offers = all.stream().flatMap(c -> c.entries(o).stream().filter(e -> policy.allows(o, e.order()))
            .map(e -> new Explanation.Offer(c.name(), e.name(), e.order(), offered(c, e)))).toList();
        return served == null ? new Explanation(o.id(), null, null, List.of(), 0, others, rule(null), notes, choices, offers)
            : new Explanation(o.id(), served.chosen().module().toString(), served.chosen().entry().name(), parameters(served),
                served.candidate().priority(), others, rule(served), notes, choices, offers);
    }

    private List<Explanation.OfferedParameter> offered(final Candidate c, final AlgorithmTable.Entry<C> entry) {
        return entry.tunables().stream().map(t -> new Explanation.OfferedParameter(t,
            policy.preferences().value(UserPreferences.parameterOf(c.name(), t.parameter())))).toList();
    }

    /** Returns the parameters of the selected algorithm that a rule may set. A parameter that has no value in the job is left out. */
    private List<Explanation.Parameter> parameters(final Alternative<C> served) {
        final UserPreferences preferences = policy.preferences();
        final List<Explanation.Parameter> parameters = new ArrayList<>();
        for (final Tunable t : served.chosen().entry().tunables()) {
            final String job = UserPreferences.parameterOf(served.candidate().name(), t.parameter());
            final String own = served.chosen().parameters().get(t.parameter());
            final String value = own != null ? own : preferences.value(job);
            if (value != null) {
                parameters.add(new Explanation.Parameter(t.parameter(), value, own == null ? preferences.sets(job) ? job : null
                    : served.rule() != null ? name(served.rule()) : UserPreferences.parameterOf(decision.operation())));
            }
        }
        return parameters;
    }

    private boolean bytesKnown() {
        return MessageBytes.known(decision.operation(), decision.isInter());
    }

    private @Nullable Reduction reduction(final boolean commutes) {
        return !SelectionRule.isReduction(decision.operation()) ? null : commutes ? COMMUTATIVE : NOT_COMMUTATIVE;
    }

    private String reason(final Candidate c, final @Nullable Alternative<C> served) {
        final Operation<C> o = decision.operation();
        if (c.isExcluded()) {
            return c.reason();
        }
        if (!c.offers(o)) {
            return "does not offer " + o + " on all ranks";
        }
        if (served == null || c.entries(o).stream().noneMatch(e -> policy.allows(o, e.order()))) {
            return policy.exclusionReason(o);
        }
        final Candidate selected = served.candidate();
        if (served.reason() != null || served.rule() != null) {
            return selected.name() + " " + (served.reason() != null ? served.reason() : "is named by " + name(served.rule()));
        }
        return c.priority() < selected.priority() ? "priority " + c.priority() + " is below " + selected.priority() + " of " + selected.name()
            : "same priority " + c.priority() + " as " + selected.name() + ", which precedes it by name";
    }

    private @Nullable String rule(final @Nullable Alternative<C> served) {
        if (policy.rules().rules().isEmpty() || served != null && served.reason() != null) {
            return null;
        }
        return served == null || served.rule() == null ? "no rule of " + policy.rules().source() + " matches"
            : name(served.rule()) + ": " + served.rule();
    }

    private @Nullable String name(final @Nullable SelectionRule rule) {
        return rule == null ? null : policy.rules().name(policy.rules().rules().indexOf(rule));
    }

    /** Returns the algorithm for each range of sizes. Kinds of calls are listed separately only where their algorithms differ. */
    private List<Explanation.Choice> choices() {
        final List<SizeRange<C>> common = sizeRanges(true, false);
        final List<SizeRange<C>> inPlace = sizeRanges(true, true);
        final List<Explanation.Choice> choices = new ArrayList<>(toChoices("", common));
        if (!inPlace.equals(common)) {
            choices.addAll(toChoices("in place", inPlace));
        }
        if (SelectionRule.isReduction(decision.operation())) {
            final List<SizeRange<C>> ordered = sizeRanges(false, false);
            final List<SizeRange<C>> orderedInPlace = sizeRanges(false, true);
            if (!ordered.equals(common)) {
                choices.addAll(toChoices("not commutative", ordered));
            }
            if (!orderedInPlace.equals(ordered) && !orderedInPlace.equals(inPlace)) {
                choices.addAll(toChoices("not commutative, in place", orderedInPlace));
            }
        }
        return choices;
    }

    private List<Explanation.Choice> toChoices(final String calls, final List<SizeRange<C>> ranges) {
        return ranges.stream().map(s -> s.served == null ? new Explanation.Choice(calls, s.bytes, null, null, null)
            : new Explanation.Choice(calls, s.bytes, s.served.chosen().module().toString(), s.served.chosen().name(),
                name(s.served.rule())))
            .toList();
    }

    /** A range of sizes that the same alternative serves; null when none serves. */
    private record SizeRange<C extends Call>(LongRange bytes, @Nullable Alternative<C> served) {}

    private List<SizeRange<C>> sizeRanges(final boolean commutes, final boolean inPlace) {
        final TreeSet<Long> starts = new TreeSet<>(List.of(0L));
        if (bytesKnown()) {
            decision.alternatives().stream().map(Alternative::rule).filter(Objects::nonNull).map(SelectionRule::bytes).forEach(b -> {
                starts.add(b.min());
                if (b.max() != Long.MAX_VALUE) {
                    starts.add(b.max() + 1);
                }
            });
        }
        final List<SizeRange<C>> ranges = new ArrayList<>();
        for (final long start : starts) {
            final Long next = starts.higher(start);
            final LongRange bytes = new LongRange(start, next == null ? Long.MAX_VALUE : next - 1);
            final Alternative<C> served = decision.first(new CallProperties(bytesKnown() ? start : MessageBytes.UNKNOWN, reduction(commutes),
                inPlace && !decision.isInter() && SelectionRule.isInPlaceUniform(decision.operation())));
            if (!ranges.isEmpty() && ranges.getLast().served == served) {
                ranges.add(new SizeRange<>(new LongRange(ranges.removeLast().bytes.min(), bytes.max()), served));
            } else {
                ranges.add(new SizeRange<>(bytes, served));
            }
        }
        return ranges;
    }
}
