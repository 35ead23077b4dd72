package tutti.runtime.model;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the failure of ranks means for their job. Set by the job's parameter {@code on.loss}. */
public enum LossMode {
    /** The job ends. This is the default. */
    END,
    /** The job goes on: the calls of other ranks that need the failed ones fail. */
    REPORT;

    /** The name of the parameter. */
    public static final String PARAMETER = "on.loss";
    /** The name of the parameter with the number of spare ranks, which take the places of failed ones. */
    public static final String SPARES_PARAMETER = "on.loss.spares";
    private static final int MOST_SPARES = 1024;

    /** Returns the mode of a job, by its parameters. */
    public static LossMode of(final Map<String, String> parameters) {
        return valueOf(parameters.getOrDefault(PARAMETER, END.toString()).toUpperCase(Locale.ROOT));
    }

    /** Returns what is wrong with a value of the parameter, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
        for (final LossMode m : values()) {
            if (m.toString().equals(value)) {
                return null;
            }
        }
        return "neither end nor report";
    }

    /** Returns the number of spare ranks of a job, by its parameters; 0 also for a value that is not valid. */
    public static int spares(final Map<String, String> parameters) {
        final String value = parameters.getOrDefault(SPARES_PARAMETER, "0");
        return sparesProblem(value) == null ? Integer.parseInt(value) : 0;
    }

    /** Returns what is wrong with a number of spare ranks, as text; null when it is valid. */
    public static @Nullable String sparesProblem(final String value) {
        return value.matches("[0-9]{1,4}") && Integer.parseInt(value) <= MOST_SPARES ? null : "no number from 0 to " + MOST_SPARES;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
