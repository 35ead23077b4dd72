package tutti.runtime.policy;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;

/**
 * A rule of a {@link RuleTable}: names the modules or algorithms that serve the calls which meet all conditions.
 *
 * @param operation  id of the operation; null for any
 * @param conditions the values that the communicator and the call must have. A condition that is absent is met, but without
 *                   {@link RuleCondition#GROUPS} a rule is for intracommunicators alone. Operations for which a condition is not defined do not
 *                   meet it
 * @param refs       references to the modules or algorithms, at least one; the first that can serve a call serves it
 */
public record SelectionRule(@Nullable String operation, Map<RuleCondition, ConditionValues> conditions, List<AlgorithmRef> refs) {

    /**
     * Refuses values that a condition cannot have, conditions that have no meaning for the operation, and a rule without references. Drops
     * conditions that any number meets.
     *
     * @throws IllegalArgumentException with the field and the allowed values as its message
     */
    public SelectionRule {
        refs = List.copyOf(refs);
        if (refs.isEmpty()) {
            throw new IllegalArgumentException("use: empty; allowed: one module or algorithm, or several");
        }
        final Map<RuleCondition, ConditionValues> copy = new EnumMap<>(RuleCondition.class);
        conditions.forEach((c, values) -> copy.put(c, c.parse(values.texts())));
        copy.entrySet().removeIf(c -> c.getKey() != RuleCondition.GROUPS && c.getValue().equals(LongRange.ALL));
        conditions = Collections.unmodifiableMap(copy);
        final Operation<?> o = operation == null ? null : Operation.of(operation);
        final boolean inter = conditions.containsKey(RuleCondition.GROUPS);
        for (final RuleCondition c : conditions.keySet()) {
            final String problem = c.problem(o, inter);
            if (problem != null) {
                throw new IllegalArgumentException(problem);
            }
        }
        if (o == null && Operation.values().stream().noneMatch(any -> copy.keySet().stream().allMatch(c -> c.isDefined(any, inter)))) {
            throw new IllegalArgumentException(copy.keySet().stream().map(RuleCondition::field).collect(Collectors.joining(", "))
                + ": no operation has all these conditions; allowed: conditions that one operation has");
        }
    }

    /** Creates a rule without conditions, for intracommunicators. */
    public SelectionRule(final @Nullable String operation, final List<AlgorithmRef> refs) {
        this(operation, Map.of(), refs);
    }

    /** Returns the same rule with one more condition. */
    public SelectionRule with(final RuleCondition condition, final ConditionValues values) {
        final Map<RuleCondition, ConditionValues> more = new EnumMap<>(RuleCondition.class);
        more.putAll(conditions);
        more.put(condition, values);
        return new SelectionRule(operation, more, refs);
    }

    /** Returns the same rule with one more condition, whose values are in text form. */
    public SelectionRule with(final RuleCondition condition, final String values) {
        return with(condition, condition.parse(values));
    }

    /** Returns whether the rule is for intercommunicators; otherwise it is for intracommunicators. */
    public boolean isInter() {
        return conditions.containsKey(RuleCondition.GROUPS);
    }

    /**
     * Returns whether calls of an operation can meet this rule on a communicator.
     *
     * @param comm the values of the communicator for every condition that is not of calls; groups only for an intercommunicator
     */
    public boolean appliesTo(final Operation<?> o, final Map<RuleCondition, ConditionValues> comm) {
        return (operation == null || operation.equals(o.id())) && isInter() == comm.containsKey(RuleCondition.GROUPS)
            && conditions.keySet().stream().allMatch(c -> c.isDefined(o, isInter())) && isMet(comm, false);
    }

    /** Returns whether a condition depends on the call, not only on the operation and the communicator. */
    public boolean dependsOnCall() {
        return conditions.keySet().stream().anyMatch(RuleCondition::isOfCall);
    }

    /**
     * Returns whether a call meets this rule, given that the rule {@linkplain #appliesTo applies} to its operation.
     *
     * @param call the values of the call; without those that not every rank knows
     */
    public boolean matches(final Map<RuleCondition, ConditionValues> call) {
        return isMet(call, true);
    }

    private boolean isMet(final Map<RuleCondition, ConditionValues> values, final boolean ofCall) {
        for (final Map.Entry<RuleCondition, ConditionValues> c : conditions.entrySet()) {
            if (c.getKey().isOfCall() == ofCall && !c.getValue().covers(values.get(c.getKey()))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether all calls that meet the other rule meet this one. */
    boolean covers(final SelectionRule other) {
        return (operation == null || operation.equals(other.operation)) && isInter() == other.isInter() && isMet(other.conditions, false)
            && isMet(other.conditions, true);
    }

    void write(final DataOutput out) throws IOException {
        out.writeUTF(Objects.requireNonNullElse(operation, ""));
        out.writeInt(conditions.size());
        for (final Map.Entry<RuleCondition, ConditionValues> c : conditions.entrySet()) {
            out.writeUTF(c.getKey().field());
            out.writeUTF(c.getValue().toString());
        }
        out.writeInt(refs.size());
        for (final AlgorithmRef ref : refs) {
            out.writeUTF(ref.toString());
        }
    }

    static SelectionRule read(final DataInput in) throws IOException {
        final String operation = in.readUTF();
        final Map<RuleCondition, ConditionValues> conditions = new EnumMap<>(RuleCondition.class);
        for (int n = in.readInt(); n > 0; n--) {
            final RuleCondition condition = RuleCondition.of(in.readUTF());
            conditions.put(condition, condition.parse(in.readUTF()));
        }
        final List<AlgorithmRef> refs = new ArrayList<>();
        for (int n = in.readInt(); n > 0; n--) {
            refs.add(AlgorithmRef.of(in.readUTF()));
        }
        return new SelectionRule(operation.isEmpty() ? null : operation, conditions, refs);
    }

    /** Returns the conditions and the references. */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder(operation == null ? "any operation" : operation);
        conditions.forEach((condition, values) -> text.append(", ").append(condition.text(values)));
        return text + ": " + refs.stream().map(AlgorithmRef::toString).collect(Collectors.joining(", else "));
    }
}
