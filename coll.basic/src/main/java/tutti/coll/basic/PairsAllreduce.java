package tutti.coll.basic;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Allreduce of two groups for short data: an allreduce in each group, then every rank receives the result of the other group from one of its ranks.
 *
 * <p>Source: P. V. Silva, J. G. Silva, Implementing MPI-2 extended collective operations, EuroPVM/MPI 1999, doi:10.1007/3-540-48158-3_16 (a local
 * phase, then a phase between the groups); giving the result to all ranks, so that no broadcast follows, is new in this module.
 * <p>Idea: every rank has the result of its group and sends it to its partners of {@link GroupPairs}. That saves the broadcasts of
 * {@link LeadersAllreduce}, and sends a result from group to group once for every rank that receives it. All ranks of a group receive the same bits,
 * since an allreduce gives its ranks the same bits.
 * <pre>
 *   3 and 2 ranks     allreduce of 0 1 2, of a b;   0 ↔ a,  1 ↔ b;   a → 2
 * </pre>
 * <p>Cost for groups of p and q ranks, p the larger, n bytes, where the module itself serves the groups: p = q = 2^k: (log2 p + 1)(α + nβ) + log2 p
 * nγ; others: at most (⌈log2 p⌉ + 2 + ⌈p/q⌉)(α + nβ); p + q messages between the groups.
 * <p>Needs: nothing; any two groups; keeps the order of ranks if the nested allreduce does.
 * <p>Memory: n bytes, and what the allreduce needs.
 */
final class PairsAllreduce implements AdvancedAlgorithm<Call.Allreduce> {
    static final String NAME = "pairs";

    private final CollSubComm group;

    PairsAllreduce(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Allreduce call, final AdvancedPlan plan) {
        final BufferRange localResult = plan.scratch(call.bytes());
        plan.nested(group, Operation.ALLREDUCE, call, call.input(), localResult);
        GroupPairs.of(plan).exchange(plan, localResult, Buffer.RECV.at(0, call.bytes()));
    }
}
