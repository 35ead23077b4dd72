package tutti.coll;

import java.util.Arrays;

/**
 * Which algorithm a module offers for which operation, intra- and intercommunicators apart.
 *
 * <p>An operation that is left out is served by the next module in order. Immutable; build one with {@link #builder()}.
 */
public final class Table {

    /**
     * One offer.
     *
     * @param name      the algorithm's name within the module, {@code binomial} for one
     * @param algorithm that plans
     * @param skipEmpty whether a call without data may return at once, without a plan; on intracommunicators, since some ranks of an
     *                  intercommunicator do not know whether there is data
     * @param <C>       the call of the operation
     */
    public record Entry<C extends Call>(String name, Algorithm<C> algorithm, boolean skipEmpty) { }

    private final Entry<?>[] intra;
    private final Entry<?>[] inter;

    private Table(final Entry<?>[] intra, final Entry<?>[] inter) {
        this.intra = intra;
        this.inter = inter;
    }

    /** An empty table to fill. */
    public static Builder builder() {
        return new Builder();
    }

    /** What serves {@code operation} on intracommunicators, or null. */
    @SuppressWarnings("unchecked")
    public <C extends Call> Entry<C> intra(final Operation<C> operation) {
        return (Entry<C>) intra[operation.ordinal()];
    }

    /** What serves {@code operation} on intercommunicators, or null. */
    @SuppressWarnings("unchecked")
    public <C extends Call> Entry<C> inter(final Operation<C> operation) {
        return (Entry<C>) inter[operation.ordinal()];
    }

    /** Fills a table; for one thread. */
    public static final class Builder {
        private final Entry<?>[] intra = new Entry<?>[Operation.values().size()];
        private final Entry<?>[] inter = new Entry<?>[Operation.values().size()];

        private Builder() { }

        /** Offers an algorithm for intracommunicators. */
        public <C extends Call> Builder intra(final Operation<C> operation, final String name, final Algorithm<C> algorithm) {
            intra[operation.ordinal()] = new Entry<>(name, algorithm, false);
            return this;
        }

        /** Offers an algorithm for intercommunicators. */
        public <C extends Call> Builder inter(final Operation<C> operation, final String name, final Algorithm<C> algorithm) {
            if (!operation.onIntercommunicators()) {
                throw new IllegalArgumentException("not defined on intercommunicators: operation=" + operation);
            }
            inter[operation.ordinal()] = new Entry<>(name, algorithm, false);
            return this;
        }

        /** Lets calls of {@code operation} without data return at once on intracommunicators. */
        public <C extends Call> Builder skipEmpty(final Operation<C> operation) {
            intra[operation.ordinal()] = skipping(intra[operation.ordinal()]);
            return this;
        }

        private static <C extends Call> Entry<C> skipping(final Entry<C> e) {
            return e == null ? null : new Entry<>(e.name(), e.algorithm(), true);
        }

        /** The table; the builder may be used further. */
        public Table build() {
            return new Table(Arrays.copyOf(intra, intra.length), Arrays.copyOf(inter, inter.length));
        }
    }
}
