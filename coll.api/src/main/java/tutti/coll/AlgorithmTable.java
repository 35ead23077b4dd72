package tutti.coll;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The algorithms that a module offers for each operation, separately for intracommunicators and intercommunicators.
 *
 * <p>The first algorithm of an operation is the module's default. The others are used if a rule or a parameter names them, or if the first
 * cannot serve a call. An operation without an algorithm is served by the next module in order.
 *
 * <p>Immutable and thread-safe. Use {@link #builder()} to create a table.
 */
public final class AlgorithmTable {

    /**
     * An algorithm that a module offers for an operation.
     *
     * @param name      name of the algorithm within the module and operation, for example {@code binomial}
     * @param algorithm the algorithm
     * @param order     the order in which it combines contributions
     * @param tunables  parameters that the algorithm reads and that a rule may set for its calls, see {@link CollInstance#tuned}
     * @param <C>       the type of the operation's calls
     */
    public record Entry<C extends Call>(String name, Algorithm<C> algorithm, ReductionOrder order, List<Tunable> tunables) {
        /** Copies the list. */
        public Entry {
            tunables = List.copyOf(tunables);
        }
    }

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

    /** Returns a builder without algorithms. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the default algorithm of {@code operation} on intracommunicators, or null if there is none. */
    public <C extends Call> @Nullable Entry<C> intra(final Operation<C> operation) {
        return first(everyIntra(operation));
    }

    /** Returns the default algorithm of {@code operation} on intercommunicators, or null if there is none. */
    public <C extends Call> @Nullable Entry<C> inter(final Operation<C> operation) {
        return first(everyInter(operation));
    }

    /** Returns all algorithms of {@code operation} on intracommunicators, the default first; empty if there are none. */
    @SuppressWarnings("unchecked")
    public <C extends Call> List<Entry<C>> everyIntra(final Operation<C> operation) {
        return (List<Entry<C>>) (List<?>) intra.getOrDefault(operation, List.of());
    }

    /** Returns all algorithms of {@code operation} on intercommunicators, the default first; empty if there are none. */
    @SuppressWarnings("unchecked")
    public <C extends Call> List<Entry<C>> everyInter(final Operation<C> operation) {
        return (List<Entry<C>>) (List<?>) inter.getOrDefault(operation, List.of());
    }

    private static <C extends Call> @Nullable Entry<C> first(final List<Entry<C>> entries) {
        return entries.isEmpty() ? null : entries.getFirst();
    }

    /** Builder of a table. Not thread-safe. */
    public static final class Builder {
        private final Map<Operation<?>, List<Entry<?>>> intra = new LinkedHashMap<>();
        private final Map<Operation<?>, List<Entry<?>>> inter = new LinkedHashMap<>();

        private Builder() {}

        /**
         * Adds an algorithm of order {@link ReductionOrder#RANKS} for intracommunicators, or replaces the one of the same name.
         *
         * @param tunables parameters that a rule may set for the algorithm's calls
         */
        public <C extends Call> Builder intra(final Operation<C> operation, final String name, final Algorithm<C> algorithm,
            final Tunable... tunables) {
            return intra(operation, name, algorithm, ReductionOrder.RANKS, tunables);
        }

        /**
         * Adds an algorithm for intracommunicators, or replaces the one of the same name.
         *
         * @param tunables parameters that a rule may set for the algorithm's calls
         */
        public <C extends Call> Builder intra(final Operation<C> operation, final String name, final Algorithm<C> algorithm,
            final ReductionOrder order, final Tunable... tunables) {
            put(intra, operation, new Entry<>(name, algorithm, order, List.of(tunables)));
            return this;
        }

        /**
         * Adds an algorithm of order {@link ReductionOrder#RANKS} for intercommunicators, or replaces the one of the same name.
         *
         * @throws IllegalArgumentException if MPI does not define the operation on intercommunicators
         */
        public <C extends Call> Builder inter(final Operation<C> operation, final String name, final Algorithm<C> algorithm) {
            return inter(operation, name, algorithm, ReductionOrder.RANKS);
        }

        /**
         * Adds an algorithm for intercommunicators, or replaces the one of the same name.
         *
         * @param tunables parameters that a rule may set for the algorithm's calls
         * @throws IllegalArgumentException if MPI does not define the operation on intercommunicators
         */
        public <C extends Call> Builder inter(final Operation<C> operation, final String name, final Algorithm<C> algorithm,
            final ReductionOrder order, final Tunable... tunables) {
            if (!operation.onIntercommunicators()) {
                throw new IllegalArgumentException("not defined on intercommunicators: operation=" + operation);
            }
            put(inter, operation, new Entry<>(name, algorithm, order, List.of(tunables)));
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

        /** Returns the table. The builder may be used further. */
        public AlgorithmTable build() {
            return new AlgorithmTable(this);
        }
    }
}
