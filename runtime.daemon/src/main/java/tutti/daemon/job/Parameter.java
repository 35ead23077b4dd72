package tutti.daemon.job;

import org.jspecify.annotations.Nullable;

/**
 * Parameter that a job may set.
 *
 * @param name  dotted name, for example {@code coll.ring.segment}
 * @param value value when the job does not set it; null when it then has no value
 * @param check check of a value
 */
public record Parameter(String name, @Nullable String value, Check check) {

    /** Check of a value. */
    @FunctionalInterface
    public interface Check {
        /** Returns what is wrong with a value, as text; null when it is valid. */
        @Nullable
        String problem(String value);
    }
}
