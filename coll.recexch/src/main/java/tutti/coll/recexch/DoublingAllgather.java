package tutti.coll.recexch;

import java.util.stream.IntStream;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Recursive doubling allgather and allgatherv with any radix: in round i, k ranks at distance k^i exchange all blocks that they have.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521; other radices as in {@link DoublingAllreduce}.
 * <p>Idea: rounds run from near to far, so a rank always has the blocks of consecutive ranks. A message is one range where the blocks are stored one
 * after the other in rank order. Elsewhere they are gathered in scratch memory, and each is copied to its place as soon as it has arrived. Ranks
 * beyond f·k^m send their block to a neighbour first and receive all blocks from it: see {@link RecursiveExchange}.
 * <pre>
 *   5 ranks, k = 2   before:   0 →0→ 1                              1: 01
 *                    round 0:  1 →01→ 2 →2→ 1,  3 →3→ 4 →4→ 3       1 2: 012   3 4: 34
 *                    round 1:  1 →012→ 3 →34→ 1,  2 →012→ 4 →34→ 2
 *                    after:    1 →01234→ 0
 * </pre>
 * <p>Cost for p ranks, blocks of m bytes, radix k, where q = f·k^i ranks take part, f &lt; k, and r = i(k-1) + f-1: p = q (for example p = 2^j with
 * k = 2): rα + (p-1)mβ, pr messages; other p: (r+2)α and at most (1 + 2(q-1)(k-1) + p)mβ, qr + 2(p-q) messages.
 * <p>Needs: nothing; any p, any block sizes and displacements.
 * <p>Memory: none; the size of all blocks where they are not stored one after the other in rank order.
 */
final class DoublingAllgather implements Algorithm<Call.Allgather> {
    static final String NAME = "doubling";

    private final int radix;

    DoublingAllgather(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final RecursiveExchange exchange = RecursiveExchange.of(plan.size(), radix, RecursiveExchange.ANY_RANK);
        final int rank = plan.rank();
        final DataTasks tasks = new DataTasks(plan);
        final Blocks blocks = call.recv();
        final Blocks packed = blocks.isUniform() ? blocks : Blocks.packed(IntStream.range(0, plan.size()).mapToLong(blocks::bytes).toArray());
        final long first = firstByte(blocks, packed);
        final BufferRange all = first >= 0 ? Buffer.RECV.at(first, packed.total()) : plan.scratch(packed.total());
        if (exchange.isInactive(rank)) {
            tasks.send(call.input(rank), exchange.pairPartner(rank));
            tasks.recv(all, exchange.pairPartner(rank));
        } else {
            if (exchange.isPaired(rank)) {
                tasks.recv(block(all, packed, exchange.pairPartner(rank)), exchange.pairPartner(rank));
            }
            if (!call.input(rank).equals(block(all, packed, rank))) {
                tasks.copy(call.input(rank), block(all, packed, rank));
            }
            for (int round = 0; round < exchange.rounds(); round++) {
                for (final int peer : exchange.receivers(rank, round)) {
                    tasks.send(held(all, packed, exchange, rank, round), peer);
                }
                for (final int peer : exchange.senders(rank, round)) {
                    tasks.recv(held(all, packed, exchange, peer, round), peer);
                }
            }
            if (exchange.isPaired(rank)) {
                tasks.send(all, exchange.pairPartner(rank));
            }
        }
        for (int i = 0; all.buffer() == Buffer.SCRATCH && i < blocks.count(); i++) {
            if (i != rank || !call.inPlace()) {
                tasks.copy(block(all, packed, i), blocks.in(Buffer.RECV, i));
            }
        }
    }

    private static BufferRange block(final BufferRange all, final Blocks packed, final int rank) {
        return all.slice(packed.offset(rank), packed.bytes(rank));
    }

    /** Returns the blocks that a rank has before a round: those of consecutive virtual ranks. */
    private static BufferRange held(final BufferRange all, final Blocks packed, final RecursiveExchange exchange, final int rank, final int round) {
        final int span = exchange.span(round);
        final int vrank = exchange.vrankOf(rank) / span * span;
        final long start = packed.offset(exchange.firstRank(vrank));
        final int last = exchange.firstRank(vrank + span) - 1;
        return all.slice(start, packed.offset(last) + packed.bytes(last) - start);
    }

    /** Returns the offset of the first block if the blocks are stored one after the other in rank order, as if they were packed, else -1. */
    private static long firstByte(final Blocks blocks, final Blocks packed) {
        long first = -1;
        for (int i = 0; i < blocks.count(); i++) {
            if (blocks.bytes(i) > 0) {
                final long shift = blocks.offset(i) - packed.offset(i);
                if (first >= 0 && shift != first) {
                    return -1;
                }
                first = shift;
            }
        }
        return Math.max(first, 0);
    }
}
