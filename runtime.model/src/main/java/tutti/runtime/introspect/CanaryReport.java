package tutti.runtime.introspect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a trial of modules has found on one communicator: the modules of a candidate ran some calls in the shadow of those that serve.
 *
 * @param communicator name of the communicator
 * @param ranks        number of its ranks
 * @param change       number of the change of the job's modules that began the trial
 * @param verdict      the verdict
 * @param reason       the reason for the verdict in words; empty while there is none
 * @param classes      the classes of calls that the program has made
 * @param difference   the first difference that was found; null if there is none
 * @param shadows      number of calls that were compared, or were chosen to be
 * @param shadowNanos  time in nanoseconds that the slowest rank has spent on comparisons
 * @param totalNanos   time in nanoseconds since the trial began
 */
public record CanaryReport(String communicator, int ranks, int change, Verdict verdict, String reason, List<CanaryClass> classes,
    @Nullable Difference difference, long shadows, long shadowNanos, long totalNanos) {

    /** What a trial says about the candidate. */
    public enum Verdict {
        /** The trial goes on. */
        RUNNING,
        /** A result of the candidate was wrong, or it failed. */
        WRONG,
        /** The candidate is slower for some class of calls. */
        SLOW,
        /** The candidate is as fast as the modules that serve. */
        EQUAL,
        /** The candidate is faster for some class of calls, and slower for none. */
        BETTER,
        /** The trial ended before a verdict. */
        ABANDONED;

        /** Returns whether the candidate may replace the modules that serve. */
        public boolean isPromotable() {
            return this == EQUAL || this == BETTER;
        }

        /** Returns whether the candidate must not replace the modules that serve. */
        public boolean isRefused() {
            return this == WRONG || this == SLOW;
        }
    }

    /**
     * The calls of one operation whose {@linkplain tutti.runtime.policy.MessageBytes bytes} lie between two powers of two.
     *
     * @param operation     name in lower case
     * @param fromBytes     fewest bytes of its calls; -1 where not all ranks know them, which is one class
     * @param used          number of calls of the program, all forms that are compared
     * @param compared      number of comparisons
     * @param differences   number of comparisons in which a rank found a difference
     * @param unverified    number of comparisons in which results differed that cannot be judged: a user-defined operation rounds, or a product
     *                      overflows in one order of the operands
     * @param ratio         median of the ratios of the candidate's times to those of the modules that serve; NaN without comparisons
     * @param lowerQuartile first quartile of the ratios
     * @param upperQuartile third quartile of the ratios
     * @param exclusion     reason why its calls are not compared; null if they are
     */
    public record CanaryClass(String operation, long fromBytes, long used, int compared, int differences, int unverified, double ratio,
        double lowerQuartile, double upperQuartile, @Nullable String exclusion) {
        /** Returns a name for messages, such as {@code bcast from 1024 bytes}. */
        public String name() {
            return operation + (fromBytes < 0 ? "" : " from " + fromBytes + " bytes");
        }
    }

    /**
     * A result of the candidate that differs from that of the modules that serve, or its failure.
     *
     * @param operation name in lower case
     * @param bytes     bytes of the call as in {@link tutti.runtime.policy.MessageBytes}; -1 where not all ranks know them
     * @param call      number of the call on the communicator
     * @param rank      lowest rank of the communicator that found it
     * @param what      what was found, in words
     */
    public record Difference(String operation, long bytes, long call, int rank, String what) {
        @Override
        public String toString() {
            return operation + (bytes < 0 ? "" : " of " + bytes + " bytes") + ", call " + call + ", rank " + rank + ": " + what;
        }
    }

    /** Copies the list. */
    public CanaryReport {
        classes = List.copyOf(classes);
    }

    /** Returns a report without comparisons. */
    public static CanaryReport of(final String communicator, final int ranks, final int change, final Verdict verdict, final String reason) {
        return new CanaryReport(communicator, ranks, change, verdict, reason, List.of(), null, 0, 0, 0);
    }
}
