package tutti.runtime.checkpoint.store;

import org.jspecify.annotations.Nullable;

/**
 * Result of one checkpoint of a job: its size and duration, or why it failed.
 *
 * @param number  number of the checkpoint
 * @param point   number of the point in the program
 * @param bytes   bytes of the states of all ranks
 * @param nanos   how long rank 0 was occupied with it, in nanoseconds
 * @param problem why there is no such checkpoint; null if there is one
 */
public record CheckpointReport(int number, long point, long bytes, long nanos, @Nullable String problem) {
}
