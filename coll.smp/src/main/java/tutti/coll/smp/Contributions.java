package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.BufferRange;
import tutti.coll.Plan;

/** Creates the operands of a reduction for one rank: the contributions of all ranks in the memory of their node. */
final class Contributions {
    /** Locates the contribution of a rank. */
    interface Location {
        BufferRange of(int rank);
    }

    private Contributions() {}

    /** Returns the contributions of all ranks in rank order. Each may be read once its rank has made its first post. */
    static List<ReductionOperand> all(final Plan plan, final Location location) {
        final List<ReductionOperand> operands = new ArrayList<>();
        for (int rank = 0; rank < plan.size(); rank++) {
            operands.add(of(plan, rank, location.of(rank)));
        }
        return operands;
    }

    /** Returns the contribution of a rank, available after the rank's first post. The planning rank's own contribution is available at once. */
    static ReductionOperand of(final Plan plan, final int rank, final BufferRange span) {
        return rank == plan.rank() ? new ReductionOperand(ReductionOperand.OWN, span) : new ReductionOperand(rank, span, plan.await(rank, 0));
    }
}
