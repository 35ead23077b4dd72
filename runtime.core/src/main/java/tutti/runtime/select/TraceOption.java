package tutti.runtime.select;

import java.util.Map;

/** Whether what collectives do is recorded, and how much of it: the job's parameter {@code trace}. */
public final class TraceOption {
    /** The name of the parameter. */
    public static final String PARAMETER = "trace";
    /** As the value of the parameter: as much as is good for most. */
    public static final String ON = "on";

    private static final int RANK_LIMIT = 20_000;
    private static final int JOB_LIMIT = 1_000_000;

    private TraceOption() { }

    /** How many events are recorded per rank at most; 0 when nothing is. */
    public static int limit(final Map<String, String> parameters, final int ranks) {
        final String value = parameters.get(PARAMETER);
        return value == null ? 0 : value.equals(ON) ? Math.max(1, Math.min(RANK_LIMIT, JOB_LIMIT / ranks)) : Integer.parseInt(value);
    }

    /** What is wrong with a value of the parameter, in words; null when nothing is. */
    public static String problem(final String value) {
        if (value.equals(ON) || value.matches("[1-9][0-9]{0,6}") && Integer.parseInt(value) <= JOB_LIMIT) {
            return null;
        }
        return "neither on nor a number of events per rank, range=1.." + JOB_LIMIT;
    }
}
