package tutti.coll.recexch;

import java.util.stream.IntStream;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;
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
        // the highest bit in which the rank differs from p is 1 in p: it is the size of the rank's block
        final int size = Integer.highestOneBit(rank ^ plan.size());
        final int next = Integer.highestOneBit(plan.size() & size - 1);
        final int prior = Integer.lowestOneBit(plan.size() & -2 * size);
        final int index = rank & size - 1;
        final int first = rank - index;
        final RecursiveExchange exchange = RecursiveExchange.of(size, radix, RecursiveExchange.ANY_RANK);
        final DataTasks tasks = new DataTasks(plan);
        final CanonicalMerge merge = new CanonicalMerge(plan, call.reduction(), false);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        BufferRange value = call.input();
        for (int round = 0; round < exchange.rounds(); round++) {
            for (final int peer : exchange.receivers(index, round)) {
                tasks.send(value, first + peer);
            }
            // other blocks receive in the target
            final BufferRange target = size == plan.size() ? DoublingAllreduce.endsIn(out, exchange, index, round + 1) : null;
            value = merge.merge(value, target, IntStream.of(exchange.group(index, round)).map(i -> first + i).toArray());
        }
        if (next > 0) {
            final BufferRange rest = value.buffer() == Buffer.RECV ? plan.scratch(call.bytes()) : out;
            tasks.recv(rest, index < next ? rank + size : rank - Integer.highestOneBit(index));
            for (int distance = next; distance < size; distance <<= 1) {
                if (index < distance) {
                    tasks.send(rest, rank + distance);
                }
            }
            tasks.reduce(call.reduction(), value, rest);
            value = rest;
        }
        if (prior > 0) {
            tasks.send(value, rank - prior);
            tasks.recv(out, rank - Integer.highestOneBit(plan.size()));
            return;
        }
        if (!value.equals(out)) {
            tasks.copy(value, out);
        }
        if (rank + size < plan.size()) {
            tasks.send(out, rank + size);
        }
    }
}
