package tutti.coll;

import org.jspecify.annotations.Nullable;

/**
 * The order in which an algorithm combines the contributions of ranks. It has no meaning for operations that combine nothing.
 *
 * <p>The order decides which calls the algorithm may serve. An operation that does not commute needs the order of ranks. A job whose results
 * must not depend on the algorithm, to the last bit ({@code coll.reproducible=true}), needs {@link #CANONICAL}.
 */
public enum ReductionOrder {
    /**
     * In the order of ranks and with the brackets of one fixed tree, for every call. The reduction over ranks a to b is rank a's contribution
     * if a = b. Otherwise it is the reduction over the first m of these ranks combined with that over the others, where m is the largest
     * power of two that is less than their number. All canonical algorithms therefore give results with the same bits.
     */
    CANONICAL,
    /** In the order of ranks if the operation does not commute. The algorithm chooses the brackets. */
    RANKS,
    /** In any order. The algorithm serves only operations that commute. */
    ANY;

    /**
     * Returns whether an algorithm of this order can serve a call.
     *
     * @param reduction the reduction of the call, or null if it combines nothing
     */
    public boolean serves(final @Nullable Reduction reduction) {
        return this != ANY || reduction == null || reduction.isCommutative();
    }
}
