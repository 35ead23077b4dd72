package tutti.runtime.model;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether a job measures algorithms on its own calls and keeps the fastest. Set by the job's parameter {@code coll.tune}. */
public enum TuneMode {
    /** Each call is served by the algorithm that was selected. This is the default. */
    OFF,
    /** Frequent calls try the algorithms that could serve them, and the fastest serves the later ones. */
    ONLINE;

    /** The name of the parameter. */
    public static final String PARAMETER = "coll.tune";

    /** Returns the mode of a job, by its parameters. */
    public static TuneMode of(final Map<String, String> parameters) {
        return valueOf(parameters.getOrDefault(PARAMETER, OFF.toString()).toUpperCase(Locale.ROOT));
    }

    /** Returns what is wrong with a value of the parameter, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
        for (final TuneMode m : values()) {
            if (m.toString().equals(value)) {
                return null;
            }
        }
        return "none of off, online";
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
