package tutti.cli.tune;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parameter of an algorithm whose values are measured.
 *
 * @param algorithm  algorithm, {@code MODULE/ALGORITHM}
 * @param parameter  name of the parameter
 * @param value      value of the job; null for none
 * @param limit      {@code ranks} or {@code bytes} when values above that number have no further effect, else {@code none}
 * @param candidates values to measure besides that of the job
 */
public record TunableParameter(String algorithm, String parameter, @Nullable String value, String limit, List<Long> candidates) {
    /** Copies the list. */
    public TunableParameter {
        candidates = List.copyOf(candidates);
    }

    /** Returns the number that has the same effect as a value for a call. */
    long effective(final long candidate, final int ranks, final long bytes) {
        return Math.min(candidate, switch (limit) {
            case "ranks" -> ranks;
            case "bytes" -> bytes;
            default -> Long.MAX_VALUE;
        });
    }
}
