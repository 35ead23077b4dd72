package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRanks;

/**
 * Binomial broadcast: in every round each rank that has the data sends it to a rank that has not.
 *
 * <p>Source: S. L. Johnsson, C.-T. Ho, Optimum broadcasting and personalized communication in hypercubes, IEEE Transactions on Computers
 * 38(9), 1989, doi:10.1109/12.29465.
 * <p>Idea: ranks are numbered from the root. A rank receives from its parent in the binomial tree, then sends to its children, the
 * one with the largest subtree first.
 * <pre>
 *   5 ranks, root 0     round 1:  0 → 4
 *                       round 2:  0 → 2
 *                       round 3:  0 → 1, 2 → 3
 * </pre>
 * <p>Cost for p ranks, n bytes: ⌈log2 p⌉ (α + nβ), p = 2^k and other p alike; p-1 messages.
 * <p>Needs: nothing; any p, any root, any n.
 * <p>Memory: none.
 */
final class BinomialBcast implements Algorithm<Call.Bcast> {
    static final String NAME = "binomial";

    @Override
    public void plan(final Call.Bcast call, final Plan plan) {
        final int size = plan.size();
        final int root = call.root();
        final int v = CyclicRanks.down(plan.rank(), root, size);
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        if (v > 0) {
            plan.recv(data, CyclicRanks.up(Binomial.parent(v), root, size));
        }
        for (int i = Binomial.children(v, size) - 1; i >= 0; i--) {
            plan.send(data, CyclicRanks.up(v + (1 << i), root, size));
        }
    }
}
