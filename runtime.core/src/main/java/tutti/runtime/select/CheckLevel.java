package tutti.runtime.select;

import java.util.Locale;
import java.util.Map;

/** How much of what ranks must do alike is compared: the job's parameter {@code check}. */
public enum CheckLevel {
    /** As the next, and before each collective all ranks tell each other what they call; with SERIALIZED two calls at once are refused. */
    FULL,
    /**
     * Messages of collectives say which call they belong to; calls from threads that may not call are refused. The default: it costs nothing that
     * can be measured.
     */
    FAST,
    /** Nothing is compared. */
    OFF;

    /** The name of the parameter. */
    public static final String PARAMETER = "check";

    /** That of a job. */
    public static CheckLevel of(final Map<String, String> parameters) {
        return valueOf(parameters.getOrDefault(PARAMETER, FAST.toString()).toUpperCase(Locale.ROOT));
    }

    /** What is wrong with a value of the parameter, in words; null when nothing is. */
    public static String problem(final String value) {
        for (final CheckLevel c : values()) {
            if (c.toString().equals(value)) {
                return null;
            }
        }
        return "none of full, fast, off";
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
