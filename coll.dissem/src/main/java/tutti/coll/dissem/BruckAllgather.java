package tutti.coll.dissem;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRange;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.RadixStep;

/**
 * Bruck's allgather and allgatherv with radix k: in round i every rank sends the blocks that it has to the ranks at distances 1 to k-1 times k^i
 * below, in cyclic order.
 *
 * <p>Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, Efficient algorithms for all-to-all communications in multiport
 * message-passing systems, IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, doi:10.1109/71.642949 (there: concatenation).
 * <p>Idea: before round i a rank has the blocks of k^i consecutive ranks, starting with itself, one after the other. It sends the first of them
 * in one message, of any lengths, because every rank knows all lengths. Blocks that are not forwarded again are received at their final
 * location if that is contiguous; other blocks are copied there when they arrive. Messages without data are not sent.
 * <pre>
 *   5 ranks, k = 2, what rank 3 has     at start:  3
 *                                       round 1:   3 4          4 from rank 4
 *                                       round 2:   3 4 0 1      0 1 from rank 0
 *                                       round 3:   3 4 0 1 2    2 from rank 2
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes: p = k^q: q(k-1)α + (p-1)nβ; other p: (q(k-1) + ⌈(p - k^q)/k^q⌉)α + (p-1)nβ with q = ⌊log_k p⌋; p messages
 * for each α. Where k-1 messages of a rank move at once, ⌈log_k p⌉ α.
 * <p>Needs: nothing; any p, any sizes and displacements.
 * <p>Memory: at most 2k^(⌈log_k p⌉-1) blocks, if they have equal size and are located one after the other; else at most all blocks.
 */
final class BruckAllgather implements Algorithm<Call.Allgather> {
    static final String NAME = "bruck";

    private final int radix;

    /** Creates the algorithm with radix {@code k}. */
    BruckAllgather(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final int rank = plan.rank();
        final Blocks blocks = call.recv();
        final BufferRange own = call.input(rank);
        final DataTasks tasks = new DataTasks(plan);
        if (!call.inPlace()) {
            tasks.copy(own, blocks.in(Buffer.RECV, rank));
        }
        final List<RadixStep> steps = RadixStep.all(radix, plan.size());
        final int forwarded = steps.stream().mapToInt(RadixStep::ranks).max().orElse(1);
        // the own block and those of all steps of which a block is forwarded, one after the other
        final int kept = steps.stream().filter(s -> s.distance() < forwarded).mapToInt(s -> s.distance() + s.ranks()).max().orElse(0);
        final BufferRange gathered = plan.scratch(leadingBytes(blocks, rank, kept));
        if (kept > 0) {
            tasks.copy(own, gathered.slice(0, own.bytes()));
        }
        for (final RadixStep step : steps) {
            final BufferRange message = step.ranks() == 1 ? own : gathered.slice(0, leadingBytes(blocks, rank, step.ranks()));
            tasks.send(message, CyclicRanks.down(rank, step.distance(), plan.size()));
            final int from = CyclicRanks.up(rank, step.distance(), plan.size());
            final CyclicRange arriving = new CyclicRange(blocks, from, step.ranks());
            final List<CyclicRange.Segment> places = arriving.segments(Buffer.RECV);
            if (step.distance() >= forwarded && places.size() == 1) {
                plan.recv(places.getFirst().range(), from);
                continue;
            }
            final BufferRange received = step.distance() < forwarded
                ? gathered.slice(leadingBytes(blocks, rank, step.distance()), arriving.bytes()) : plan.scratch(arriving.bytes());
            tasks.recv(received, from);
            for (final CyclicRange.Segment place : places) {
                plan.copy(received.slice(place.offset(), place.range().bytes()), place.range());
            }
        }
    }

    /** Returns the number of bytes in the first {@code n} blocks from the rank's own on. */
    private static long leadingBytes(final Blocks blocks, final int rank, final int n) {
        return new CyclicRange(blocks, rank, n).bytes();
    }
}
