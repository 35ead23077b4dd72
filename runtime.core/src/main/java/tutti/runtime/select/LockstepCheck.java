package tutti.runtime.select;

import tutti.runtime.datatype.Op;

/**
 * Checks that all ranks are about to take the same step before they take it together. Without it, when a module fails on one rank, the
 * other ranks would wait in a step that this rank never enters.
 */
final class LockstepCheck {
    static final int AVAILABILITY = 0;
    static final int SPLIT = 1;

    private final SelectionContext context;

    LockstepCheck(final SelectionContext context) {
        this.context = context;
    }

    /**
     * Returns whether every rank is about to take this step. Returns false on all ranks when one is about to take another step; the ranks
     * may then try again.
     */
    boolean agree(final int step, final int number) {
        final long own = (long) step << 32 | number;
        final long[] bounds = {own, -own};
        context.combine(bounds, Op.MIN);
        return bounds[0] == own && bounds[1] == -own;
    }
}
