package tutti.runtime.select;

import tutti.runtime.datatype.Op;

/**
 * Sees to it that all ranks are about to do the same thing before they do it together: a module that fails on one rank would otherwise
 * leave others waiting in a step to which that rank never comes.
 */
final class LockstepCheck {
    static final int BALLOTS = 0;
    static final int SPLIT = 1;

    private final SelectionContext setup;

    LockstepCheck(final SelectionContext setup) {
        this.setup = setup;
    }

    /** Whether every rank came for this; false on all ranks when one came for something else, which it then may try again. */
    boolean meet(final int what, final int number) {
        final long mine = (long) what << 32 | number;
        final long[] bounds = {mine, -mine};
        setup.combine(bounds, Op.MIN);
        return bounds[0] == mine && bounds[1] == -mine;
    }
}
