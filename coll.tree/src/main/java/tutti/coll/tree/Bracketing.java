package tutti.coll.tree;

/** How a rank combines what its children send; always in the order of ranks. */
enum Bracketing {
    /** Each as it comes: ((own a) b) c. */
    CHAIN {
        @Override
        boolean joins(final int lower, final int higher) {
            return true;
        }
    },
    /**
     * Runs of one length with each other, the rest in the end: in k-nomial trees with k = 2^j those of {@link
     * tutti.coll.ReductionOrder#CANONICAL}.
     */
    BALANCED {
        @Override
        boolean joins(final int lower, final int higher) {
            return lower == higher;
        }
    };

    /** Whether two neighbouring runs are combined before more arrives. */
    abstract boolean joins(int lower, int higher);
}
