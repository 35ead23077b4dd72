package tutti.runtime.policy;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The level at which the collective calls of the ranks are compared, since all ranks must make the same ones. Set by the job's parameter
 * {@code check}.
 */
public enum CheckLevel {
    /**
     * Compares as {@link #FAST} does. In addition, all ranks exchange the call before each collective, and a receive of other primitive elements
     * than were sent is warned of.
     */
    FULL,
    /** Messages of collectives name the call that they belong to. This is the default: its cost cannot be measured. */
    FAST,
    /** Compares nothing. */
    OFF;

    /** The name of the parameter. */
    public static final String PARAMETER = "check";

    /**
     * The name of the parameter that says whether an array or java.nio buffer of another primitive kind than the datatype is refused: {@code on} or
     * {@code off}. By default it is off where nothing is compared.
     */
    public static final String KINDS_PARAMETER = "check.kinds";

    /**
     * The name of the parameter that says whether calls that a rank's thread level does not permit are refused: {@code on} or {@code off}, by default
     * off. Where it is on, {@code Init} provides level SINGLE, as other implementations of MPI may.
     */
    public static final String THREADS_PARAMETER = "check.threads";

    /** Returns whether calls that the thread level does not permit are refused in a job, by its parameters. */
    public static boolean checksThreads(final Map<String, String> parameters) {
        return parameters.getOrDefault(THREADS_PARAMETER, "off").equals("on");
    }

    /** Returns whether buffers of another primitive kind than the datatype are refused in a job, by its parameters. */
    public static boolean checksKinds(final Map<String, String> parameters) {
        return parameters.getOrDefault(KINDS_PARAMETER, of(parameters) == OFF ? "off" : "on").equals("on");
    }

    /** Returns what is wrong with a value of the parameter for kinds or threads, as text; null when it is valid. */
    public static @Nullable String switchProblem(final String value) {
        return value.equals("on") || value.equals("off") ? null : "neither on nor off";
    }

    /** Returns the level of a job, by its parameters. */
    public static CheckLevel of(final Map<String, String> parameters) {
        return valueOf(parameters.getOrDefault(PARAMETER, FAST.toString()).toUpperCase(Locale.ROOT));
    }

    /** Returns what is wrong with a value of the parameter, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
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
