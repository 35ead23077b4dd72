package tutti.runtime.checkpoint.store;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Option of a job to keep checkpoints in the memory of its ranks: parameters {@code checkpoint.memory} and {@code checkpoint.memory.every}.
 *
 * @param data   least number of ranks for whose states checks are made together
 * @param checks number of checks of them, and so of ranks of a group that may fail; at least as many ranks are in a group as of both together
 * @param points number of points from checkpoint to checkpoint
 */
public record MemoryOption(int data, int checks, long points) {
    /** Name of the parameter that says how: {@code DATA+CHECKS} or {@code off}. */
    public static final String PARAMETER = "checkpoint.memory";
    /** Name of the parameter that says at how many points: a number. */
    public static final String EVERY = "checkpoint.memory.every";

    private static final String OFF = "off";
    private static final int MOST = 64;
    private static final Pattern SYNTAX = Pattern.compile("([1-9][0-9]?)\\+([1-9][0-9]?)");

    /** Returns the option of a job with these parameters, which are valid; null if its ranks keep no checkpoints in memory. */
    public static @Nullable MemoryOption of(final Map<String, String> parameters) {
        final Matcher m = SYNTAX.matcher(parameters.getOrDefault(PARAMETER, OFF));
        return m.matches() ? new MemoryOption(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2)),
            Long.parseLong(parameters.getOrDefault(EVERY, "1"))) : null;
    }

    /** Returns what is wrong with a value of {@link #PARAMETER}; null when it is valid. */
    public static @Nullable String problem(final String value) {
        final Matcher m = SYNTAX.matcher(value);
        return value.equals(OFF) || m.matches() && Integer.parseInt(m.group(1)) + Integer.parseInt(m.group(2)) <= MOST ? null
            : "neither off, nor numbers of data and checks such as 1+1 for a copy, 3+1 or 6+2, together at most " + MOST;
    }

    /** Returns what is wrong with a value of {@link #EVERY}; null when it is valid. */
    public static @Nullable String everyProblem(final String value) {
        return value.matches("[1-9][0-9]{0,8}") ? null : "no number of points from 1 to 999999999";
    }
}
