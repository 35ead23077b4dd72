package tutti.coll.recexch;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Rabenseifner's allreduce: reduce-scatter by recursive halving, then allgather by recursive doubling over the same pairs in reverse.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521; from near to far, so that operands may keep the order of
 * ranks: J. L. Träff, An improved algorithm for (non-commutative) reduce-scatter with an application, EuroPVM/MPI 2005, LNCS 3666,
 * doi:10.1007/11557265_20.
 * <p>Idea: ranks of the first groups are neighbours and exchange most of the data, so what they combine are consecutive ranks. Each rank ends with
 * the result of one segment, and from there the allgather collects the segments in reverse. Ranks beyond f·k^m send their contribution to a
 * neighbour first and receive the result from it: see {@link RecursiveExchange}.
 * <pre>
 *   5 ranks, segments a b c d   before:   0 →abcd→ 1                       1: (0 1)
 *                               halving:  1 →cd→ 2 →ab→ 1,  3 →cd→ 4 →ab→ 3
 *                                         1 →b→ 3 →a→ 1,  2 →d→ 4 →c→ 2    1: a  2: c  3: b  4: d
 *                               doubling: 1 →a→ 3 →b→ 1,  2 →c→ 4 →d→ 2    1 3: ab  2 4: cd
 *                                         1 →ab→ 2 →cd→ 1,  3 →ab→ 4 →cd→ 3
 *                               after:    1 →abcd→ 0
 * </pre>
 * <p>Cost for p ranks, n bytes, radix k, where q = f·k^m ranks take part, f &lt; k, and r = m(k-1) + f-1:
 * p = q (for example p = 2^i with k = 2): 2rα + 2((p-1)/p)nβ + ((p-1)/p)nγ; other p: 2rα + 2((q-1)/q)nβ + ((q-1)/q)nγ, and 2α + 2nβ + nγ; for k > 2
 * then somewhat more, where messages of ranks that wait delay those of ranks that do not.
 * <p>Needs: nothing; any p, any count; keeps the order of ranks. Its brackets are canonical where {@link RecursiveExchange#isCanonical} is true: for
 * k = 2, if p in binary is ones, then zeros (1 to 4, 6 to 8, 12, 14 to 16, 24, …).
 * <p>Memory: less than n bytes where the operation commutes, less than 2n where it does not; on a rank with an inactive partner, n or 2n more.
 */
final class RabenseifnerAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "rabenseifner";

    private final int radix;

    RabenseifnerAllreduce(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        final RecursiveExchange exchange = RecursiveExchange.of(plan.size(), radix, RecursiveExchange.ANY_RANK);
        final int rank = plan.rank();
        final DataTasks tasks = new DataTasks(plan);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        if (exchange.isInactive(rank)) {
            tasks.send(call.input(), exchange.pairPartner(rank));
            tasks.recv(out, exchange.pairPartner(rank));
            return;
        }
        final HalvingRanges ranges = HalvingRanges.even(exchange, call.bytes(), call.reduction().elementBytes());
        final CanonicalMerge merge = new CanonicalMerge(plan, call.reduction(), call.reduction().isCommutative());
        BufferRange held = call.input();
        if (exchange.isPaired(rank)) {
            held = merge.merge(held, out, exchange.pair(rank));
        }
        for (int round = 0; round < exchange.rounds(); round++) {
            for (final int peer : exchange.receivers(rank, round)) {
                tasks.send(ranges.kept(held, peer, round), peer);
            }
            held = merge.merge(ranges.kept(held, rank, round), ranges.held(out, rank, round + 1), exchange.group(rank, round));
        }
        final BufferRange segment = ranges.held(out, rank, exchange.rounds());
        if (!held.equals(segment)) {
            tasks.copy(held, segment);
        }
        for (int round = exchange.rounds() - 1; round >= 0; round--) {
            for (final int peer : exchange.receivers(rank, round)) {
                tasks.send(ranges.held(out, rank, round + 1), peer);
            }
            for (final int peer : exchange.senders(rank, round)) {
                tasks.recv(ranges.held(out, peer, round + 1), peer);
            }
        }
        if (exchange.isPaired(rank)) {
            tasks.send(out, exchange.pairPartner(rank));
        }
    }
}
