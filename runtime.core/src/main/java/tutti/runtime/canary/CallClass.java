package tutti.runtime.canary;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;
import tutti.runtime.introspect.CanaryReport;

/** The calls of one operation and size on one communicator. For one thread, but for {@link #used}, which another one may read too early. */
public final class CallClass {
    /** From this ratio of times on a candidate is slow. */
    static final double SLOW = 1.1;
    /** Number of times that plans are found the same before calls are not compared. */
    private static final int SAME = 3;
    /** Times the number of comparisons for a class whose ratios vary too much to tell whether the candidate is slow. */
    private static final int PATIENCE = 3;
    /** Fewest comparisons that this counts. */
    private static final int FEWEST = 8;
    private static final double SIGNIFICANT = 0.01;
    /** The quantile of the normal distribution with that probability above it. */
    private static final double NORMAL_QUANTILE = 2.326;
    /** Most comparisons for which probabilities are computed one by one. */
    private static final int MOST_EXACT = 500;

    private final Operation<?> operation;
    private final long fromBytes;
    private long used;
    private int differences;
    private int unverified;
    private int same;
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
        if (same == SAME && ratios.length == 0) {
            exclude("the same algorithm serves");
        }
    }

    /** Returns whether the same algorithm serves its calls, so that nothing is to be compared. */
    boolean isSame() {
        return same >= SAME && ratios.length == 0;
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
        return ratios.length;
    }

    /** Notes a comparison; times are of the slowest rank, in nanoseconds. */
    public void add(final ResultComparison.Outcome outcome, final long nanosServing, final long nanosCandidate) {
        differences += outcome == ResultComparison.Outcome.DIFFERENT ? 1 : 0;
        unverified += outcome == ResultComparison.Outcome.UNVERIFIED ? 1 : 0;
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
        return isExcluded() || ratios.length >= calls && (!isDoubtful() || ratios.length >= PATIENCE * Math.max(calls, FEWEST));
    }

    /** Returns whether the median says that the candidate is slower, and chance may be the reason. */
    private boolean isDoubtful() {
        return quantile(0.5) > SLOW && !isCertain(slower());
    }

    /** Returns whether the candidate is slower: the median says so, and a sign test. */
    boolean isSlow(final int calls) {
        return ratios.length >= calls && quantile(0.5) > SLOW && isCertain(slower());
    }

    /** Returns whether the candidate is faster. */
    boolean isFast(final int calls) {
        return ratios.length >= calls && quantile(0.5) < 1 / SLOW && isCertain(ratios.length - slower());
    }

    /** Returns the number of comparisons in which the candidate was slower. */
    private int slower() {
        int equalOrLess = 0;
        while (equalOrLess < ratios.length && ratios[equalOrLess] <= 1) {
            equalOrLess++;
        }
        return ratios.length - equalOrLess;
    }

    /**
     * Returns whether so many comparisons go one way with a probability of at most 1 % if both ways are equally probable (sign test): 16 of 20, and 8
     * of 8.
     */
    private boolean isCertain(final int oneWay) {
        final int all = ratios.length;
        if (all > MOST_EXACT) {
            return (oneWay - 0.5 - all / 2.0) / (Math.sqrt(all) / 2) >= NORMAL_QUANTILE;
        }
        double probability = 0;
        double term = Math.pow(0.5, all);
        for (int k = all; k >= oneWay; k--) {
            probability += term;
            term = term * k / (all - k + 1);
        }
        return probability <= SIGNIFICANT;
    }

    CanaryReport.CanaryClass report() {
        return new CanaryReport.CanaryClass(operation.id(), fromBytes, used, ratios.length, differences, unverified, quantile(0.5), quantile(0.25),
            quantile(0.75), exclusion);
    }
}
