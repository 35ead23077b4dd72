package tutti.coll.smp;

import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.patterns.Segments;

/**
 * Allreduce of two groups: each reduces to its leader, which is its rank 0; the leaders exchange the results and broadcast those received, segment by
 * segment.
 *
 * <p>Source: phases as in MPICH, algorithm {@code allreduce_inter_reduce_exchange_bcast}; segments as in {@link HierarchicalAllreduce}.
 * <p>Idea: each result is sent to the other group once, in both directions at the same time. While the leaders exchange a segment, their groups
 * reduce the next one and distribute the one before. The phases within a group are its collectives and run the algorithms selected there. All ranks
 * of a group receive the same bits, computed by one rank.
 * <pre>
 *   3 and 2 ranks     reduce of 0 1 2 to 0, of a b to a [segment 0];   0 ↔ a [segment 0], reduce [segment 1];
 *                     broadcast of 0 to 0 1 2, of a to a b [segment 0], 0 ↔ a [segment 1], reduce [segment 2];   ...
 * </pre>
 * <p>Cost for the larger group of p ranks, n bytes in s segments: the reduction of the first segment, the exchange of s segments, and the broadcast
 * of the last one, where the group is faster than the exchange, as it is on one node. Where binomial trees serve the groups, all phases take messages
 * of the leader: 2(s⌈log2 p⌉ + 1)(α + nβ/s), for one segment an α + nβ/s less; the leader combines ⌈log2 p⌉ n bytes. 2s messages between the groups.
 * <p>Needs: nothing; any two groups; keeps the order of ranks if the nested reductions do.
 * <p>Memory: n bytes on the leaders, and what the reductions need.
 */
final class PipelinedAllreduce implements AdvancedAlgorithm<Call.Allreduce> {
    private final CollSubComm group;
    private final long segment;

    PipelinedAllreduce(final CollSubComm group, final long segment) {
        this.group = group;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Allreduce call, final AdvancedPlan plan) {
        final Segments segments = Segments.of(segment, call.bytes(), call.reduction().elementBytes(), HierarchicalTable.MAX_SEGMENTS);
        final BufferRange reduced = plan.rank() == 0 ? plan.scratch(call.bytes()) : null;
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange localPart = reduced == null ? null : segments.of(reduced, i);
            final BufferRange remotePart = segments.of(Buffer.RECV.at(0, call.bytes()), i);
            reduce(plan, group, call.reduction(), segments.of(call.input(), i), localPart);
            if (localPart != null) {
                plan.send(localPart, 0);
                plan.recv(remotePart, 0);
            }
            plan.nested(group, Operation.BCAST, new Call.Bcast(remotePart.bytes(), 0), null, remotePart);
        }
    }

    /**
     * Plans a reduction within the group to its leader.
     *
     * @param input  this rank's contribution
     * @param result where the leader has the result; null on other ranks
     */
    static void reduce(final AdvancedPlan plan, final CollSubComm group, final Reduction reduction, final BufferRange input,
        final @Nullable BufferRange result) {
        plan.nested(group, Operation.REDUCE, new Call.Reduce(reduction, input.bytes() / reduction.elementBytes(), 0, false), input, result);
    }
}
