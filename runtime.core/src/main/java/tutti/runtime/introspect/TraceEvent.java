package tutti.runtime.introspect;

/**
 * A task of a collective as it ran on a rank, or the whole call. Times are nanoseconds of the epoch by the clock of the rank's node.
 *
 * @param call    index of the call in {@link RankTrace#calls}
 * @param kind    of the task; null for the whole call
 * @param task    its id in the schedule; -1 for the whole call
 * @param peer    the other rank, in COMM_WORLD; -1 when there is none
 * @param bytes   of data
 * @param context tells communicators apart
 * @param tag     of a message: with the context and both ranks the same for a send and its receive, and for no other of calls made once
 * @param begin   when it started; of a send or a receive, when it was posted
 * @param end     when it was complete; when it never was, until when it is known to have been under way
 * @param ended   whether it was complete: false for what the end of the rank, or an error in its call, left under way
 */
public record TraceEvent(int call, PlannedTask.Kind kind, int task, int peer, long bytes, int context, long tag, long begin, long end,
                         boolean ended) { }
