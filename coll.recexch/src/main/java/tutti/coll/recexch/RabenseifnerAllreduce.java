package tutti.coll.recexch;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Rabenseifner's allreduce: reduce-scatter by recursive halving, then allgather by recursive doubling on the same ways back.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521; from near to far, so that operands may keep the order of
 * ranks: J. L. Träff, An improved algorithm for (non-commutative) reduce-scatter with an application, EuroPVM/MPI 2005, LNCS 3666,
 * doi:10.1007/11557265_20.
 * <p>Idea: those that meet first are neighbours and exchange most; what they combine stands for runs of ranks. Each ends with the
 * result of one segment, wherever that is, and from there the allgather fills the gaps in reverse. Ranks beyond f·k^m give what they have to a
 * neighbour first and get the result from it: see {@link RecursiveExchange}.
 * <pre>
 *   5 ranks, segments a b c d   before:   0 →abcd→ 1                       1: (0 1)
 *                               halving:  1 →cd→ 2 →ab→ 1,  3 →cd→ 4 →ab→ 3
 *                                         1 →b→ 3 →a→ 1,  2 →d→ 4 →c→ 2    1: a  2: c  3: b  4: d
 *                               doubling: 1 →a→ 3 →b→ 1,  2 →c→ 4 →d→ 2    1 3: ab  2 4: cd
 *                                         1 →ab→ 2 →cd→ 1,  3 →ab→ 4 →cd→ 3
 *                               after:    1 →abcd→ 0
 * </pre>
 * <p>Cost for p ranks, n bytes, radix k, where q = f·k^m ranks take part, f &lt; k, and r = m(k-1) + f-1:
 * p = q, p = 2^i and k = 2 for one: 2rα + 2((p-1)/p)nβ + ((p-1)/p)nγ; other: 2rα + 2((q-1)/q)nβ + ((q-1)/q)nγ, and 2α + 2nβ + nγ; with k > 2
 * messages of those that wait and those that do not may get in each other's way, then somewhat more.
 * <p>Needs: nothing; any p, any count; keeps the order of ranks. Its brackets are canonical where {@link RecursiveExchange} says so: for k = 2,
 * if p in binary is ones, then zeros (1 to 4, 6 to 8, 12, 14 to 16, 24, …).
 * <p>Memory: less than n bytes where the operation commutes, less than 2n where it does not; where it is paired, as much as that and n or
 * 2n.
 */
final class RabenseifnerAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "rabenseifner";

    private final int radix;

    RabenseifnerAllreduce(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        final RecursiveExchange exchange = RecursiveExchange.of(plan.size(), radix, RecursiveExchange.ANYBODY);
        final int rank = plan.rank();
        final DependencyTracker flow = new DependencyTracker(plan);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        if (exchange.rests(rank)) {
            flow.send(call.input(), exchange.other(rank));
            flow.recv(out, exchange.other(rank));
            return;
        }
        final HalvingRanges halves = new HalvingRanges(exchange, true);
        final SegmentLayout parts = SegmentLayout.even(halves, call.count(), call.reduction().elementBytes());
        final RecursiveHalving halving = new RecursiveHalving(flow, halves, parts, call.reduction(), rank, call.input());
        halving.plan(out, null);
        halving.settle(out);
        new AllgatherPhase(flow, halves, parts, exchange.placeOf(rank)).allgather(out, RecursiveExchange.ANYBODY);
        if (exchange.isPaired(rank)) {
            flow.send(out, exchange.other(rank));
        }
    }
}
