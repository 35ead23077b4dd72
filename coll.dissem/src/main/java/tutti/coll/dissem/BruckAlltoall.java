package tutti.coll.dissem;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.OwnBlock;
import tutti.coll.patterns.RadixStep;

/**
 * Bruck's alltoall with radix k: a block is forwarded up the cyclic order of ranks, by one digit of its distance at a time, together with all
 * blocks whose distance has the same digit.
 *
 * <p>Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, Efficient algorithms for all-to-all communications in multiport
 * message-passing systems, IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, doi:10.1109/71.642949 (there: index).
 * <p>Idea: the block for the rank at distance d above is moved by j k^i in the round of digit i, where j is that digit of d. Unlike in the paper
 * the highest digit is first, and a rank stores the block of distance d at the final location of the block from the rank d below. Blocks that
 * are forwarded together are therefore adjacent, and there is no rotation at the start or the end. In place, the blocks are first copied aside.
 * <pre>
 *   5 ranks, k = 2, distances     round 1:  4         moves by 4     0 → 4 → 3 → 2 → 1 → 0
 *                                 round 2:  3 2       move by 2      0 → 2 → 4 → 1 → 3 → 0
 *                                 round 3:  3 1       move by 1      0 → 1 → 2 → 3 → 4 → 0
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes: p = k^q: q(k-1)(α + (p/k)nβ); other p: (q(k-1) + ⌈(p - k^q)/k^q⌉)α + Dnβ, where q = ⌊log_k p⌋ and D is
 * the number of nonzero digits to base k in all numbers below p; p messages for each α. Where k-1 messages of a rank move at once, the factor
 * k-1 is 1.
 * <p>Needs: blocks of equal size, one after the other; any p. With other blocks, a rank that forwards a block does not know its length.
 * <p>Memory: k = 2: p/2 blocks for each direction; other: fewer than p; in place p more.
 */
final class BruckAlltoall implements Algorithm<Call.Alltoall> {
    static final String NAME = "bruck";

    private final int radix;

    /** Creates the algorithm with radix {@code k}. */
    BruckAlltoall(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        final int rank = plan.rank();
        final int size = plan.size();
        final long block = call.recv().bytes(rank);
        final BufferRange all = Buffer.RECV.at(0, size * block);
        final BufferRange input = call.inPlace() ? plan.scratch(all.bytes()) : Buffer.SEND.at(0, all.bytes());
        if (call.inPlace()) {
            final DataTasks tasks = new DataTasks(plan);
            tasks.copy(all.slice(0, rank * block), input.slice(0, rank * block));
            tasks.copy(all.slice((rank + 1) * block, (size - rank - 1) * block), input.slice((rank + 1) * block, (size - rank - 1) * block));
        } else {
            OwnBlock.copy(call, plan);
        }
        // the blocks of a round, unless each has a message of its own
        final long packed = radix < size - 1 ? size - Math.ceilDiv(size, radix) : 0;
        final BufferRange outgoing = plan.scratch(packed * block);
        final BufferRange incoming = plan.scratch(packed * block);
        long at = 0;
        for (final RadixStep step : RadixStep.all(radix, size).reversed()) {
            final int distance = step.distance();
            final long period = (long) radix * step.unit();
            final List<BufferRange> sources = new ArrayList<>();
            final List<BufferRange> targets = new ArrayList<>();
            // all distances with this digit, the longest first: blocks that moved before are then adjacent
            for (long low = distance + (size - 1L - distance) / period * period; low > 0; low -= period) {
                for (int d = (int) Math.min(low + step.unit(), size) - 1; d >= low; d--) {
                    final BufferRange place = all.slice(CyclicRanks.down(rank, d, size) * block, block);
                    append(sources, d < period ? input.slice(CyclicRanks.up(rank, d, size) * block, block) : place);
                    append(targets, place);
                }
            }
            final long bytes = sources.size() == 1 ? 0 : sources.stream().mapToLong(BufferRange::bytes).sum();
            send(plan, sources, outgoing.slice(at, bytes), CyclicRanks.up(rank, distance, size));
            recv(plan, targets, incoming.slice(at, bytes), CyclicRanks.down(rank, distance, size));
            // the next round uses the same memory
            at = distance == step.unit() ? 0 : at + bytes;
        }
    }

    /** Adds a range to a list, as a part of the last one if it follows that in memory. */
    private static void append(final List<BufferRange> ranges, final BufferRange range) {
        final BufferRange last = ranges.isEmpty() ? null : ranges.getLast();
        if (last != null && last.buffer() == range.buffer() && last.end() == range.offset()) {
            ranges.set(ranges.size() - 1, last.buffer().at(last.offset(), last.bytes() + range.bytes()));
        } else {
            ranges.add(range);
        }
    }

    /** Sends ranges in one message, through {@code packed} unless there is only one. */
    private static void send(final Plan plan, final List<BufferRange> sources, final BufferRange packed, final int to) {
        if (sources.size() == 1) {
            plan.send(sources.getFirst(), to);
            return;
        }
        long at = 0;
        for (final BufferRange source : sources) {
            plan.copy(source, packed.slice(at, source.bytes()));
            at += source.bytes();
        }
        plan.send(packed, to);
    }

    /** Receives ranges in one message, through {@code packed} unless there is only one. */
    private static void recv(final Plan plan, final List<BufferRange> targets, final BufferRange packed, final int from) {
        if (targets.size() == 1) {
            plan.recv(targets.getFirst(), from);
            return;
        }
        plan.recv(packed, from);
        long at = 0;
        for (final BufferRange target : targets) {
            plan.copy(packed.slice(at, target.bytes()), target);
            at += target.bytes();
        }
    }
}
