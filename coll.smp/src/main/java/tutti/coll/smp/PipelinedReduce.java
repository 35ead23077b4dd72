package tutti.coll.smp;

import java.util.Objects;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Reduction;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.patterns.Segments;

/**
 * Reduce to a rank of another group: the group reduces to its leader, its rank 0, which sends the result to the root, segment by segment.
 *
 * <p>Source: phases as in MPICH, algorithm {@code reduce_inter_local_reduce_remote_send}; segments as in {@link HierarchicalReduce}.
 * <p>Idea: the result is sent from group to group once. While the leader sends a segment, its group reduces the next one. The reductions are
 * collectives of the group and run the algorithms selected there. The other ranks of the root's group take no part.
 * <pre>
 *   4 ranks; and 3 ranks, root 1     reduce of a b c d to a [segment 0];   a → 1 [segment 0], reduce of a b c d to a [segment 1];   ...
 * </pre>
 * <p>Cost for q ranks in the sending group, n bytes in s segments: the reduction of the first segment, and the messages of s segments to the root,
 * where the group is faster than the messages, as it is on one node. Where a binomial tree serves the group, (s⌈log2 q⌉ + 1)(α + nβ/s), and its
 * leader combines ⌈log2 q⌉ n bytes. s messages between the groups.
 * <p>Needs: nothing; any two groups, any root; keeps the order of ranks if the nested reductions do.
 * <p>Memory: n bytes on the leader, and what the reductions need.
 */
final class PipelinedReduce implements AdvancedAlgorithm<Call.Reduce> {
    private final CollSubComm group;
    private final long segment;

    PipelinedReduce(final CollSubComm group, final long segment) {
        this.group = group;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Reduce call, final AdvancedPlan plan) {
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final Segments segments = Segments.of(segment, call.bytes(), reduction.elementBytes(), HierarchicalTable.MAX_SEGMENTS);
        final BufferRange result = call.root() != Call.ROOT && plan.rank() == 0 ? plan.scratch(call.bytes()) : null;
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            if (call.root() == Call.ROOT) {
                plan.recv(segments.of(Buffer.RECV.at(0, call.bytes()), i), 0);
            } else {
                final BufferRange part = result == null ? null : segments.of(result, i);
                PipelinedAllreduce.reduce(plan, group, reduction, segments.of(call.input(), i), part);
                if (part != null) {
                    plan.send(part, call.root());
                }
            }
        }
    }
}
