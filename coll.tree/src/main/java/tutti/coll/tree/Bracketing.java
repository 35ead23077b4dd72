package tutti.coll.tree;

/** Order in which a rank combines the values of its children; operands are always in rank order. */
enum Bracketing {
    /** Combines each value as it arrives: ((own a) b) c. */
    CHAIN {
        @Override
        boolean joins(final int lower, final int higher) {
            return true;
        }
    },
    /**
     * Combines values of equally many ranks with each other, and the rest at the end. In k-nomial trees with k = 2^j the brackets are those of
     * {@link tutti.coll.ReductionOrder#CANONICAL}.
     */
    BALANCED {
        @Override
        boolean joins(final int lower, final int higher) {
            return lower == higher;
        }
    };

    /** Returns whether two neighbouring values, of that many ranks each, are combined before more arrives. */
    abstract boolean joins(int lower, int higher);
}
