package tutti.coll.recexch;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Task;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Recursive doubling barrier with any radix: in round i, k ranks at distance k^i notify each other, each on behalf of the ranks that notified it.
 *
 * <p>Source: E. D. Brooks III, The butterfly barrier, International Journal of Parallel Programming 15(4), 1986, doi:10.1007/BF01407877; other
 * radices as in {@link DoublingAllreduce}.
 * <p>Idea: after round i a rank knows that all ranks of its block of k^(i+1) have entered. Ranks beyond f·k^m notify a neighbour first and receive
 * its notification last: see {@link RecursiveExchange}.
 * <pre>
 *   5 ranks, k = 2   before:   0 → 1
 *                    round 0:  1 ↔ 2,  3 ↔ 4
 *                    round 1:  1 ↔ 3,  2 ↔ 4
 *                    after:    1 → 0
 * </pre>
 * <p>Cost for p ranks, radix k, where q = f·k^m ranks take part, f &lt; k, and r = m(k-1) + f-1: p = q (for example p = 2^i with k = 2): rα, pr
 * messages; other p: (r+2)α, qr + 2(p-q) messages.
 * <p>Needs: nothing; any p.
 * <p>Memory: none.
 */
final class DoublingBarrier implements Algorithm<Call.Barrier> {
    static final String NAME = "doubling";

    private final int radix;

    DoublingBarrier(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Barrier call, final Plan plan) {
        final RecursiveExchange exchange = RecursiveExchange.of(plan.size(), radix, RecursiveExchange.ANY_RANK);
        final int rank = plan.rank();
        final BufferRange empty = plan.scratch(0);
        if (exchange.isInactive(rank)) {
            plan.send(empty, exchange.pairPartner(rank));
            plan.recv(empty, exchange.pairPartner(rank));
            return;
        }
        final List<Task> received = new ArrayList<>();
        if (exchange.isPaired(rank)) {
            received.add(plan.recv(empty, exchange.pairPartner(rank)));
        }
        for (int round = 0; round < exchange.rounds(); round++) {
            final Task[] before = received.toArray(Task[]::new);
            for (final int peer : exchange.receivers(rank, round)) {
                plan.send(empty, peer, before);
            }
            for (final int peer : exchange.senders(rank, round)) {
                received.add(plan.recv(empty, peer));
            }
        }
        if (exchange.isPaired(rank)) {
            plan.send(empty, exchange.pairPartner(rank), received.toArray(Task[]::new));
        }
    }
}
