package tutti.runtime.checkpoint.store;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * How often a job saves its state without being asked: parameter {@code checkpoint.every}, a number of points of the program or a time.
 *
 * @param points number of points from checkpoint to checkpoint; 0 for none
 * @param millis time from checkpoint to checkpoint in milliseconds; 0 for none
 */
public record CheckpointOption(long points, long millis) {
    /** Name of the parameter. */
    public static final String PARAMETER = "checkpoint.every";
    /** Name of the parameter that keeps the checkpoints of a job that has ended well: {@code on} or {@code off}. */
    public static final String KEEP = "checkpoint.keep";

    private static final String OFF = "off";
    // Remedy: a value of one of these forms.
    private static final String SYNTAX_TEXT = "neither off, nor a number of points such as 100, nor a time such as 60s, 5m or 500ms";
    private static final Pattern SYNTAX = Pattern.compile("([0-9]{1,9})(ms|s|m|h)?");

    /** Returns the option of a job with these parameters. */
    public static CheckpointOption of(final Map<String, String> parameters) {
        final String text = parameters.get(PARAMETER);
        if (text == null || text.equals(OFF)) {
            return new CheckpointOption(0, 0);
        }
        final Matcher m = SYNTAX.matcher(text.trim());
        if (!m.matches() || Long.parseLong(m.group(1)) == 0) {
            throw new MpiFailure(ErrorClass.ARG, "parameter has a wrong value: " + PARAMETER + "=" + text + ": " + SYNTAX_TEXT);
        }
        final long number = Long.parseLong(m.group(1));
        return m.group(2) == null ? new CheckpointOption(number, 0) : new CheckpointOption(0, number * switch (m.group(2)) {
            case "ms" -> 1;
            case "s" -> 1000;
            case "m" -> 60_000;
            default -> 3_600_000;
        });
    }

    /** Returns what is wrong with a value of {@link #PARAMETER}; null when it is valid. */
    public static @Nullable String problem(final String value) {
        try {
            of(Map.of(PARAMETER, value));
            return null;
        } catch (final MpiFailure e) {
            return SYNTAX_TEXT;
        }
    }

    /** Returns what is wrong with a value of {@link #KEEP}; null when it is valid. */
    public static @Nullable String keepProblem(final String value) {
        return value.equals("on") || value.equals(OFF) ? null : "neither on nor off";
    }

    /** Returns whether a job with these parameters keeps its checkpoints when it has ended well. */
    public static boolean keeps(final Map<String, String> parameters) {
        return "on".equals(parameters.get(KEEP));
    }
}
