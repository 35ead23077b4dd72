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

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
