package tutti.runtime.inspect;

import java.util.List;

/**
 * What a rank waits for in MPI.
 *
 * @param kind         what kind of operation is pending
 * @param context      the communicator, as {@link CommCalls} names it
 * @param communicator its name
 * @param peer         of a message, the other rank in COMM_WORLD; {@link #ANY} for any, {@link #ELSEWHERE} for a rank of another job
 * @param tag          of a message, the tag; {@link #ANY} for any
 * @param number       of a collective, its number among those of the communicator, from 0
 * @param members      of a collective, or a receive from any rank, the other ranks of the communicator; empty for all ranks of the job
 */
public record PendingWait(Kind kind, long context, String communicator, int peer, int tag, long number, List<Integer> members) {
    /** Any rank or tag. */
    public static final int ANY = -1;
    /** A rank of another job. */
    public static final int ELSEWHERE = -2;

    /** The kinds of operations. */
    public enum Kind {
        /** A message to receive. */
        RECEIVE,
        /** A message to send, which nobody has received. */
        SEND,
        /** A message to be found. */
        PROBE,
        /** A collective. */
        COLLECTIVE,
        /** All ranks in Finalize. */
        FINALIZE,
        /** Another operation. */
        OTHER;

        /** Returns whether it waits for all ranks of a communicator. */
        public boolean isOfAll() {
            return this == COLLECTIVE || this == FINALIZE;
        }
    }

    /** Copies the list. */
    public PendingWait {
        members = List.copyOf(members);
    }
}
