package tutti.coll.recexch;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DependencyTracker;
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
        final DependencyTracker tracker = new DependencyTracker(plan);
        final int rank = plan.rank();
        final long first = firstByte(call.recv());
        final BufferRange all = first >= 0 ? Buffer.RECV.at(first, call.recv().total()) : tracker.scratch(call.recv().total());
        if (exchange.isInactive(rank)) {
            tracker.send(call.input(rank), exchange.pairPartner(rank));
            tracker.recv(all, exchange.pairPartner(rank));
        } else {
            final HalvingRanges ranges = new HalvingRanges(exchange, false);
            final SegmentLayout layout = SegmentLayout.ofBlocks(ranges, call.recv());
            final int vrank = exchange.vrankOf(rank);
            final BufferRange ownAndPartner = layout.held(all, vrank, ranges.steps());
            final long bytes = call.recv().bytes(rank);
            if (exchange.isPaired(rank)) {
                tracker.recv(ownAndPartner.slice(0, ownAndPartner.bytes() - bytes), exchange.pairPartner(rank));
            }
            final BufferRange own = ownAndPartner.slice(ownAndPartner.bytes() - bytes, bytes);
            if (!own.equals(call.input(rank))) {
                tracker.copy(call.input(rank), own);
            }
            new AllgatherPhase(tracker, ranges, layout, vrank).allgather(all, RecursiveExchange.ANY_RANK);
            if (exchange.isPaired(rank)) {
                tracker.send(all, exchange.pairPartner(rank));
            }
        }
        if (all.buffer() == Buffer.SCRATCH) {
            unpack(call.recv(), all, tracker, call.inPlace() ? rank : -1);
        }
    }

    /** Copies each block to its place, except the one that is already there. */
    private static void unpack(final Blocks blocks, final BufferRange all, final DependencyTracker tracker, final int there) {
        long next = 0;
        for (int i = 0; i < blocks.count(); i++) {
            if (i != there) {
                tracker.copy(all.slice(next, blocks.bytes(i)), blocks.in(Buffer.RECV, i));
            }
            next += blocks.bytes(i);
        }
    }

    /** Returns the offset of the first block if the blocks are stored one after the other in rank order, else -1. */
    static long firstByte(final Blocks blocks) {
        long first = -1;
        long next = 0;
        for (int i = 0; i < blocks.count(); i++) {
            if (blocks.bytes(i) > 0) {
                if (first >= 0 && blocks.offset(i) != next) {
                    return -1;
                }
                first = first >= 0 ? first : blocks.offset(i);
                next = blocks.offset(i) + blocks.bytes(i);
            }
        }
        return Math.max(first, 0);
    }
}
