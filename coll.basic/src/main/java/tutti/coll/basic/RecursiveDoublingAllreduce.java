package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Recursive doubling allreduce: in round k, ranks at distance 2^k exchange their partial results and both combine them.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521.
 * <p>Idea: a partial result always stands for consecutive ranks, and both partners combine the same two with the lower ranks as the left operand.
 * The order of ranks is therefore kept, and every rank has the same bits. Ranks beyond a power of two first send their contribution to a
 * neighbour, and receive the result from it: see {@link RecursiveExchange}.
 * <pre>
 *   5 ranks     before:   0 → 1                     1 (0 1), 2, 3, 4
 *               round 1:  1 ↔ 2,  3 ↔ 4             (0 1 2), (3 4)
 *               round 2:  1 ↔ 3,  2 ↔ 4             (0 1 2 3 4)
 *               after:    1 → 0
 * </pre>
 * <p>Cost for p ranks, n bytes: p = 2^k: log2 p (α + nβ + nγ), p log2 p messages; other p: (⌊log2 p⌋ + 2)(α + nβ) + (⌊log2 p⌋ + 1) nγ,
 * q log2 q + 2(p-q) messages, q the largest power of two below p.
 * <p>Needs: nothing; any p; keeps the order of ranks.
 * <p>Memory: n bytes; in place 2n at most.
 */
final class RecursiveDoublingAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "recursive_doubling";

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        final RecursiveExchange exchange = RecursiveExchange.of(plan.size(), 2, RecursiveExchange.ANY_RANK);
        final int rank = plan.rank();
        final DataTasks tasks = new DataTasks(plan);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        if (exchange.isInactive(rank)) {
            tasks.send(call.input(), rank + 1);
            tasks.recv(out, rank + 1);
            return;
        }
        final int vrank = exchange.vrankOf(rank);
        final int higherPartners = exchange.rounds() - Integer.bitCount(vrank);
        final RunningReduction partial = new RunningReduction(tasks, call.reduction(), call.input(), out, higherPartners, true);
        if (exchange.isPaired(rank)) {
            partial.lower(rank - 1);
        }
        for (int round = 0; round < exchange.rounds(); round++) {
            final int partner = exchange.rankAt(vrank ^ 1 << round);
            partial.send(partner);
            if (partner > rank) {
                partial.higher(partner);
            } else {
                partial.lower(partner);
            }
        }
        partial.finish();
        if (exchange.isPaired(rank)) {
            partial.send(rank - 1);
        }
    }
}
