package tutti.coll.recexch;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Recursive doubling allreduce with canonical brackets on any number of ranks: doubling in blocks of 2^a, 2^b, … ranks, combined from the last on.
 *
 * <p>Source: doubling as in {@link DoublingAllreduce}; that the brackets of {@link tutti.coll.ReductionOrder#CANONICAL} are those of such blocks
 * follows
 * from their definition.
 * <p>Idea: while a block is doubling, what the smaller blocks after it have together comes from their first, a rank from each of its ranks,
 * and spreads in the block like a broadcast. Each rank of the block combines both, and hands it to the block before. The first
 * block has the result, and gives it to the others, rank by rank.
 * <pre>
 *   5 ranks, blocks 0 1 2 3 and 4   doubling:  0 ↔ 1,  2 ↔ 3;  0 ↔ 2,  1 ↔ 3
 *                                   meanwhile: 4 → 0;  0 → 1;  0 → 2,  1 → 3         each of 0 to 3: (((0 1) (2 3)) 4)
 *                                   after:     0 → 4
 * </pre>
 * <p>Cost for p ranks, n bytes, radix 2, a = ⌊log2 p⌋: p = 2^a: a(α + nβ + nγ); other, with s + 1 ones in p: at most (2a+s+1)(α + nβ) + (a+s)nγ, and
 * (a+s+1)(α + nβ) where a rank's messages do not wait for each other.
 * <p>Needs: nothing; any p, any count; keeps the order of ranks with canonical brackets.
 * <p>Memory: kn bytes at most, and n more.
 */
final class CanonicalAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "canonical";

    private final int radix;

    /** @param radix of the doubling; where it is no power of two, 2 is taken */
    CanonicalAllreduce(final int radix) {
        this.radix = Integer.bitCount(radix) == 1 ? radix : 2;
    }

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        final int rank = plan.rank();
        final PowerOfTwoBlocks block = PowerOfTwoBlocks.of(rank, plan.size());
        final DependencyTracker flow = new DependencyTracker(plan);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        final RecursiveExchange exchange = RecursiveExchange.of(block.size(), radix, RecursiveExchange.ANYBODY);
        // what comes from the blocks after goes home, so the block's own value does not
        final boolean endsHome = block.next() == 0 && block.prior() == 0;
        final DoublingRounds rounds = new DoublingRounds(flow, call.reduction(), exchange, rank - block.first(), block.first());
        BufferRange value = rounds.plan(call.input(), out, endsHome);
        if (block.next() > 0) {
            final BufferRange rest = value.buffer() == Buffer.RECV ? flow.scratch(call.bytes()) : out;
            spread(flow, block, rank, rest);
            flow.reduce(call.reduction(), value, rest);
            value = rest;
        }
        if (block.prior() > 0) {
            flow.send(value, rank - block.prior());
            flow.recv(out, rank - Integer.highestOneBit(plan.size()));
            return;
        }
        if (!value.equals(out)) {
            flow.copy(value, out);
        }
        if (rank + block.size() < plan.size()) {
            flow.send(out, rank + block.size());
        }
    }

    /** Gets what the blocks after this one have, and passes it on. */
    private static void spread(final DependencyTracker flow, final PowerOfTwoBlocks block, final int rank, final BufferRange rest) {
        flow.recv(rest, block.giver(rank) >= 0 ? block.giver(rank) : block.passer(rank));
        for (int distance = block.next(); distance < block.size(); distance <<= 1) {
            if (block.taker(rank, distance) >= 0) {
                flow.send(rest, block.taker(rank, distance));
            }
        }
    }
}
