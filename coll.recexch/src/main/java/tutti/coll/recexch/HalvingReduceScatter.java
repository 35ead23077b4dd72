package tutti.coll.recexch;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Recursive halving reduce_scatter and reduce_scatter_block, with blocks of any sizes.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521; in rank order: J. L. Träff, An improved algorithm for
 * (non-commutative) reduce-scatter with an application, EuroPVM/MPI 2005, LNCS 3666, doi:10.1007/11557265_20 (there the blocks are permuted
 * before, here they are sent to their owners after).
 * <p>Idea: from far to near every block ends at its owner, but the operands are not consecutive ranks, so the operation must commute. From
 * near to far they are consecutive. Each block then ends at the virtual rank whose digits are those of the owner's reversed, which sends it on. Ranks
 * beyond f·k^m send their contribution to a neighbour, and receive their block from the rank that holds it: see {@link RecursiveExchange}.
 * <pre>
 *   4 ranks, blocks 0 1 2 3    far to near:  0 →23→ 2 →01→ 0,  1 →23→ 3 →01→ 1
 *                                            0 →1→ 1 →0→ 0,  2 →3→ 3 →2→ 2
 *                              in order:     0 →23→ 1 →01→ 0,  2 →23→ 3 →01→ 2
 *                                            0 →1→ 2 →0→ 0,  1 →3→ 3 →2→ 1
 *                                            1 →2→ 2 →1→ 1
 * </pre>
 * <p>Cost for p ranks, n bytes, blocks of n/p, radix k, where q = f·k^m ranks take part, f &lt; k, and r = m(k-1) + f-1: p = q (for example p = 2^i
 * with k = 2): rα + ((p-1)/p)n(β + γ), in rank order at most α + (n/p)β more; other p: at most 2(r+1)α + 3n(β + γ).
 * <p>Needs: nothing; any p, any block sizes; keeps the order of ranks where the operation does not commute. The variant that always runs from near
 * to far has canonical brackets where {@link RecursiveExchange#isCanonical} is true.
 * <p>Memory: less than n bytes where the operation commutes, less than 2n where it does not; with p > q less than 3n and 4n.
 */
final class HalvingReduceScatter implements Algorithm<Call.ReduceScatter> {
    static final String NAME = "halving";
    /** Name of the variant that always runs from near to far. */
    static final String IN_ORDER = "halving_in_order";

    private final int radix;
    private final boolean inOrder;

    /** @param inOrder whether to keep the order of ranks even where the operation commutes */
    HalvingReduceScatter(final int radix, final boolean inOrder) {
        this.radix = radix;
        this.inOrder = inOrder;
    }

    @Override
    public void plan(final Call.ReduceScatter call, final Plan plan) {
        final Reduction reduction = call.reduction();
        final RecursiveExchange nearToFar = RecursiveExchange.of(plan.size(), radix, RecursiveExchange.ANY_RANK);
        final RecursiveExchange exchange = inOrder || !reduction.isCommutative() ? nearToFar : nearToFar.reversed();
        final int rank = plan.rank();
        final DataTasks tasks = new DataTasks(plan);
        final HalvingRanges ranges = HalvingRanges.ofBlocks(exchange, call.blocks());
        final BufferRange out = Buffer.RECV.at(0, call.blocks().bytes(rank));
        final int holder = ranges.holder(exchange.vrankOf(rank));
        if (exchange.isInactive(rank)) {
            tasks.send(call.input(), exchange.pairPartner(rank));
        } else {
            final CanonicalMerge merge = new CanonicalMerge(plan, reduction, reduction.isCommutative());
            BufferRange held = call.input();
            if (exchange.isPaired(rank)) {
                held = merge.merge(held, null, exchange.pair(rank));
            }
            for (int round = 0; round < exchange.rounds(); round++) {
                for (final int peer : exchange.receivers(rank, round)) {
                    tasks.send(ranges.kept(held, peer, round), peer);
                }
                final boolean isResult = round == exchange.rounds() - 1 && holder == rank && !exchange.isPaired(rank) && !call.inPlace();
                held = merge.merge(ranges.kept(held, rank, round), isResult ? out : null, exchange.group(rank, round));
            }
            long next = 0;
            for (int owner = exchange.firstRank(ranges.segment(rank)); owner < exchange.firstRank(ranges.segment(rank) + 1); owner++) {
                final BufferRange block = held.slice(next, call.blocks().bytes(owner));
                next += block.bytes();
                if (owner != rank) {
                    tasks.send(block, owner);
                } else if (!block.equals(out)) {
                    tasks.copy(block.buffer() == Buffer.RECV && block.offset() < out.end() ? moved(block, plan) : block, out);
                }
            }
        }
        if (holder != rank) {
            tasks.recv(out, holder);
        }
    }

    /** Copies a block to scratch memory, because it overlaps the memory that it belongs in. */
    private static BufferRange moved(final BufferRange block, final Plan plan) {
        final BufferRange space = plan.scratch(block.bytes());
        plan.copy(block, space);
        return space;
    }
}
