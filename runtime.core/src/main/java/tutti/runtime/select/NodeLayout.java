package tutti.runtime.select;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import tutti.runtime.policy.ConditionValues;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.WordSet;

/**
 * The distribution of the ranks of a communicator over nodes, on an intercommunicator of the ranks of both groups. Equal on all ranks.
 *
 * @param link   class of the links between these nodes; fast for one node
 * @param values the value of each condition of rules that is not about calls; groups only for an intercommunicator
 */
record NodeLayout(LinkSpeed link, Map<RuleCondition, ConditionValues> values) {
    /** Returns the layout of a communicator of a job with links of that class. */
    static NodeLayout of(final CommShape shape, final LinkSpeed link) {
        final Collection<Integer> counts = shape.nodes().ranksPerNode();
        final LinkSpeed between = counts.size() == 1 ? LinkSpeed.FAST : link;
        final Map<RuleCondition, ConditionValues> values = new EnumMap<>(RuleCondition.class);
        values.put(RuleCondition.RANKS, LongRange.only(shape.nodes().size()));
        values.put(RuleCondition.NODES, LongRange.only(counts.size()));
        values.put(RuleCondition.RANKS_PER_NODE, new LongRange(Collections.min(counts), Collections.max(counts)));
        values.put(RuleCondition.POWER_OF_TWO, WordSet.of(Integer.bitCount(shape.size()) == 1 && Integer.bitCount(shape.remoteSize()) <= 1));
        values.put(RuleCondition.LEVEL, WordSet.of(shape.level()));
        values.put(RuleCondition.LINK, WordSet.of(between));
        if (shape.isInter()) {
            values.put(RuleCondition.GROUPS,
                new LongRange(Math.min(shape.size(), shape.remoteSize()), Math.max(shape.size(), shape.remoteSize())));
        }
        return new NodeLayout(between, Collections.unmodifiableMap(values));
    }

    /** Returns a hash of the layout, to which more can be added. */
    AgreementHash hash() {
        return new AgreementHash().add(values.toString());
    }
}
