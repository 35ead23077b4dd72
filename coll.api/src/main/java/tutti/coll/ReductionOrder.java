package tutti.coll;

/**
 * How an algorithm combines the contributions of ranks; of operations that combine nothing it says nothing.
 *
 * <p>It decides where the algorithm may serve: operations that do not commute need the order of ranks, and jobs that want results whose
 * bits do not depend on the algorithm ({@code coll.reproducible=true}) need one order with one set of brackets.
 */
public enum ReductionOrder {
    /**
     * In the order of ranks and with the brackets of one tree, whatever the call: the reduction over ranks a to b is the contribution
     * alone where a = b, else that of the first m ranks combined with that of the others, m being the largest power of two below their
     * number. So results have the same bits as those of every other algorithm of this kind.
     */
    CANONICAL,
    /** In the order of ranks wherever the operation does not commute; the brackets are the algorithm's own. */
    RANKS,
    /** In any order: serves operations that commute, and no others. */
    ANY;

    /** Whether an algorithm of this order serves a call that combines with {@code reduction}; null where it combines nothing. */
    public boolean serves(final Reduction reduction) {
        return this != ANY || reduction == null || reduction.isCommutative();
    }
}
