package tutti.coll.recexch;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;
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
        final DataTasks tasks = new DataTasks(plan);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        if (exchange.isInactive(rank)) {
            tasks.send(call.input(), exchange.pairPartner(rank));
            tasks.recv(out, exchange.pairPartner(rank));
            return;
        }
        // all ranks combine alike, so operands are not swapped, and the value moves to the memory of the last operand
        final CanonicalMerge merge = new CanonicalMerge(plan, call.reduction(), false);
        BufferRange value = call.input();
        if (exchange.isPaired(rank)) {
            value = merge.merge(value, endsIn(out, exchange, rank, 0), exchange.pair(rank));
        }
        for (int round = 0; round < exchange.rounds(); round++) {
            for (final int peer : exchange.receivers(rank, round)) {
                tasks.send(value, peer);
            }
            value = merge.merge(value, endsIn(out, exchange, rank, round + 1), exchange.group(rank, round));
        }
        if (!value.equals(out)) {
            tasks.copy(value, out);
        }
        if (exchange.isPaired(rank)) {
            tasks.send(out, exchange.pairPartner(rank));
        }
    }

    /** Returns the target if a value that is in it before a round ends there, else null: a value that moves out can move back in the next move. */
    static @Nullable BufferRange endsIn(final BufferRange out, final RecursiveExchange exchange, final int rank, final int round) {
        final long moves = IntStream.range(round, exchange.rounds()).filter(r -> !exchange.isHighest(rank, r)).count();
        return moves % 2 == 0 ? out : null;
    }
}
