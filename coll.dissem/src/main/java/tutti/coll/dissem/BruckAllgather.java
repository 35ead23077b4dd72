package tutti.coll.dissem;

import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Bruck's allgather and allgatherv with radix k: in round i every rank gives the blocks that it has to the ranks at 1 to k-1 times k^i below,
 * around the circle.
 *
 * <p>Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, Efficient algorithms for all-to-all communications in multiport
 * message-passing systems, IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, doi:10.1109/71.642949 (there: concatenation).
 * <p>Idea: before round i a rank has the blocks of the k^i ranks from itself on, one after the other, and gives away the first of them in one
 * message, whatever their lengths: every rank knows all. What is not passed on any more is received where it belongs, if that is
 * one piece of memory; the rest is copied there as it comes. Messages without data are left out.
 * <pre>
 *   5 ranks, k = 2, what rank 3 has     at start:  3
 *                                       round 1:   3 4          4 from rank 4
 *                                       round 2:   3 4 0 1      0 1 from rank 0
 *                                       round 3:   3 4 0 1 2    2 from rank 2
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes: p = k^q: q(k-1)α + (p-1)nβ; other: (q(k-1) + ⌈(p - k^q)/k^q⌉)α + (p-1)nβ with q = ⌊log_k p⌋; p messages for
 * each α. Where k-1 messages of a rank move at once, ⌈log_k p⌉ α.
 * <p>Needs: nothing; any p, any sizes and places.
 * <p>Memory: with blocks of one size one after the other at most 2k^(⌈log_k p⌉-1) of them; else at most all blocks.
 */
final class BruckAllgather implements Algorithm<Call.Allgather> {
    static final String NAME = "bruck";

    private final int radix;

    /** @param radix k */
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
        final List<RadixStep> hops = RadixStep.all(radix, plan.size());
        if (!hops.isEmpty()) {
            new Gathering(plan, blocks, own, hops).plan();
        }
    }

    /** For one plan. */
    private static final class Gathering {
        /** No task. */
        private static final int NONE = -1;

        private final Plan plan;
        private final Blocks blocks;
        private final BufferRange own;
        private final List<RadixStep> hops;
        /** How many blocks, the own included, are passed on together at most. */
        private final int passedOn;
        /** The blocks from the own on, one after the other; empty where only the own is passed on. */
        private final BufferRange shelf;
        /** Task 0 puts the own block on the shelf, task 1 + i the run of hop i. */
        private final int[] arrived;

        Gathering(final Plan plan, final Blocks blocks, final BufferRange own, final List<RadixStep> hops) {
            this.plan = plan;
            this.blocks = blocks;
            this.own = own;
            this.hops = hops;
            this.passedOn = hops.stream().mapToInt(RadixStep::run).max().orElse(1);
            this.shelf = plan.scratch(passedOn == 1 ? 0 : before(shelved()));
            this.arrived = new int[hops.size() + 1];
        }

        /** How many blocks, the own included, lie on the shelf: all runs of which a block is passed on. */
        private int shelved() {
            final RadixStep last = hops.get(RadixStep.nearer(hops, passedOn) - 1);
            return last.distance() + last.run();
        }

        /** The bytes of the first {@code n} blocks from the own on. */
        private long before(final int n) {
            return new CyclicRange(blocks, plan.rank(), n).bytes();
        }

        void plan() {
            arrived[0] = passedOn > 1 && own.bytes() > 0 ? plan.copy(own, shelf.slice(0, own.bytes())) : NONE;
            for (int i = 0; i < hops.size(); i++) {
                send(hops.get(i));
                arrived[i + 1] = receive(hops.get(i));
            }
        }

        private void send(final RadixStep hop) {
            final int to = CyclicRanks.down(plan.rank(), hop.distance(), plan.size());
            final long bytes = before(hop.run());
            if (bytes > 0 && hop.run() == 1) {
                plan.send(own, to);
            } else if (bytes > 0) {
                plan.send(shelf.slice(0, bytes), to,
                    IntStream.of(arrived).limit(1L + RadixStep.nearer(hops, hop.run())).filter(t -> t != NONE).toArray());
            }
        }

        private int receive(final RadixStep hop) {
            final int from = CyclicRanks.up(plan.rank(), hop.distance(), plan.size());
            final CyclicRange run = new CyclicRange(blocks, from, hop.run());
            final long bytes = run.bytes();
            if (bytes == 0) {
                return NONE;
            }
            final List<CyclicRange.Piece> pieces = run.pieces();
            final boolean stays = hop.distance() < passedOn;
            if (!stays && pieces.size() == 1) {
                return plan.recv(pieces.getFirst().home(), from);
            }
            final BufferRange room = stays ? shelf.slice(before(hop.distance()), bytes) : plan.scratch(bytes);
            final int received = plan.recv(room, from);
            for (final CyclicRange.Piece p : pieces) {
                plan.copy(room.slice(p.at(), p.home().bytes()), p.home(), received);
            }
            return received;
        }
    }
}
