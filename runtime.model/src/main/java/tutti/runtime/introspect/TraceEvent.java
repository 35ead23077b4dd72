package tutti.runtime.introspect;

import org.jspecify.annotations.Nullable;

/**
 * A task of a collective as it ran on a rank, or the whole call. Times are nanoseconds of the epoch by the clock of the rank's node.
 *
 * @param call    index of the call in {@link RankTrace#calls}
 * @param kind    kind of the task; null for the whole call
 * @param task    id of the task in the schedule; -1 for the whole call
 * @param peer    the other rank, in COMM_WORLD; -1 when there is none
 * @param bytes   bytes of data
 * @param context distinguishes communicators
 * @param tag     of a message: with the context and both ranks, equal for a send and its receive, and different for all other calls made once
 * @param module  of a task that a module carries out: the name of the worker, the work or the device, after the operation of an offloaded collective;
 *                otherwise null
 * @param begin   start time; of a send or a receive, when it was posted
 * @param end     completion time; of an event that did not end, the last time at which it is known to have been pending
 * @param ended   whether it was complete: false where the end of the rank, or an error in its call, left the task pending
 */
public record TraceEvent(int call, PlannedTask.@Nullable Kind kind, int task, int peer, long bytes, int context, long tag, @Nullable String module,
    long begin, long end, boolean ended) {}
