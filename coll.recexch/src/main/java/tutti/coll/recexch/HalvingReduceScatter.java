package tutti.coll.recexch;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Recursive halving reduce-scatter in both forms, blocks of any sizes.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521; in order: J. L. Träff, An improved algorithm for
 * (non-commutative) reduce-scatter with an application, EuroPVM/MPI 2005, LNCS 3666, doi:10.1007/11557265_20 (there the blocks are permuted
 * before, here they are sent to their owners after).
 * <p>Idea: from far to near every block ends where it belongs, but what is combined are no runs of ranks: the operation must commute. From
 * near to far they are, and blocks end at the place whose digits are those of the owner's place reversed, which sends them on. Ranks beyond
 * f·k^m give their contribution to a neighbour, and get their block from who has it: see {@link RecursiveExchange}.
 * <pre>
 *   4 ranks, blocks 0 1 2 3    far to near:  0 →23→ 2 →01→ 0,  1 →23→ 3 →01→ 1
 *                                            0 →1→ 1 →0→ 0,  2 →3→ 3 →2→ 2
 *                              in order:     0 →23→ 1 →01→ 0,  2 →23→ 3 →01→ 2
 *                                            0 →1→ 2 →0→ 0,  1 →3→ 3 →2→ 1
 *                                            1 →2→ 2 →1→ 1
 * </pre>
 * <p>Cost for p ranks, n bytes, blocks of n/p, radix k, where q = f·k^m ranks take part, f &lt; k, and r = m(k-1) + f-1: p = q, p = 2^i and k = 2
 * for one: rα + ((p-1)/p)n(β + γ), in order at most α + (n/p)β more; other: at most 2(r+1)α + 3n(β + γ).
 * <p>Needs: nothing; any p, any block sizes; keeps the order of ranks where the operation does not commute. The variant that always goes from near
 * to far has canonical brackets where {@link RecursiveExchange} says so.
 * <p>Memory: less than n bytes where the operation commutes, less than 2n where it does not; where some are paired, less than 3n and 4n.
 */
final class HalvingReduceScatter implements Algorithm<Call.ReduceScatter> {
    static final String NAME = "halving";
    /** The variant that always goes from near to far. */
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
        final RecursiveExchange exchange = RecursiveExchange.of(plan.size(), radix, RecursiveExchange.ANYBODY);
        final HalvingRanges halves = new HalvingRanges(exchange, inOrder || !call.reduction().isCommutative());
        final int rank = plan.rank();
        final int place = exchange.placeOf(rank);
        final int holder = exchange.rankAt(halves.holder(place));
        final DependencyTracker flow = new DependencyTracker(plan);
        final BufferRange out = Buffer.RECV.at(0, call.blocks().bytes(rank));
        if (exchange.rests(rank)) {
            flow.send(call.input(), exchange.other(rank));
        } else {
            final boolean staysHere = holder == rank && !call.inPlace() && !exchange.isPaired(rank);
            final SegmentLayout parts = SegmentLayout.ofBlocks(halves, call.blocks());
            final RecursiveHalving halving = new RecursiveHalving(flow, halves, parts, call.reduction(), rank, call.input());
            deal(call, exchange, halves.first(place, halves.steps()), flow, rank, halving.plan(null, staysHere ? out : null));
        }
        if (holder != rank) {
            flow.recv(out, holder);
        }
    }

    /** Gives the blocks of a segment to those that they belong to. */
    private static void deal(final Call.ReduceScatter call, final RecursiveExchange exchange, final int segment, final DependencyTracker flow,
        final int rank,
                             final BufferRange result) {
        long next = 0;
        for (int owner = exchange.firstRank(segment); owner < exchange.firstRank(segment + 1); owner++) {
            final BufferRange block = result.slice(next, call.blocks().bytes(owner));
            next += block.bytes();
            if (owner == rank) {
                move(flow, block, Buffer.RECV.at(0, block.bytes()));
            } else {
                flow.send(block, owner);
            }
        }
    }

    private static void move(final DependencyTracker flow, final BufferRange block, final BufferRange out) {
        if (block.equals(out)) {
            return;
        }
        BufferRange source = block;
        if (block.buffer() == out.buffer() && block.offset() < out.end()) {
            source = flow.scratch(block.bytes());
            flow.copy(block, source);
        }
        flow.copy(source, out);
    }
}
