package tutti.coll.recexch;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DependencyTracker;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Recursive doubling allreduce with canonical brackets on any number of ranks: doubles within blocks of 2^a, 2^b, … ranks, and combines the blocks
 * from the last to the first.
 *
 * <p>Source: doubling as in {@link DoublingAllreduce}; the definition of {@link tutti.coll.ReductionOrder#CANONICAL} gives the brackets of such
 * blocks.
 * <p>Idea: the ranks of the next block send the reduction over all later blocks to the first ranks of this block, one rank each. It spreads in the
 * block like a broadcast while the block is doubling. Each rank of the block combines both values and sends the result to the block before. The
 * first block has the result and sends it to the others, rank by rank.
 * <pre>
 *   5 ranks, blocks 0 1 2 3 and 4   doubling:  0 ↔ 1,  2 ↔ 3;  0 ↔ 2,  1 ↔ 3
 *                                   meanwhile: 4 → 0;  0 → 1;  0 → 2,  1 → 3         each of 0 to 3: (((0 1) (2 3)) 4)
 *                                   after:     0 → 4
 * </pre>
 * <p>Cost for p ranks, n bytes, radix 2, a = ⌊log2 p⌋: p = 2^a: a(α + nβ + nγ); other p, with s + 1 ones in binary: at most
 * (2a+s+1)(α + nβ) + (a+s)nγ, or (a+s+1)(α + nβ) where the messages of a rank do not wait for each other.
 * <p>Needs: nothing; any p, any count; keeps the order of ranks with canonical brackets.
 * <p>Memory: at most (k+1)n bytes.
 */
final class CanonicalAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "canonical";

    private final int radix;

    /** @param radix radix of the doubling; 2 is used where it is no power of two */
    CanonicalAllreduce(final int radix) {
        this.radix = Integer.bitCount(radix) == 1 ? radix : 2;
    }

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        final int rank = plan.rank();
        final PowerOfTwoBlocks block = PowerOfTwoBlocks.of(rank, plan.size());
        final DependencyTracker tracker = new DependencyTracker(plan);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        final RecursiveExchange exchange = RecursiveExchange.of(block.size(), radix, RecursiveExchange.ANY_RANK);
        // the value of the later blocks is received in the target, so the block's own value must end elsewhere
        final boolean endsInTarget = block.next() == 0 && block.prior() == 0;
        final DoublingRounds rounds = new DoublingRounds(tracker, call.reduction(), exchange, rank - block.first(), block.first());
        BufferRange value = rounds.plan(call.input(), out, endsInTarget);
        if (block.next() > 0) {
            final BufferRange rest = value.buffer() == Buffer.RECV ? tracker.scratch(call.bytes()) : out;
            spread(tracker, block, rank, rest);
            tracker.reduce(call.reduction(), value, rest);
            value = rest;
        }
        if (block.prior() > 0) {
            tracker.send(value, rank - block.prior());
            tracker.recv(out, rank - Integer.highestOneBit(plan.size()));
            return;
        }
        if (!value.equals(out)) {
            tracker.copy(value, out);
        }
        if (rank + block.size() < plan.size()) {
            tracker.send(out, rank + block.size());
        }
    }

    /** Receives the reduction over the later blocks and passes it on. */
    private static void spread(final DependencyTracker tracker, final PowerOfTwoBlocks block, final int rank, final BufferRange rest) {
        tracker.recv(rest, block.senderOfNextBlock(rank) >= 0 ? block.senderOfNextBlock(rank) : block.senderInBlock(rank));
        for (int distance = block.next(); distance < block.size(); distance <<= 1) {
            if (block.receiverInBlock(rank, distance) >= 0) {
                tracker.send(rest, block.receiverInBlock(rank, distance));
            }
        }
    }
}
