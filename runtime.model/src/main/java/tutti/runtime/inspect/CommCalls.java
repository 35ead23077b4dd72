package tutti.runtime.inspect;

import java.util.Map;

/**
 * What a rank has begun on a communicator.
 *
 * @param context    the communicator: the same number on all its ranks, and another one for each communicator of a rank
 * @param calls      the number of collectives so far
 * @param creations  the number of steps so far in which its ranks created it or others from it
 * @param persistent how often each prepared collective was started, by its number among the collectives
 */
public record CommCalls(long context, long calls, long creations, Map<Long, Long> persistent) {
    /** Copies the map. */
    public CommCalls {
        persistent = Map.copyOf(persistent);
    }
}
