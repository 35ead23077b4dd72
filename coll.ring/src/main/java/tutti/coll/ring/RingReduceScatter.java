package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.ScratchSlots;
import tutti.coll.patterns.Segments;

/**
 * Ring reduce_scatter and reduce_scatter_block: every block travels once around the ring and every rank adds its contribution. Where operands may not
 * be swapped, all blocks travel down a chain of the ranks, and from rank 0 to their owners.
 *
 * <p>Source: E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn, Collective communication: theory, practice, and experience, Concurrency and
 * Computation: Practice and Experience 19(13), 2007, doi:10.1002/cpe.1206 (there: bucket reduce-scatter).
 * <p>Idea: in step t rank r sends block r-t-1 as combined so far, receives block r-t-2, all modulo p, and combines its contribution with it. So a
 * block starts at the rank after its owner, and the operation must commute. If it does not, segments travel from rank p-1 down
 * to 0, and each rank combines its contribution as the left operand. The chain runs down and not up, because a reduce task writes its result to the
 * right operand: the contribution is only read. Rank 0 sends each segment to its owner, beside later segments.
 * <pre>
 *   4 ranks, blocks sent    step 0:  0 →3→ 1 →0→ 2 →1→ 3 →2→ 0
 *                           step 1:  0 →2→ 1 →3→ 2 →0→ 3 →1→ 0
 *                           step 2:  0 →1→ 1 →2→ 2 →3→ 3 →0→ 0
 *   in order, segment a     3 →a→ 2 →a→ 1 →a→ 0 →a→ its owner      (3), (2 3), (1 2 3), and at 0: (0 1 2 3)
 * </pre>
 * <p>Cost for any p ranks, blocks of m bytes in s segments of one length: s = 1: (p-1)(α + mβ + mγ); s > 1 where combining a
 * segment takes no longer than transferring one: (p-1)(sα + mβ) + (m/s)γ; p(p-1)s messages. In rank order where combining costs
 * nothing: s = 1 and p > 3: 2p(α + mβ); other: at most 2p(sα + mβ); (p² - 1)s messages.
 * <p>Needs: at least 2 ranks; any block sizes; commutative and other operations.
 * <p>Memory: twice the longest block, in place once; in rank order {@value ScratchSlots#PIPELINE_SLOTS} segments, and none at rank p-1.
 */
final class RingReduceScatter implements Algorithm<Call.ReduceScatter> {
    static final String NAME = "ring";

    private final long segment;
    private final RingOrder route;

    /**
     * @param segment length of a segment in bytes
     * @param route   order of the ring
     */
    RingReduceScatter(final long segment, final RingOrder route) {
        this.segment = segment;
        this.route = route;
    }

    @Override
    public void plan(final Call.ReduceScatter call, final Plan plan) {
        if (call.reduction().isCommutative()) {
            around(call, plan);
        } else {
            inOrder(call, plan);
        }
    }

    private void around(final Call.ReduceScatter call, final Plan plan) {
        final Reduction reduction = call.reduction();
        final Blocks blocks = call.blocks();
        final Segments segments = RingSegments.of(segment, blocks, reduction.elementBytes());
        final Ring ring = route.from(plan);
        final int last = ring.size() - 2;
        final ScratchSlots slots = new ScratchSlots(plan, call.inPlace() ? 1 : Math.min(2, last), RingSegments.longest(blocks));
        final BufferRange out = Buffer.RECV.at(0, blocks.bytes(plan.rank()));
        BufferRange held = blocks.in(call.input().buffer(), ring.left());
        for (int step = 0; step <= last; step++) {
            for (int i = 0; i < segments.count(held.bytes()); i++) {
                plan.send(segments.of(held, i), ring.right());
            }
            final BufferRange own = blocks.in(call.input().buffer(), ring.back(step + 2));
            final BufferRange received = step == last && !call.inPlace() ? out : slots.next(own.bytes());
            final BufferRange addend = step < last && call.inPlace() ? received : own;
            held = step < last && call.inPlace() ? own : received;
            for (int i = 0; i < segments.count(own.bytes()); i++) {
                plan.recv(segments.of(received, i), ring.left());
                plan.reduce(reduction, segments.of(addend, i), segments.of(held, i));
            }
        }
        if (call.inPlace()) {
            new DataTasks(plan).copy(held, out);
        }
    }

    private void inOrder(final Call.ReduceScatter call, final Plan plan) {
        final Blocks blocks = call.blocks();
        final Segments segments = RingSegments.of(segment, blocks, call.reduction().elementBytes());
        final int rank = plan.rank();
        final boolean isFirst = rank == plan.size() - 1;
        final ScratchSlots slots = new ScratchSlots(plan, ScratchSlots.PIPELINE_SLOTS, isFirst ? 0 : segments.longest(RingSegments.longest(blocks)));
        for (int block = 0; block < blocks.count(); block++) {
            for (int i = 0; i < segments.count(blocks.bytes(block)); i++) {
                final BufferRange own = segments.of(blocks.in(call.input().buffer(), block), i);
                final BufferRange out = segments.of(Buffer.RECV.at(0, blocks.bytes(block)), i);
                BufferRange sum = own;
                if (!isFirst) {
                    sum = rank + block == 0 && !call.inPlace() ? out : slots.next(own.bytes());
                    plan.recv(sum, rank + 1);
                    plan.reduce(call.reduction(), own, sum);
                }
                if (rank + block > 0) {
                    plan.send(sum, rank == 0 ? block : rank - 1);
                } else if (call.inPlace()) {
                    plan.copy(sum, out);
                }
                if (rank == block && rank > 0) {
                    plan.recv(out, 0);
                }
            }
        }
    }
}
