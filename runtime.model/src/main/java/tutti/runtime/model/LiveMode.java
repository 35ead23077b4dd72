package tutti.runtime.model;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether a job changes its modules while it runs. Set by the job's parameter {@code coll.live}. */
public enum LiveMode {
    /** The job keeps the modules with which it began. */
    OFF,
    /** The job leaves a module that was put in quarantine, and goes on with the next one. This is the default. */
    QUARANTINE,
    /** The job also takes modules that are installed, updated or rolled back for running jobs. */
    FOLLOW;

    /** The name of the parameter. */
    public static final String PARAMETER = "coll.live";

    /** Returns the mode of a job, by its parameters. */
    public static LiveMode of(final Map<String, String> parameters) {
        return valueOf(parameters.getOrDefault(PARAMETER, QUARANTINE.toString()).toUpperCase(Locale.ROOT));
    }

    /** Returns what is wrong with a value of the parameter, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
        for (final LiveMode m : values()) {
            if (m.toString().equals(value)) {
                return null;
            }
        }
        return "none of off, quarantine, follow";
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
