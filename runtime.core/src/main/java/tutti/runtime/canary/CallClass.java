package tutti.runtime.canary;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;
import tutti.runtime.introspect.CanaryReport;

/**
 * The calls of one operation and size on one communicator. For one thread, but for {@link #used}, which another one may read too early.
 *
 * <p>A candidate is slow when its median is more than {@value #SLOW} times that of the modules that serve. Sign tests tell when that is certain
 * enough, or the contrary. Where times vary too much for that, the median decides after {@value #PATIENCE} times as many comparisons.
 */
public final class CallClass {
    /** From this ratio of times on a candidate is slow. */
    static final double SLOW = 1.1;
    /** Number of times that plans are found the same before calls are not compared. */
    private static final int SAME = 3;
    /** Number of comparisons whose times do not count, since plans, memory and code are new. */
    static final int COLD = 3;
    /** Times the number of comparisons for a class whose ratios vary too much to tell whether the candidate is slow. */
    private static final int PATIENCE = 8;
    private static final Certainty SLOWER = new Certainty(0.001, 3.090);
    private static final Certainty NOT_SLOWER = new Certainty(0.01, 2.326);
    /** Most comparisons for which probabilities are computed one by one. */
    private static final int MOST_EXACT = 500;

    /** The probability of an error that is allowed, and the quantile of the normal distribution with that probability above it. */
    private record Certainty(double probability, double quantile) {}

    private final Operation<?> operation;
    private final long fromBytes;
    private long used;
    private int differences;
    private int unverified;
    private int same;
    private int compared;
    private @Nullable String exclusion;
    /** Ratios of the candidate's times to the others, in rising order. */
    private double[] ratios = {};

    CallClass(final Operation<?> operation, final long fromBytes) {
        this.operation = operation;
        this.fromBytes = fromBytes;
    }

    /** Returns the operation. */
    public Operation<?> operation() {
        return operation;
    }

    /** Counts a call of the program. */
    public void count() {
        used++;
    }

    /** Counts calls that are not counted one by one. */
    public void count(final long calls) {
        used += calls;
    }

    long used() {
        return used;
    }

    /** Notes that the plans of both are the same. */
    public void addSame() {
        same++;
        if (same == SAME && compared == 0) {
            exclude("the same algorithm serves");
        }
    }

    /** Returns whether the same algorithm serves its calls, so that nothing is to be compared. */
    boolean isSame() {
        return same >= SAME && compared == 0;
    }

    /** Ends comparisons, for a reason. */
    public void exclude(final String reason) {
        exclusion = reason;
    }

    boolean isExcluded() {
        return exclusion != null;
    }

    /** Returns the number of comparisons. */
    public int compared() {
        return compared;
    }

    /** Notes a comparison; times are of the slowest rank, in nanoseconds. */
    public void add(final ResultComparison.Outcome outcome, final long nanosServing, final long nanosCandidate) {
        differences += outcome == ResultComparison.Outcome.DIFFERENT ? 1 : 0;
        unverified += outcome == ResultComparison.Outcome.UNVERIFIED ? 1 : 0;
        if (compared++ < COLD) {
            return;
        }
        final double[] more = Arrays.copyOf(ratios, ratios.length + 1);
        more[ratios.length] = (double) Math.max(1, nanosCandidate) / Math.max(1, nanosServing);
        Arrays.sort(more);
        ratios = more;
    }

    /** Notes a comparison that the candidate has failed. */
    public void addFailure() {
        differences++;
    }

    private double quantile(final double part) {
        if (ratios.length == 0) {
            return Double.NaN;
        }
        final double at = part * (ratios.length - 1);
        final int low = (int) at;
        final double rest = at - low;
        return rest == 0 ? ratios[low] : ratios[low] + rest * (ratios[low + 1] - ratios[low]);
    }

    /** Returns whether enough calls were compared. */
    boolean isComplete(final int calls) {
        return isExcluded() || ratios.length >= calls && (isCertain(NOT_SLOWER, ratios.length - above(SLOW)) || isOver(calls));
    }

    private boolean isOver(final int calls) {
        return ratios.length >= PATIENCE * calls;
    }

    /** Returns whether the candidate is slower. */
    boolean isSlow(final int calls) {
        return ratios.length >= calls && (isCertain(SLOWER, above(SLOW)) || isOver(calls) && quantile(0.5) > SLOW);
    }

    /** Returns whether the candidate is faster. */
    boolean isFast(final int calls) {
        return ratios.length >= calls && isCertain(NOT_SLOWER, ratios.length - above(1 / SLOW));
    }

    /** Returns the number of comparisons whose ratio is above a limit. */
    private int above(final double limit) {
        int others = 0;
        while (others < ratios.length && ratios[others] <= limit) {
            others++;
        }
        return ratios.length - others;
    }

    /**
     * Returns whether so many comparisons go one way with a probability of an allowed error at most if both ways are equally probable (sign test). At
     * 1 % that are 16 of 20, at 0.1 % 18 of 20.
     */
    private boolean isCertain(final Certainty allowed, final int oneWay) {
        final int all = ratios.length;
        if (all > MOST_EXACT) {
            return (oneWay - 0.5 - all / 2.0) / (Math.sqrt(all) / 2) >= allowed.quantile();
        }
        double probability = 0;
        double term = Math.pow(0.5, all);
        for (int k = all; k >= oneWay; k--) {
            probability += term;
            term = term * k / (all - k + 1);
        }
        return probability <= allowed.probability();
    }

    CanaryReport.CanaryClass report() {
        return new CanaryReport.CanaryClass(operation.id(), fromBytes, used, compared, differences, unverified, quantile(0.5), quantile(0.25),
            quantile(0.75), exclusion);
    }
}
