package tutti.coll.dissem;

import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRange;
import tutti.coll.patterns.CyclicRanks;
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
        final Blocks blocks = call.recv();
        final BufferRange own = call.input(plan.rank());
        if (!call.inPlace() && own.bytes() > 0) {
            plan.copy(own, blocks.in(Buffer.RECV, plan.rank()));
        }
        final List<RadixStep> steps = RadixStep.all(radix, plan.size());
        if (!steps.isEmpty()) {
            new PlanWriter(plan, blocks, own, steps).plan();
        }
    }

    /** Writes one plan. */
    private static final class PlanWriter {
        /** No task. */
        private static final int NONE = -1;

        private final Plan plan;
        private final Blocks blocks;
        private final BufferRange own;
        private final List<RadixStep> steps;
        /** The largest number of blocks, including the own, that one message forwards. */
        private final int maxForwarded;
        /** Scratch memory for the blocks from the own on, one after the other; empty if only the own block is sent. */
        private final BufferRange gathered;
        /** By index: 0 is the task that copies the own block to scratch memory, 1 + i the task that receives the blocks of step i. */
        private final int[] arrived;

        PlanWriter(final Plan plan, final Blocks blocks, final BufferRange own, final List<RadixStep> steps) {
            this.plan = plan;
            this.blocks = blocks;
            this.own = own;
            this.steps = steps;
            this.maxForwarded = steps.stream().mapToInt(RadixStep::ranks).max().orElse(1);
            this.gathered = plan.scratch(maxForwarded == 1 ? 0 : leadingBytes(gatheredBlocks()));
            this.arrived = new int[steps.size() + 1];
        }

        /** Returns the number of blocks in scratch memory, including the own: those of all steps of which a block is forwarded. */
        private int gatheredBlocks() {
            final RadixStep last = steps.get(RadixStep.countNearer(steps, maxForwarded) - 1);
            return last.distance() + last.ranks();
        }

        /** Returns the number of bytes in the first {@code n} blocks from the own on. */
        private long leadingBytes(final int n) {
            return new CyclicRange(blocks, plan.rank(), n).bytes();
        }

        void plan() {
            arrived[0] = maxForwarded > 1 && own.bytes() > 0 ? plan.copy(own, gathered.slice(0, own.bytes())) : NONE;
            for (int i = 0; i < steps.size(); i++) {
                send(steps.get(i));
                arrived[i + 1] = receive(steps.get(i));
            }
        }

        private void send(final RadixStep step) {
            final int to = CyclicRanks.down(plan.rank(), step.distance(), plan.size());
            final long bytes = leadingBytes(step.ranks());
            if (bytes > 0 && step.ranks() == 1) {
                plan.send(own, to);
            } else if (bytes > 0) {
                plan.send(gathered.slice(0, bytes), to,
                    IntStream.of(arrived).limit(1L + RadixStep.countNearer(steps, step.ranks())).filter(t -> t != NONE).toArray());
            }
        }

        private int receive(final RadixStep step) {
            final int from = CyclicRanks.up(plan.rank(), step.distance(), plan.size());
            final CyclicRange run = new CyclicRange(blocks, from, step.ranks());
            final long bytes = run.bytes();
            if (bytes == 0) {
                return NONE;
            }
            final List<CyclicRange.Segment> segments = run.segments(Buffer.RECV);
            final boolean isForwarded = step.distance() < maxForwarded;
            if (!isForwarded && segments.size() == 1) {
                return plan.recv(segments.getFirst().range(), from);
            }
            final BufferRange received = isForwarded ? gathered.slice(leadingBytes(step.distance()), bytes) : plan.scratch(bytes);
            final int task = plan.recv(received, from);
            for (final CyclicRange.Segment p : segments) {
                plan.copy(received.slice(p.offset(), p.range().bytes()), p.range(), task);
            }
            return task;
        }
    }
}
