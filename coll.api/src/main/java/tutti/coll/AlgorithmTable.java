package tutti.coll;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which algorithms a module offers for which operations, intra- and intercommunicators apart.
 *
 * <p>Of the algorithms for one operation the first is the one that the module takes by itself; the others serve where a rule or a
 * parameter names them, or where the first cannot. An operation that is left out is served by the next module in order. Immutable; build
 * one with {@link #builder()}.
 */
public final class AlgorithmTable {

    /**
     * One offer.
     *
     * @param name      the algorithm's name within the module and operation, {@code binomial} for one
     * @param algorithm that plans
     * @param order     how it combines contributions
     * @param skipEmpty whether a call without data may return at once, without a plan; on intracommunicators, since some ranks of an
     *                  intercommunicator do not know whether there is data
     * @param <C>       the call of the operation
     */
    public record Entry<C extends Call>(String name, Algorithm<C> algorithm, ReductionOrder order, boolean skipEmpty) { }

    private final Map<Operation<?>, List<Entry<?>>> intra;
    private final Map<Operation<?>, List<Entry<?>>> inter;

    private AlgorithmTable(final Builder builder) {
        this.intra = copy(builder.intra);
        this.inter = copy(builder.inter);
    }

    private static Map<Operation<?>, List<Entry<?>>> copy(final Map<Operation<?>, List<Entry<?>>> offers) {
        final Map<Operation<?>, List<Entry<?>>> copy = new LinkedHashMap<>();
        offers.forEach((o, entries) -> copy.put(o, List.copyOf(entries)));
        return copy;
    }

    /** An empty table to fill. */
    public static Builder builder() {
        return new Builder();
    }

    /** What serves {@code operation} on intracommunicators unless another is named, or null. */
    public <C extends Call> Entry<C> intra(final Operation<C> operation) {
        return first(everyIntra(operation));
    }

    /** What serves {@code operation} on intercommunicators unless another is named, or null. */
    public <C extends Call> Entry<C> inter(final Operation<C> operation) {
        return first(everyInter(operation));
    }

    /** All that can serve {@code operation} on intracommunicators, in the order of choice; maybe none. */
    @SuppressWarnings("unchecked")
    public <C extends Call> List<Entry<C>> everyIntra(final Operation<C> operation) {
        return (List<Entry<C>>) (List<?>) intra.getOrDefault(operation, List.of());
    }

    /** All that can serve {@code operation} on intercommunicators, in the order of choice; maybe none. */
    @SuppressWarnings("unchecked")
    public <C extends Call> List<Entry<C>> everyInter(final Operation<C> operation) {
        return (List<Entry<C>>) (List<?>) inter.getOrDefault(operation, List.of());
    }

    private static <C extends Call> Entry<C> first(final List<Entry<C>> entries) {
        return entries.isEmpty() ? null : entries.getFirst();
    }

    /** Fills a table; for one thread. */
    public static final class Builder {
        private final Map<Operation<?>, List<Entry<?>>> intra = new LinkedHashMap<>();
        private final Map<Operation<?>, List<Entry<?>>> inter = new LinkedHashMap<>();

        private Builder() { }

        /** Offers an algorithm for intracommunicators that serves every call. One of the same name is replaced. */
        public <C extends Call> Builder intra(final Operation<C> operation, final String name, final Algorithm<C> algorithm) {
            return intra(operation, name, algorithm, ReductionOrder.RANKS);
        }

        /** Offers an algorithm for intracommunicators. One of the same name is replaced. */
        public <C extends Call> Builder intra(final Operation<C> operation, final String name, final Algorithm<C> algorithm,
            final ReductionOrder order) {
            put(intra, operation, new Entry<>(name, algorithm, order, false));
            return this;
        }

        /** Offers an algorithm for intercommunicators that serves every call. One of the same name is replaced. */
        public <C extends Call> Builder inter(final Operation<C> operation, final String name, final Algorithm<C> algorithm) {
            return inter(operation, name, algorithm, ReductionOrder.RANKS);
        }

        /** Offers an algorithm for intercommunicators. One of the same name is replaced. */
        public <C extends Call> Builder inter(final Operation<C> operation, final String name, final Algorithm<C> algorithm,
            final ReductionOrder order) {
            if (!operation.onIntercommunicators()) {
                throw new IllegalArgumentException("not defined on intercommunicators: operation=" + operation);
            }
            put(inter, operation, new Entry<>(name, algorithm, order, false));
            return this;
        }

        private static void put(final Map<Operation<?>, List<Entry<?>>> offers, final Operation<?> operation, final Entry<?> entry) {
            final List<Entry<?>> entries = offers.computeIfAbsent(operation, o -> new ArrayList<>());
            for (int i = 0; i < entries.size(); i++) {
                if (entries.get(i).name().equals(entry.name())) {
                    entries.set(i, entry);
                    return;
                }
            }
            entries.add(entry);
        }

        /** Lets calls of {@code operation} without data return at once on intracommunicators, whatever was offered for it so far. */
        public <C extends Call> Builder skipEmpty(final Operation<C> operation) {
            intra.getOrDefault(operation, new ArrayList<>()).replaceAll(Builder::skipping);
            return this;
        }

        private static <C extends Call> Entry<C> skipping(final Entry<C> e) {
            return new Entry<>(e.name(), e.algorithm(), e.order(), true);
        }

        /** The table; the builder may be used further. */
        public AlgorithmTable build() {
            return new AlgorithmTable(this);
        }
    }
}
