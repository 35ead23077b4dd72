package tutti.coll.recexch;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DependencyTracker;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Recursive doubling allreduce with any radix: in round i, k ranks at distance k^i exchange their values and all combine them.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521; other radices: M. Ruefenacht, M. Bull, S. Booth,
 * Generalisation of recursive doubling for AllReduce: now with simulation, Parallel Computing 69, 2017, doi:10.1016/j.parco.2017.08.004
 * (there: recursive multiplying).
 * <p>Idea: a value is always the reduction over consecutive ranks, and the ranks of a group combine the same values in the same way. So the order of
 * ranks is kept and every rank has the same bits. Ranks beyond f·k^m send their contribution to a neighbour first and receive the result from it:
 * see {@link RecursiveExchange}.
 * <pre>
 *   5 ranks, k = 2   before:   0 → 1                     1 (0 1), 2, 3, 4
 *                    round 0:  1 ↔ 2,  3 ↔ 4             (0 1 2), (3 4)
 *                    round 1:  1 ↔ 3,  2 ↔ 4             (0 1 2 3 4)
 *                    after:    1 → 0
 *   4 ranks, k = 4   round 0:  0 ↔ 1 ↔ 2 ↔ 3 ↔ 0, 0 ↔ 2, 1 ↔ 3
 * </pre>
 * <p>Cost for p ranks, n bytes, radix k, where q = f·k^m ranks take part, f &lt; k, and r = m(k-1) + f-1:
 * p = q (for example p = 2^i with k = 2): r(α + nβ + nγ), pr messages; other p: 2(α + nβ) + nγ more, qr + 2(p-q) messages.
 * <p>Needs: nothing; any p, any count; keeps the order of ranks. Its brackets are canonical where {@link RecursiveExchange#isCanonical} is true: for
 * k = 2, if p in binary is ones, then zeros (1 to 4, 6 to 8, 12, 14 to 16, 24, …).
 * <p>Memory: at most kn bytes.
 */
final class DoublingAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "doubling";

    private final int radix;

    DoublingAllreduce(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        final RecursiveExchange exchange = RecursiveExchange.of(plan.size(), radix, RecursiveExchange.ANY_RANK);
        final int rank = plan.rank();
        final DependencyTracker tracker = new DependencyTracker(plan);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        if (exchange.isInactive(rank)) {
            tracker.send(call.input(), exchange.pairPartner(rank));
            tracker.recv(out, exchange.pairPartner(rank));
            return;
        }
        final DoublingRounds rounds = new DoublingRounds(tracker, call.reduction(), exchange, exchange.vrankOf(rank), 0);
        final BufferRange own = exchange.isPaired(rank) ? rounds.combinePair(call.input(), out) : call.input();
        final BufferRange value = rounds.plan(own, out, true);
        if (!value.equals(out)) {
            tracker.copy(value, out);
        }
        if (exchange.isPaired(rank)) {
            tracker.send(out, exchange.pairPartner(rank));
        }
    }
}
