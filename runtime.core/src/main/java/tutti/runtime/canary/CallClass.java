package tutti.runtime.canary;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;
import tutti.runtime.introspect.CanaryReport;

/**
 * The calls of one operation and size on one communicator. For one thread, but for {@link #used}, which another one may read too early.
 *
 * <p>A candidate is slow when its time is mostly more than {@value #SLOW} times that of the modules that serve. A sequential test [1] tells, which
 * holds however often it is asked: it weighs how probable the comparisons are if three of four are above that limit, and if one of two is. When
 * neither that nor the contrary is certain after {@value #PATIENCE} times as many comparisons as are wanted, the times vary too much to tell.
 *
 * <p>[1] A. Wald, Sequential Tests of Statistical Hypotheses, Annals of Mathematical Statistics 16(2), 1945, doi:10.1214/aoms/1177731118.
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
    /** Weights of a comparison that goes one way and of one that does not, as logarithms. */
    private static final double FOR = Math.log(0.75 / 0.5);
    private static final double AGAINST = Math.log(0.25 / 0.5);
    /** Weights from which on a candidate is slow, with an error of 0.1 %, and is not or is faster, with one of 1 %. */
    private static final double SLOWER = Math.log(1000);
    private static final double NOT_SLOWER = Math.log(100);

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
        return isExcluded() || ratios.length >= calls && (isNotSlow() || ratios.length >= PATIENCE * calls);
    }

    /** Returns whether the candidate is slower. */
    boolean isSlow(final int calls) {
        return ratios.length >= calls && weight(above(SLOW)) >= SLOWER;
    }

    private boolean isNotSlow() {
        return weight(ratios.length - above(SLOW)) >= NOT_SLOWER;
    }

    /** Returns whether the candidate is faster. */
    boolean isFast(final int calls) {
        return ratios.length >= calls && weight(ratios.length - above(1 / SLOW)) >= NOT_SLOWER;
    }

    /** Returns whether times of a complete class vary too much to tell whether the candidate is slow. */
    boolean isUncertain() {
        return !isExcluded() && !isNotSlow();
    }

    /** Returns whether the median of the candidate's times is not above the limit. */
    boolean isMedianLow() {
        return quantile(0.5) <= SLOW;
    }

    /** Returns the number of comparisons whose ratio is above a limit. */
    private int above(final double limit) {
        int others = 0;
        while (others < ratios.length && ratios[others] <= limit) {
            others++;
        }
        return ratios.length - others;
    }

    /** Returns the weight of the evidence that comparisons mostly go one way, as a logarithm, when so many of them do. */
    private double weight(final int oneWay) {
        return oneWay * FOR + (ratios.length - oneWay) * AGAINST;
    }

    CanaryReport.CanaryClass report() {
        return new CanaryReport.CanaryClass(operation.id(), fromBytes, used, compared, differences, unverified, quantile(0.5), quantile(0.25),
            quantile(0.75), exclusion);
    }
}
