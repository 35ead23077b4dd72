package tutti.coll.recexch;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Rabenseifner's reduce: reduce-scatter by recursive halving, then a gather of the segments at the root over the same pairs in reverse.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521; from near to far, so that operands may keep the order of
 * ranks: J. L. Träff, An improved algorithm for (non-commutative) reduce-scatter with an application, EuroPVM/MPI 2005, LNCS 3666,
 * doi:10.1007/11557265_20.
 * <p>Idea: recursive halving as in {@link RabenseifnerAllreduce}. The part that a rank keeps does not depend on the root, so neither does the order.
 * In each step of the gather, ranks that do not keep the root's part send it what they have. In the root's pair the root is the active rank.
 * <pre>
 *   5 ranks, root 0, segments a b c d   before:   1 →abcd→ 0                       0: (0 1)
 *                                       halving:  0 →cd→ 2 →ab→ 0,  3 →cd→ 4 →ab→ 3
 *                                                 0 →b→ 3 →a→ 0,  2 →d→ 4 →c→ 2    0: a  2: c  3: b  4: d
 *                                       gather:   3 →b→ 0,  4 →d→ 2
 *                                                 2 →cd→ 0
 * </pre>
 * <p>Cost for p ranks, n bytes, radix k, where q = f·k^m ranks take part, f &lt; k, and r = m(k-1) + f-1:
 * p = q (for example p = 2^i with k = 2): 2rα + 2((p-1)/p)nβ + ((p-1)/p)nγ; other p: at most 2rα + 2((q-1)/q)nβ + ((q-1)/q)nγ, and α + nβ + nγ.
 * <p>Needs: nothing; any p, any root, any count; keeps the order of ranks. Its brackets are canonical where {@link RecursiveExchange#isCanonical} is
 * true: for k = 2, if p in binary is ones, then zeros (1 to 4, 6 to 8, 12, 14 to 16, 24, …).
 * <p>Memory: less than n bytes where the operation commutes, less than 2n where it does not; on a rank with an inactive partner, n or 2n more.
 */
final class RabenseifnerReduce implements Algorithm<Call.Reduce> {
    static final String NAME = "rabenseifner";

    private final int radix;

    RabenseifnerReduce(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Reduce call, final Plan plan) {
        final RecursiveExchange exchange = RecursiveExchange.of(plan.size(), radix, call.root());
        final int rank = plan.rank();
        final DataTasks tasks = new DataTasks(plan);
        if (exchange.isInactive(rank)) {
            tasks.send(call.input(), exchange.pairPartner(rank));
            return;
        }
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final HalvingRanges ranges = HalvingRanges.even(exchange, call.bytes(), reduction.elementBytes());
        final CanonicalMerge merge = new CanonicalMerge(plan, reduction, reduction.isCommutative());
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        final boolean isRoot = rank == call.root();
        final int parting = ranges.partingRound(rank, call.root());
        BufferRange held = call.input();
        if (exchange.isPaired(rank)) {
            held = merge.merge(held, isRoot ? out : null, exchange.pair(rank));
        }
        // a rank gathers where it held the same range before: after the round in which it and the root kept different parts
        BufferRange gathered = out;
        for (int round = 0; round < exchange.rounds(); round++) {
            for (final int peer : exchange.receivers(rank, round)) {
                tasks.send(ranges.kept(held, peer, round), peer);
            }
            final BufferRange target = isRoot ? ranges.held(out, rank, round + 1) : null;
            held = merge.merge(ranges.kept(held, rank, round), target, exchange.group(rank, round));
            gathered = round == parting ? held : gathered;
        }
        final BufferRange segment = ranges.within(gathered, parting + 1, rank, exchange.rounds());
        if (!held.equals(segment)) {
            tasks.copy(held, segment);
        }
        for (int round = exchange.rounds() - 1; round > parting; round--) {
            for (final int peer : exchange.senders(rank, round)) {
                tasks.recv(ranges.within(gathered, parting + 1, peer, round + 1), peer);
            }
        }
        if (!isRoot) {
            tasks.send(gathered, ranges.keeper(rank, parting, call.root()));
        }
    }
}
