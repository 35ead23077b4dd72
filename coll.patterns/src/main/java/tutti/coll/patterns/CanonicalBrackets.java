package tutti.coll.patterns;

/** The brackets of {@link tutti.coll.ReductionOrder#CANONICAL}: which of several values are combined before the rest. */
public final class CanonicalBrackets {
    private CanonicalBrackets() {}

    /**
     * Returns how many values are in the lower operand of the outermost bracket over {@code values} values: the largest power of two below
     * {@code values}.
     *
     * @param values number of values, at least 2
     */
    public static int lower(final int values) {
        return Integer.highestOneBit(values - 1);
    }
}
