package tutti.coll.ring;

import java.util.Arrays;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/**
 * Plans the way of every block around the ring, from the rank after the one that it belongs to, to that one: each rank adds its contribution.
 * The operation must commute. For one plan.
 */
final class RingReduction {
    /** Most scratch memories that take turns. */
    private static final int DESKS = 2;

    private final Plan plan;
    private final Ring ring;
    private final Reduction reduction;
    private final BufferRange contribution;
    private final Blocks blocks;
    private final Segments segments;
    private final int[][][] desks = new int[DESKS][][];
    private final int[][][] passedOn;

    /**
     * @param ring         on which the blocks go
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
        this.passedOn = new int[plan.size()][][];
        for (int d = 0; d < DESKS; d++) {
            desks[d] = nothing(Segments.longest(blocks));
        }
    }

    /** Plans it; returns for each segment of the own block what must be done before it holds the result. */
    int[][] plan(final ReductionTarget.Choice choice) {
        int held = ring.left();
        BufferRange value = own(held);
        int desk = ReductionTarget.FRESH;
        int[][] ready = nothing(value.bytes());
        for (int step = 0; step < ring.size() - 1; step++) {
            send(held, value, ready, desk);
            held = ring.back(step + 2);
            final ReductionTarget place = choice.at(step, held);
            ready = receive(held, place);
            value = place.sumStays() ? place.arrival() : own(held);
            desk = place.sumStays() ? place.desk() : ReductionTarget.FRESH;
        }
        return ready;
    }

    private void send(final int block, final BufferRange value, final int[][] ready, final int desk) {
        final int[][] sent = new int[ready.length][];
        for (int i = 0; i < ready.length; i++) {
            sent[i] = Dependencies.of(plan.send(segments.of(value, i), ring.right(), ready[i]));
            if (desk != ReductionTarget.FRESH) {
                desks[desk][i] = sent[i];
            }
        }
        passedOn[block] = value.buffer() == Buffer.RECV ? sent : nothing(value.bytes());
    }

    private int[][] receive(final int block, final ReductionTarget place) {
        final int[][] ready = nothing(blocks.bytes(block));
        for (int i = 0; i < ready.length; i++) {
            final BufferRange arrival = segments.of(place.arrival(), i);
            final BufferRange own = segments.of(own(block), i);
            final boolean again = place.desk() != ReductionTarget.FRESH;
            final int received = plan.recv(arrival, ring.left(), again ? desks[place.desk()][i] : Dependencies.NONE);
            ready[i] = Dependencies.of(place.sumStays() ? plan.reduce(reduction, own, arrival, received)
                : plan.reduce(reduction, arrival, own, received));
            if (again) {
                desks[place.desk()][i] = ready[i];
            }
        }
        return ready;
    }

    /** What must be done before segment {@code i} of a block may be overwritten in RECV; not of the own block. */
    int[] passedOn(final int block, final int i) {
        return passedOn[block][i];
    }

    private BufferRange own(final int block) {
        return contribution.slice(blocks.offset(block), blocks.bytes(block));
    }

    private int[][] nothing(final long bytes) {
        final int[][] tasks = new int[segments.count(bytes)][];
        Arrays.fill(tasks, Dependencies.NONE);
        return tasks;
    }
}
