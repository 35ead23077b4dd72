package tutti.runtime.select;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.runtime.policy.ConditionValues;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.WordSet;

/**
 * The properties of a call that decide which algorithm serves it. They are equal on all ranks that take part in the call.
 *
 * @param reduction the call's reduction; null where the operation is no reduction, or where this rank does not know it
 * @param values    the value of each condition of rules that is about calls; without those that not every rank knows
 */
record CallProperties(@Nullable Reduction reduction, Map<RuleCondition, ConditionValues> values) {
    /**
     * Returns the properties of a call on a communicator.
     *
     * @param averageBlock average block of calls where not every rank knows it; may be unknown
     */
    static CallProperties of(final Operation<?> operation, final Call call, final CommShape comm, final long averageBlock) {
        final boolean inter = comm.isInter();
        final long bytes = inter ? MessageBytes.between(operation, call, comm.group()) : MessageBytes.of(operation, call);
        final int blocks = bytes == MessageBytes.UNKNOWN ? 0 : switch (call) {
            case Call.Gather c -> Objects.requireNonNull(c.recv()).count();
            case Call.Scatter c -> Objects.requireNonNull(c.send()).count();
            default -> comm.nodes().size();
        };
        final CallProperties properties = of(operation, bytes, inter, blocks, averageBlock, call.reduction());
        properties.put(operation, inter, RuleCondition.IN_PLACE, call.inPlace());
        switch (call) {
            case Call.Allgather c -> properties.put(operation, inter, RuleCondition.REGULAR, isRegular(c.recv()));
            case Call.ReduceScatter c -> properties.put(operation, inter, RuleCondition.REGULAR, isRegular(c.blocks()));
            default -> {
            }
        }
        return properties;
    }

    /** Returns the properties of calls of a size, whatever their blocks are and the ranks are in place or not. */
    static CallProperties of(final Operation<?> operation, final long bytes, final boolean inter, final int blocks,
        final long averageBlock, final @Nullable Reduction reduction) {
        final CallProperties properties = new CallProperties(reduction, new EnumMap<>(RuleCondition.class));
        properties.put(RuleCondition.BYTES, bytes);
        properties.put(RuleCondition.BLOCK, bytes == MessageBytes.UNKNOWN && MessageBytes.hasBlocks(operation) ? averageBlock
            : MessageBytes.block(operation, bytes, inter, blocks));
        if (reduction != null) {
            properties.put(operation, inter, RuleCondition.COMMUTATIVE, reduction.isCommutative());
            properties.put(operation, inter, RuleCondition.PREDEFINED, reduction.isPredefined());
        }
        return properties;
    }

    private void put(final RuleCondition condition, final long bytes) {
        if (bytes >= 0) {
            values.put(condition, LongRange.only(bytes));
        }
    }

    /** Adds the value of a flag that is defined for the operation. */
    void put(final Operation<?> operation, final boolean inter, final RuleCondition flag, final boolean value) {
        if (flag.isDefined(operation, inter)) {
            values.put(flag, WordSet.of(value));
        }
    }

    private static boolean isRegular(final Blocks blocks) {
        boolean regular = true;
        for (int i = 1; !blocks.isUniform() && i < blocks.count(); i++) {
            regular &= blocks.bytes(i) == blocks.bytes(0);
        }
        return regular;
    }
}
