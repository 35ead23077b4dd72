package tutti.daemon.job;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The job's parameter {@code stall}: after which time without progress the node looks for ranks that wait for each other. */
final class StallOption {
    /** The name of the parameter. */
    static final String PARAMETER = "stall";
    private static final String OFF = "off";
    private static final String DEFAULT = "10s";
    private static final Pattern DURATION = Pattern.compile("([1-9][0-9]{0,6})(ms|s|m)");
    private static final long SECOND = 1000;

    private StallOption() {}

    /** Returns the time in milliseconds; 0 if nobody is to look. */
    static long millis(final Map<String, String> parameters) {
        final String value = parameters.getOrDefault(PARAMETER, DEFAULT);
        final Matcher m = DURATION.matcher(value);
        if (!m.matches()) {
            return 0;
        }
        final long number = Long.parseLong(m.group(1));
        return switch (m.group(2)) {
            case "ms" -> number;
            case "s" -> number * SECOND;
            default -> number * SECOND * 60;
        };
    }

    /** Returns what is wrong with a value, as text; null when it is valid. */
    static @Nullable String problem(final String value) {
        return value.equals(OFF) || DURATION.matcher(value).matches() ? null : "neither off nor a time such as 10s, 500ms or 2m";
    }
}
