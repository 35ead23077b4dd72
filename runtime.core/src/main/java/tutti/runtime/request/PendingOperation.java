package tutti.runtime.request;

import tutti.runtime.inspect.PendingWait;

/**
 * What a pending operation waits for. Ranks are those of its communicator.
 *
 * @param kind    kind of the operation
 * @param context its context
 * @param peer    the other rank of a message, or {@link PendingWait#ANY}
 * @param tag     the tag of a message, or {@link PendingWait#ANY}
 * @param number  the number of a collective among those of its communicator
 */
public record PendingOperation(PendingWait.Kind kind, long context, int peer, int tag, long number) {
    /** An operation of which no more is known. */
    public static final PendingOperation OTHER = new PendingOperation(PendingWait.Kind.OTHER, -1, PendingWait.ANY, PendingWait.ANY, -1);
}
