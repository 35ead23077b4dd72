package tutti.coll.patterns;

import tutti.coll.CollJob;
import tutti.coll.ReductionOrder;

/** The order of algorithms between two groups that combine only by a nested reduction of each group. */
public final class NestedReduction {
    private NestedReduction() {}

    /**
     * Returns the order of such an algorithm in a job. In a reproducible job nested reductions have canonical brackets, and the exchange between the
     * groups adds none.
     */
    public static ReductionOrder order(final CollJob job) {
        return Boolean.parseBoolean(job.parameters().get("coll.reproducible")) ? ReductionOrder.CANONICAL : ReductionOrder.RANKS;
    }
}
