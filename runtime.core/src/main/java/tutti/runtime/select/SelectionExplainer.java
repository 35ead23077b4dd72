package tutti.runtime.select;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.coll.Tunable;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.policy.ConditionValues;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.policy.UserPreferences;
import tutti.runtime.policy.WordSet;

/** Builds the explanation of a selection decision. */
final class SelectionExplainer<C extends Call> {
    private final Decision<C> decision;
    private final SelectionPolicy policy;
    private final List<Candidate> order;

    /** A sample reduction, used to query the decision. */
    private record SampleReduction(boolean isCommutative, boolean isPredefined) implements Reduction {
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

    /** Explains the decision for calls of the given bytes: predefined, of equal blocks and not in place. */
    Explanation explain(final long bytes, final List<Candidate> all, final List<ExcludedModule> leftOut, final List<Explanation.Choice> choices) {
        final Operation<C> o = decision.operation();
        final Alternative<C> served = decision.first(sample(bytes, Set.of()));
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
                parameters.add(new Explanation.Parameter(t.parameter(), value, own != null ? origin(served) : preferences.sets(job) ? job : null));
            }
        }
        return parameters;
    }

    /** Returns the name of what gives the algorithm the values of its parameters. */
    private @Nullable String origin(final Alternative<C> served) {
        final Operation<C> o = decision.operation();
        return served.rule() != null ? name(served.rule())
            : policy.isHinted(o, served.reason()) ? "hint " + CommHints.keyOf(o) : UserPreferences.parameterOf(o);
    }

    private boolean bytesKnown() {
        return MessageBytes.known(decision.operation(), isInter());
    }

    private boolean isInter() {
        return decision.comm().isInter();
    }

    /** Returns the number of blocks of a call; of gather and scatter on an intercommunicator where the smaller group has the root. */
    private int blocks() {
        final CommShape comm = decision.comm();
        final Operation<C> o = decision.operation();
        return isInter() && (o.callType() == Call.Gather.class || o.callType() == Call.Scatter.class) ? Math.max(comm.size(), comm.remoteSize())
            : comm.nodes().size();
    }

    /** Returns the properties of a call whose flags are the usual ones, but for some. */
    private CallProperties sample(final long bytes, final Set<RuleCondition> unusual) {
        final Operation<C> o = decision.operation();
        final boolean commutes = !unusual.contains(RuleCondition.COMMUTATIVE);
        final CallProperties call = CallProperties.of(o, bytesKnown() ? bytes : MessageBytes.UNKNOWN, isInter(), blocks(), decision.averageBlock(),
            !RuleCondition.isReduction(o) ? null : new SampleReduction(commutes, commutes && !unusual.contains(RuleCondition.PREDEFINED)));
        call.put(o, isInter(), RuleCondition.REGULAR, !unusual.contains(RuleCondition.REGULAR));
        call.put(o, isInter(), RuleCondition.IN_PLACE, unusual.contains(RuleCondition.IN_PLACE));
        return call;
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

    /**
     * Returns the algorithm for each range of sizes. Unusual kinds of calls are listed separately only where their algorithms differ from those of
     * the kinds that are unusual in one respect less.
     */
    private List<Explanation.Choice> choices() {
        final List<RuleCondition> flags = Stream.of(RuleCondition.IN_PLACE, RuleCondition.REGULAR, RuleCondition.PREDEFINED,
            RuleCondition.COMMUTATIVE).filter(f -> f.isDefined(decision.operation(), isInter())).toList();
        final Map<Set<RuleCondition>, List<SizeRange<C>>> ranges = new HashMap<>();
        final List<Explanation.Choice> choices = new ArrayList<>();
        for (int bits = 0; bits < 1 << flags.size(); bits++) {
            final Set<RuleCondition> unusual = EnumSet.noneOf(RuleCondition.class);
            for (int f = 0; f < flags.size(); f++) {
                if ((bits >> f & 1) != 0) {
                    unusual.add(flags.get(f));
                }
            }
            final List<SizeRange<C>> own = sizeRanges(unusual);
            ranges.put(unusual, own);
            // no operation that does not commute is predefined
            if (!unusual.containsAll(List.of(RuleCondition.COMMUTATIVE, RuleCondition.PREDEFINED))
                && unusual.stream().noneMatch(u -> own.equals(ranges.get(without(unusual, u))))) {
                choices.addAll(toChoices(unusual.stream().map(u -> u.text(WordSet.of(u == RuleCondition.IN_PLACE))).collect(Collectors.joining(", ")),
                    own));
            }
        }
        return choices;
    }

    private static Set<RuleCondition> without(final Set<RuleCondition> all, final RuleCondition one) {
        final Set<RuleCondition> rest = EnumSet.copyOf(all);
        rest.remove(one);
        return rest;
    }

    private List<Explanation.Choice> toChoices(final String calls, final List<SizeRange<C>> ranges) {
        return ranges.stream().map(s -> s.served == null ? new Explanation.Choice(calls, s.bytes, null, null, null)
            : new Explanation.Choice(calls, s.bytes, s.served.chosen().module().toString(), s.served.chosen().name(),
                name(s.served.rule())))
            .toList();
    }

    /** A range of sizes that the same alternative serves; null when none serves. */
    private record SizeRange<C extends Call>(LongRange bytes, @Nullable Alternative<C> served) {}

    private List<SizeRange<C>> sizeRanges(final Set<RuleCondition> unusual) {
        final List<SizeRange<C>> ranges = new ArrayList<>();
        final SortedSet<Long> starts = bytesKnown() ? starts() : new TreeSet<>(Set.of(0L));
        for (final long start : starts) {
            final SortedSet<Long> next = starts.tailSet(start + 1);
            final LongRange bytes = new LongRange(start, next.isEmpty() ? Long.MAX_VALUE : next.first() - 1);
            final Alternative<C> served = decision.first(sample(start, unusual));
            if (!ranges.isEmpty() && ranges.getLast().served == served) {
                ranges.add(new SizeRange<>(new LongRange(ranges.removeLast().bytes.min(), bytes.max()), served));
            } else {
                ranges.add(new SizeRange<>(bytes, served));
            }
        }
        return ranges;
    }

    /** Returns the sizes from which other rules may match. */
    private SortedSet<Long> starts() {
        final SortedSet<Long> starts = new TreeSet<>(Set.of(0L));
        for (final Alternative<C> a : decision.alternatives()) {
            final Map<RuleCondition, ConditionValues> conditions = a.rule() == null ? Map.of() : a.rule().conditions();
            for (final RuleCondition c : List.of(RuleCondition.BYTES, RuleCondition.BLOCK)) {
                if (conditions.get(c) instanceof final LongRange range) {
                    starts.add(bytes(c, range.min()));
                    if (range.max() != Long.MAX_VALUE) {
                        starts.add(bytes(c, range.max() + 1));
                    }
                }
            }
        }
        return starts;
    }

    /** Returns the fewest bytes of calls that have a number of bytes, or an average block of that number. */
    private long bytes(final RuleCondition condition, final long number) {
        if (condition == RuleCondition.BYTES) {
            return number;
        }
        final long blocks = blocks();
        final long most = Long.MAX_VALUE / blocks;
        final long bytes = Math.min(number, most) * blocks;
        return MessageBytes.block(decision.operation(), 1, isInter(), 1) == 2 ? (bytes + 1) / 2 : bytes;
    }
}
