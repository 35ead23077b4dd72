package tutti.runtime.policy;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The job's parameter {@code trace}: how many events of collectives are recorded, if any. */
public final class TraceOption {
    /** The name of the parameter. */
    public static final String PARAMETER = "trace";
    /** The value of the parameter for a default number of events. */
    public static final String ON = "on";

    private static final int RANK_LIMIT = 20_000;
    private static final int JOB_LIMIT = 1_000_000;

    private TraceOption() {}

    /** Returns the maximum number of events that are recorded per rank; 0 when none are recorded. */
    public static int limit(final Map<String, String> parameters, final int ranks) {
        final String value = parameters.get(PARAMETER);
        return value == null ? 0 : value.equals(ON) ? Math.max(1, Math.min(RANK_LIMIT, JOB_LIMIT / ranks)) : Integer.parseInt(value);
    }

    /** Returns what is wrong with a value of the parameter, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
        if (value.equals(ON) || value.matches("[1-9][0-9]{0,6}") && Integer.parseInt(value) <= JOB_LIMIT) {
            return null;
        }
        return "neither on nor a number of events per rank, range=1.." + JOB_LIMIT;
    }
}
