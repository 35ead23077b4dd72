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
        return isExcluded() || ratios.length >= calls && (!isDoubtful() || ratios.length >= PATIENCE * calls);
    }

    private boolean isDoubtful() {
        return quantile(0.5) > SLOW && quantile(0.25) <= 1;
    }

    /**
     * Returns whether the candidate is slower: the median says so, and three of four calls were slower. If it were as fast, 15 of 20 calls would be
     * slower with a probability of 2 %, and their median would seldom be so high.
     */
    boolean isSlow(final int calls) {
        return ratios.length >= calls && quantile(0.5) > SLOW && quantile(0.25) > 1;
    }

    /** Returns whether the candidate is faster. */
    boolean isFast(final int calls) {
        return ratios.length >= calls && quantile(0.5) < 1 / SLOW && quantile(0.75) < 1;
    }

    CanaryReport.CanaryClass report() {
        return new CanaryReport.CanaryClass(operation.id(), fromBytes, used, ratios.length, differences, unverified, quantile(0.5), quantile(0.25),
            quantile(0.75), exclusion);
    }
}
