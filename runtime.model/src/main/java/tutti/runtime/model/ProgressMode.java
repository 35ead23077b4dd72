package tutti.runtime.model;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The way in which a rank's thread waits for messages and other ranks. Set by the job's parameter {@code progress}. */
public enum ProgressMode {
    /** Spins, and polls the links to other nodes, until the wait is over. For ranks that have a core each. */
    SPIN,
    /** Spins for a short time while the machine has idle cores, then yields a few times, then parks. This is the default. */
    ADAPTIVE,
    /** Parks at once. For ranks that shall leave the cores to others; every message then costs a wake-up. */
    PARK;

    /** The name of the parameter. */
    public static final String PARAMETER = "progress";

    /** Returns the mode of a job, by its parameters. */
    public static ProgressMode of(final Map<String, String> parameters) {
        return valueOf(parameters.getOrDefault(PARAMETER, ADAPTIVE.toString()).toUpperCase(Locale.ROOT));
    }

    /** Returns what is wrong with a value of the parameter, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
        for (final ProgressMode m : values()) {
            if (m.toString().equals(value)) {
                return null;
            }
        }
        return "none of spin, adaptive, park";
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
