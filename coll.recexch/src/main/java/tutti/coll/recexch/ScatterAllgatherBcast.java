package tutti.coll.recexch;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Van de Geijn's broadcast: scatters the root's data in segments down a tree, then distributes the segments to all ranks by recursive doubling.
 *
 * <p>Source: M. Barnett, L. Shuler, R. van de Geijn, S. Gupta, D. G. Payne, J. Watts, Interprocessor collective communication library
 * (InterCom), Scalable High Performance Computing Conference 1994, doi:10.1109/SHPCC.1994.296665.
 * <p>Idea: the scatter is the gather of {@link RabenseifnerReduce} in reverse, and the allgather is that of {@link RabenseifnerAllreduce}. A rank
 * does not receive segments again that it has from the scatter. In the root's pair the root is the active rank.
 * <pre>
 *   5 ranks, root 0, segments a b c d   scatter:   0 →cd→ 2
 *                                                  0 →b→ 3,  2 →d→ 4          0: abcd  2: cd  3: b  4: d
 *                                       doubling:  0 →a→ 3,  2 →c→ 4          3: ab  4: cd
 *                                                  0 →ab→ 2,  3 →ab→ 4 →cd→ 3
 *                                       after:     0 →abcd→ 1
 * </pre>
 * <p>Cost for p ranks, n bytes, radix k, where q = f·k^m ranks take part, f &lt; k, and r = m(k-1) + f-1:
 * k = 2 and p = q = 2^i: 2rα + 2((p-1)/p)nβ; k = 2 and other p: 2rα + 2((q-1)/q)nβ, and α + nβ; k > 2: at most twice that.
 * <p>Needs: nothing; any p, any root, any n.
 * <p>Memory: none.
 */
final class ScatterAllgatherBcast implements Algorithm<Call.Bcast> {
    static final String NAME = "scatter_allgather";

    private final int radix;

    ScatterAllgatherBcast(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Bcast call, final Plan plan) {
        final RecursiveExchange exchange = RecursiveExchange.of(plan.size(), radix, call.root());
        final int rank = plan.rank();
        final DataTasks tasks = new DataTasks(plan);
        final BufferRange all = Buffer.RECV.at(0, call.bytes());
        if (exchange.isInactive(rank)) {
            tasks.recv(all, exchange.pairPartner(rank));
            return;
        }
        final HalvingRanges ranges = HalvingRanges.even(exchange, call.bytes(), 1);
        final int parting = ranges.partingRound(rank, call.root());
        if (rank != call.root()) {
            tasks.recv(ranges.held(all, rank, parting + 1), ranges.keeper(rank, parting, call.root()));
        }
        for (int round = parting + 1; round < exchange.rounds(); round++) {
            for (final int peer : exchange.receivers(rank, round)) {
                tasks.send(ranges.held(all, peer, round + 1), peer);
            }
        }
        for (int round = exchange.rounds() - 1; round >= 0; round--) {
            for (final int peer : exchange.receivers(rank, round)) {
                if (round <= ranges.partingRound(peer, call.root())) {
                    tasks.send(ranges.held(all, rank, round + 1), peer);
                }
            }
            if (round <= parting) {
                for (final int peer : exchange.senders(rank, round)) {
                    tasks.recv(ranges.held(all, peer, round + 1), peer);
                }
            }
        }
        if (exchange.isPaired(rank)) {
            tasks.send(all, exchange.pairPartner(rank));
        }
    }
}
