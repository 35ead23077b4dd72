package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Direct reduce-scatter: every rank receives all contributions to its own block directly from the other ranks, and combines them.
 *
 * <p>Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, Efficient algorithms for all-to-all communications in multiport
 * message-passing systems, IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, doi:10.1109/71.642949 (the exchange);
 * the contributions are combined along the tree of {@link tutti.coll.ReductionOrder#CANONICAL}.
 * <p>Idea: a rank that has all contributions can combine them with any brackets.
 * <pre>
 *   4 ranks, block of rank 1:   1 ← 0, 1 ← 3, 1 ← 2     ((0 1) (2 3))
 * </pre>
 * <p>Cost for p ranks, contributions of n bytes, blocks of n/p: (p-1) α + (p-1)/p n (β + γ), p = 2^k and other p alike; p(p-1) messages,
 * fewer where blocks are empty.
 * <p>Needs: nothing; any p, any block sizes; its brackets are canonical.
 * <p>Memory: p times the own block.
 */
final class DirectReduceScatter implements Algorithm<Call.ReduceScatter> {
    static final String NAME = "direct";

    @Override
    public void plan(final Call.ReduceScatter call, final Plan plan) {
        final BufferRange out = Buffer.RECV.at(0, call.blocks().bytes(plan.rank()));
        if (plan.size() == 1) {
            if (!call.inPlace() && out.bytes() > 0) {
                plan.copy(call.input(), out);
            }
            return;
        }
        final BlockReduction own = new BlockReduction(plan, call.reduction(), call.blocks(), call.input());
        final BufferRange result = own.gather(out, !call.inPlace());
        if (result == null) {
            return;
        }
        own.combine();
        if (!result.equals(out)) {
            plan.copy(result, out);
        }
    }
}
