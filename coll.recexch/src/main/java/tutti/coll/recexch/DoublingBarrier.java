package tutti.coll.recexch;

import java.util.Arrays;
import tutti.coll.Algorithm;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Recursive doubling barrier with any radix: in round i, k ranks at distance k^i tell each other that they and those that they heard of are there.
 *
 * <p>Source: E. D. Brooks III, The butterfly barrier, International Journal of Parallel Programming 15(4), 1986, doi:10.1007/BF01407877; other
 * radices as in {@link DoublingAllreduce}.
 * <p>Idea: after round i a rank has heard of its block of k^(i+1). Ranks beyond f·k^m tell a neighbour first, and hear from it in the end: see
 * {@link RecursiveExchange}.
 * <pre>
 *   5 ranks, k = 2   before:   0 → 1
 *                    round 0:  1 ↔ 2,  3 ↔ 4
 *                    round 1:  1 ↔ 3,  2 ↔ 4
 *                    after:    1 → 0
 * </pre>
 * <p>Cost for p ranks, radix k, where q = f·k^m ranks take part, f &lt; k, and r = m(k-1) + f-1: p = q, p = 2^i and k = 2 for one: rα, pr messages;
 * other: (r+2)α, qr + 2(p-q) messages.
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
        final RecursiveExchange exchange = RecursiveExchange.of(plan.size(), radix, RecursiveExchange.ANYBODY);
        final int rank = plan.rank();
        final BufferRange nothing = plan.scratch(0);
        if (exchange.rests(rank)) {
            plan.send(nothing, exchange.other(rank));
            plan.recv(nothing, exchange.other(rank));
            return;
        }
        int[] heard = exchange.isPaired(rank) ? new int[] {plan.recv(nothing, exchange.other(rank))} : new int[0];
        for (int round = 0; round < exchange.rounds(); round++) {
            final int place = exchange.placeOf(rank);
            final int[] met = exchange.ranksAt(exchange.met(place, round));
            final int own = exchange.digit(place, round);
            final int[] more = Arrays.copyOf(heard, heard.length + met.length - 1);
            for (int i = 1; i < met.length; i++) {
                plan.send(nothing, met[(own + i) % met.length], heard);
                more[heard.length + i - 1] = plan.recv(nothing, met[(own - i + met.length) % met.length]);
            }
            heard = more;
        }
        if (exchange.isPaired(rank)) {
            plan.send(nothing, exchange.other(rank), heard);
        }
    }
}
