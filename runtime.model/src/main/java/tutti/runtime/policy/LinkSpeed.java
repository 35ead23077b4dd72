package tutti.runtime.policy;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The class of the links between the nodes of a job: how fast they are, compared with the memory of the nodes. Fixed when the job starts, by the
 * job's parameter {@code coll.link}, or else by what the nodes have measured.
 */
public enum LinkSpeed {
    /** Messages between nodes cost about what copies in memory do: nodes on one machine, or on links of 10 Gbit/s and more. */
    FAST,
    /** The time of long messages is that of the links: at most {@link #SLOW_BELOW} bytes a second. */
    SLOW;

    /** The name of the parameter. */
    public static final String PARAMETER = "coll.link";
    /** Bytes a second, each way, below which a link is slow. */
    public static final long SLOW_BELOW = 500_000_000;

    /** Returns the class of a job's links, by its parameters. */
    public static LinkSpeed of(final Map<String, String> parameters) {
        return valueOf(parameters.getOrDefault(PARAMETER, FAST.toString()).toUpperCase(Locale.ROOT));
    }

    /** Returns the class of links that carry so many bytes a second each way. */
    public static LinkSpeed ofRate(final long bytesPerSecond) {
        return bytesPerSecond < SLOW_BELOW ? SLOW : FAST;
    }

    /** Returns what is wrong with a value of the parameter, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
        return value.equals(FAST.toString()) || value.equals(SLOW.toString()) ? null : "neither fast nor slow";
    }

    /** Returns the slower of two classes. */
    public LinkSpeed slower(final LinkSpeed other) {
        return compareTo(other) < 0 ? other : this;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
