package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.BufferRange;
import tutti.coll.Plan;

/** The contributions of all ranks to a reduction, as one of them reads them. */
final class Contributions {
    /** Where a rank's contribution lies. */
    interface Place {
        BufferRange of(int rank);
    }

    private Contributions() { }

    /** The contributions of all ranks in their order, each to be read when its rank has posted for the first time. */
    static List<ReductionOperand> all(final Plan plan, final Place place) {
        final List<ReductionOperand> operands = new ArrayList<>();
        for (int rank = 0; rank < plan.size(); rank++) {
            operands.add(of(plan, rank, place.of(rank)));
        }
        return operands;
    }

    /** What a rank's first post says is there; the planning rank's own is there at once. */
    static ReductionOperand of(final Plan plan, final int rank, final BufferRange span) {
        return rank == plan.rank() ? new ReductionOperand(ReductionOperand.OWN, span) : new ReductionOperand(rank, span, plan.await(rank, 0));
    }
}
