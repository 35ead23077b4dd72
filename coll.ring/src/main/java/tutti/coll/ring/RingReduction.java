package tutti.coll.ring;

import java.util.Arrays;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.Dependencies;
import tutti.coll.patterns.Segments;

/**
 * Plans the path of every block around the ring, from the rank after its owner to its owner: each rank adds its contribution.
 * The operation must commute. For one plan.
 */
final class RingReduction {
    /** Largest number of scratch slots that are reused in turn. */
    private static final int MAX_SLOTS = 2;

    private final Plan plan;
    private final Ring ring;
    private final Reduction reduction;
    private final BufferRange contribution;
    private final Blocks blocks;
    private final Segments segments;
    private final int[][][] slotTasks = new int[MAX_SLOTS][][];
    private final int[][][] sends;

    /**
     * @param ring         ring on which the blocks travel
     * @param contribution all blocks of this rank, one after the other
     */
    RingReduction(final Plan plan, final Ring ring, final Reduction reduction, final BufferRange contribution, final Blocks blocks,
        final Segments segments) {
        this.plan = plan;
        this.ring = ring;
        this.reduction = reduction;
        this.contribution = contribution;
        this.blocks = blocks;
        this.segments = segments;
        this.sends = new int[plan.size()][][];
        for (int d = 0; d < MAX_SLOTS; d++) {
            slotTasks[d] = noTasks(RingSegments.longest(blocks));
        }
    }

    /** Plans the reduction; returns for each segment of the rank's own block the tasks that must complete before it holds the result. */
    int[][] plan(final ReductionTarget.Choice choice) {
        int held = ring.left();
        BufferRange value = own(held);
        int slot = ReductionTarget.SINGLE_USE;
        int[][] ready = noTasks(value.bytes());
        for (int step = 0; step < ring.size() - 1; step++) {
            send(held, value, ready, slot);
            held = ring.back(step + 2);
            final ReductionTarget target = choice.at(step, held);
            ready = receive(held, target);
            value = target.sumStays() ? target.incoming() : own(held);
            slot = target.sumStays() ? target.slot() : ReductionTarget.SINGLE_USE;
        }
        return ready;
    }

    private void send(final int block, final BufferRange value, final int[][] ready, final int slot) {
        final int[][] sent = new int[ready.length][];
        for (int i = 0; i < ready.length; i++) {
            sent[i] = Dependencies.of(plan.send(segments.of(value, i), ring.right(), ready[i]));
            if (slot != ReductionTarget.SINGLE_USE) {
                slotTasks[slot][i] = sent[i];
            }
        }
        sends[block] = value.buffer() == Buffer.RECV ? sent : noTasks(value.bytes());
    }

    private int[][] receive(final int block, final ReductionTarget target) {
        final int[][] ready = noTasks(blocks.bytes(block));
        for (int i = 0; i < ready.length; i++) {
            final BufferRange incoming = segments.of(target.incoming(), i);
            final BufferRange own = segments.of(own(block), i);
            final boolean reused = target.slot() != ReductionTarget.SINGLE_USE;
            final int received = plan.recv(incoming, ring.left(), reused ? slotTasks[target.slot()][i] : Dependencies.NONE);
            ready[i] = Dependencies.of(target.sumStays() ? plan.reduce(reduction, own, incoming, received)
                : plan.reduce(reduction, incoming, own, received));
            if (reused) {
                slotTasks[target.slot()][i] = ready[i];
            }
        }
        return ready;
    }

    /** Returns the tasks that must complete before segment {@code i} of a block may be overwritten in RECV; not for the rank's own block. */
    int[] sends(final int block, final int i) {
        return sends[block][i];
    }

    private BufferRange own(final int block) {
        return contribution.slice(blocks.offset(block), blocks.bytes(block));
    }

    private int[][] noTasks(final long bytes) {
        final int[][] tasks = new int[segments.count(bytes)][];
        Arrays.fill(tasks, Dependencies.NONE);
        return tasks;
    }
}
