package tutti.runtime.introspect;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LongRange;

/**
 * What was measured of a class of calls on one communicator while the program made them: calls of one operation and kind, within a power of two of
 * bytes. Equal on all ranks of the communicator, except for the number of calls, which each rank counts for itself.
 *
 * @param communicator name of the communicator
 * @param shape        the ranks of the communicator
 * @param operation    id of the operation
 * @param kind         the calls of the operation
 * @param bytes        their bytes as defined by {@link tutti.runtime.policy.MessageBytes}
 * @param algorithms   the algorithms that were tried, in the order in which they were tried first
 * @param served       index of the algorithm that serves the calls since it was the fastest; -1 while none was found
 * @param selected     index of the algorithm that serves the calls by the selection; -1 when it was not tried
 * @param calls        number of blocking calls of the class
 * @param trials       number of trials that have ended
 * @param regretNanos  time that the trials cost: of each measured call what it took longer than the median of the fastest algorithm, and what the
 *                     ranks needed to agree on times
 */
public record CallTuning(String communicator, Shape shape, String operation, Kind kind, LongRange bytes, List<Measured> algorithms, int served,
    int selected, long calls, int trials, long regretNanos) {
    private static final double NANOS_PER_MILLI = 1e6;

    /** The calls of an operation that can be served by the same algorithms. */
    public enum Kind {
        /** All calls of an operation that is no reduction; of a reduction those of a predefined operation. */
        USUAL(""),
        /** Reductions by a commutative operation of the program. */
        NOT_PREDEFINED("not predefined"),
        /** Reductions by an operation that does not commute. */
        NOT_COMMUTATIVE("not commutative");

        private final String text;

        Kind(final String text) {
            this.text = text;
        }

        /** Returns the text as in {@link Explanation.Choice#calls()}: empty for the usual calls. */
        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * The distribution of the ranks of a communicator.
     *
     * @param ranks        number of ranks
     * @param nodes        number of nodes that hold some
     * @param ranksPerNode minimum and maximum number of ranks of a node
     */
    public record Shape(int ranks, int nodes, LongRange ranksPerNode) {}

    /**
     * What the calls of a class have in common, on communicators of any name.
     *
     * @param operation id of the operation
     * @param kind      the calls of the operation
     * @param shape     the ranks of the communicator
     * @param bytes     the bytes of the calls
     */
    public record CallClass(String operation, Kind kind, Shape shape, LongRange bytes) implements Comparable<CallClass> {
        private static final Comparator<CallClass> ORDER = Comparator.comparing(CallClass::operation).thenComparing(CallClass::kind)
            .thenComparingInt(c -> c.shape().ranks()).thenComparingInt(c -> c.shape().nodes())
            .thenComparingLong(c -> c.shape().ranksPerNode().min()).thenComparingLong(c -> c.shape().ranksPerNode().max())
            .thenComparingLong(c -> c.bytes().min()).thenComparingLong(c -> c.bytes().max());

        @Override
        public int compareTo(final CallClass other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * An algorithm that was tried.
     *
     * @param module      its module
     * @param algorithm   its name with the values of parameters that were tried
     * @param calls       number of calls that were measured
     * @param medianNanos their median; 0 when none was measured
     * @param spreadNanos the distance between their quartiles
     * @param slowdown    how many times as long as the algorithm that serves it took, in calls for which both took turns; 0 when that is not known
     * @param problem     why it is tried no more, as a predicate; null for a usable algorithm
     */
    public record Measured(ModuleId module, AlgorithmRef algorithm, int calls, long medianNanos, long spreadNanos, double slowdown,
        @Nullable String problem) {}

    /** Copies the list. */
    public CallTuning {
        algorithms = List.copyOf(algorithms);
    }

    /** Returns whether an algorithm was found that serves the calls. */
    public boolean isDecided() {
        return served >= 0;
    }

    /** Returns the number of measured calls. */
    public int measuredCalls() {
        return algorithms.stream().mapToInt(Measured::calls).sum();
    }

    /** Returns the algorithm that serves the calls. Only when one {@linkplain #isDecided was found}. */
    public Measured best() {
        return algorithms.get(served);
    }

    /** Returns this tuning with another number of calls. */
    public CallTuning withCalls(final long number) {
        return new CallTuning(communicator, shape, operation, kind, bytes, algorithms, served, selected, number, trials, regretNanos);
    }

    /** Returns the class of the calls. */
    public CallClass callClass() {
        return new CallClass(operation, kind, shape, bytes);
    }

    /**
     * Returns this tuning with the algorithms of some modules alone; null when the algorithm that serves is not among them, or none was found.
     *
     * @param modules says of a module whether its algorithms stay
     */
    public @Nullable CallTuning only(final Predicate<ModuleId> modules) {
        return isDecided() && modules.test(best().module()) ? keep(m -> modules.test(m.module())) : null;
    }

    /**
     * Returns this tuning without algorithms that nobody asks for later: it has the one that serves, that of the selection, and the best one of each
     * module.
     */
    public CallTuning brief() {
        final Set<ModuleId> modules = new HashSet<>();
        final List<Measured> kept = algorithms.stream().filter(m -> m.slowdown() > 0 && m.problem() == null)
            .sorted(Comparator.comparingDouble(Measured::slowdown)).filter(m -> modules.add(m.module())).toList();
        return keep(m -> kept.contains(m) || served >= 0 && m == algorithms.get(served) || selected >= 0 && m == algorithms.get(selected));
    }

    private CallTuning keep(final Predicate<Measured> which) {
        final List<Measured> kept = algorithms.stream().filter(which).toList();
        return new CallTuning(communicator, shape, operation, kind, bytes, kept, served < 0 ? -1 : kept.indexOf(algorithms.get(served)),
            selected < 0 ? -1 : kept.indexOf(algorithms.get(selected)), calls, trials, regretNanos);
    }

    /** Returns this tuning for other bytes. */
    CallTuning withBytes(final LongRange others) {
        return new CallTuning(communicator, shape, operation, kind, others, algorithms, served, selected, calls, trials, regretNanos);
    }

    /**
     * Returns why the calls are served as they are, and the time that it has cost to find out, such as {@code measured on 96 calls with 3.1 ms lost:
     * ring/ring 1.8 times faster than tree/binomial}. It compares with the algorithm of the selection or, where that serves, with the next fastest.
     */
    public String text() {
        return text(String.format(Locale.ROOT, "measured on %d calls with %.1f ms lost", measuredCalls(), regretNanos / NANOS_PER_MILLI));
    }

    /**
     * Returns the same, of several jobs that have found the same algorithm: {@code measured on 412 calls of 3 jobs: ring/ring 1.8 times faster than
     * tree/binomial}.
     *
     * @param ofJobs number of calls that were measured in all these jobs
     */
    public String text(final long ofJobs, final int jobs) {
        return text("measured on " + ofJobs + " calls of " + jobs + (jobs == 1 ? " job" : " jobs"));
    }

    private String text(final String measured) {
        if (!isDecided()) {
            return measured;
        }
        final Measured other = selected >= 0 && selected != served && algorithms.get(selected).slowdown() > 0 ? algorithms.get(selected)
            : algorithms.stream().filter(m -> m != best() && m.slowdown() > 0 && m.problem() == null)
                .min(Comparator.comparingDouble(Measured::slowdown)).orElse(null);
        return other == null ? measured + ": " + best().algorithm() : measured + ": " + best().algorithm()
            + String.format(Locale.ROOT, " %.1f times faster than ", Math.max(1, other.slowdown())) + other.algorithm();
    }
}
