package tutti.runtime.introspect;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.policy.WordSet;

/**
 * Rules of what the tuning of calls has found out, with which another job can begin. They are for communicators of exactly that shape and for the
 * sizes that were measured, so they go before the rules of a table. Stateless.
 */
public final class TuningRules {
    private static final String BASIC = "basic";

    private TuningRules() {}

    /**
     * Returns the rules. After the fastest algorithm a rule names the best one of each other module that was measured, for jobs that lack the first
     * module. Neighbouring sizes with the same algorithms have one rule.
     *
     * @param found what was found out, by operation, kind and size of calls as {@code CollectiveEngine} returns it; calls for which no algorithm was
     *              found have no rule
     */
    public static List<SelectionRule> of(final List<CallTuning> found) {
        final List<SelectionRule> rules = new ArrayList<>();
        CallTuning last = null;
        for (final CallTuning t : found) {
            if (t.isDecided()) {
                final CallTuning joined = last == null ? null : join(last, t);
                if (joined != null) {
                    rules.removeLast();
                }
                last = joined == null ? t : joined;
                rules.add(rule(last));
            }
        }
        return rules;
    }

    /** Returns the tuning of the sizes of both when these are neighbours and have the same rule; else null. */
    private static @Nullable CallTuning join(final CallTuning one, final CallTuning next) {
        if (one.bytes().max() + 1 != next.bytes().min()) {
            return null;
        }
        final LongRange both = new LongRange(one.bytes().min(), next.bytes().max());
        return rule(one.withBytes(both)).equals(rule(next.withBytes(both))) ? next.withBytes(both) : null;
    }

    /** Returns the rule of one class of calls for which an algorithm was found. */
    public static SelectionRule rule(final CallTuning found) {
        SelectionRule rule = new SelectionRule(found.operation(), refs(found))
            .with(RuleCondition.RANKS, LongRange.only(found.shape().ranks())).with(RuleCondition.NODES, LongRange.only(found.shape().nodes()))
            .with(RuleCondition.RANKS_PER_NODE, found.shape().ranksPerNode());
        for (final Map.Entry<RuleCondition, Boolean> flag : flags(found.kind()).entrySet()) {
            if (flag.getKey().isDefined(Operation.of(found.operation()), false)) {
                rule = rule.with(flag.getKey(), WordSet.of(flag.getValue()));
            }
        }
        return RuleCondition.BYTES.isDefined(Operation.of(found.operation()), false) ? rule.with(RuleCondition.BYTES, found.bytes()) : rule;
    }

    private static Map<RuleCondition, Boolean> flags(final CallTuning.Kind kind) {
        return switch (kind) {
            case USUAL -> Map.of(RuleCondition.PREDEFINED, true);
            case NOT_PREDEFINED -> Map.of(RuleCondition.PREDEFINED, false, RuleCondition.COMMUTATIVE, true);
            case NOT_COMMUTATIVE -> Map.of(RuleCondition.COMMUTATIVE, false);
        };
    }

    private static List<AlgorithmRef> refs(final CallTuning found) {
        final Set<String> modules = new HashSet<>();
        final List<AlgorithmRef> refs = new ArrayList<>();
        Stream.concat(Stream.of(found.best()), found.algorithms().stream().filter(m -> m.slowdown() > 0 && m.problem() == null)
            .sorted(Comparator.comparingDouble(CallTuning.Measured::slowdown))).map(CallTuning.Measured::algorithm)
            .filter(ref -> !modules.contains(BASIC) && modules.add(ref.module())).forEachOrdered(refs::add);
        return refs;
    }
}
