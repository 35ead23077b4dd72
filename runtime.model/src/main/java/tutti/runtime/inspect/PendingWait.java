package tutti.runtime.inspect;

import java.util.List;

/**
 * An operation of MPI that a rank waits for, or a lock that it is blocked on.
 *
 * @param kind         what kind of operation is pending
 * @param context      the communicator, as {@link CommCalls} names it
 * @param communicator its name, empty if it is not known; of a lock, the lock
 * @param peer         of a message, the other rank in COMM_WORLD, of a lock, the rank that holds it; {@link #ANY} for any, {@link #ELSEWHERE} for a
 *                     rank of another job, {@link #UNKNOWN} for a thread of no rank
 * @param tag          of a message, the tag; {@link #ANY} for any; of a collective that was prepared, the number of earlier starts
 * @param number       of an operation of all ranks, its number among those of its kind on the communicator, from 0
 * @param members      of an operation of all ranks, or a receive from any rank, the ranks that it needs, this one perhaps among them; empty for
 *                     all ranks of the job
 */
public record PendingWait(Kind kind, long context, String communicator, int peer, int tag, long number, List<Integer> members) {
    /** Any rank or tag. */
    public static final int ANY = -1;
    /** A rank of another job. */
    public static final int ELSEWHERE = -2;
    /** A rank of a communicator that was freed. */
    public static final int UNKNOWN = -3;

    /** Which of the ranks that are waited for must be able to go on, so that the wait may end. */
    public enum Need {
        /** One of them. */
        ONE,
        /** All of them. */
        ALL,
        /** None: the wait may end without a rank of the job. */
        NONE
    }

    /** The kinds of waits: each that the runtime has is one of them. */
    public enum Kind {
        /** A message to receive. */
        RECEIVE(Need.ONE),
        /** A message to send, which nobody has received. */
        SEND(Need.ALL),
        /** A message to be found. */
        PROBE(Need.ONE),
        /** The data of a message that was matched. */
        TRANSFER(Need.NONE),
        /** A collective. */
        COLLECTIVE(Need.ALL),
        /** A collective that was prepared, and started by this rank. */
        PERSISTENT(Need.ALL),
        /** A step in which all ranks create a communicator, or select its modules. */
        CREATION(Need.ALL),
        /** A step in which the ranks of a group create a communicator; its number is the tag. */
        GROUP_CREATION(Need.ALL),
        /** A message of the leader of the other group, to create an intercommunicator. */
        LEADER(Need.ONE),
        /** A message of a module during its init. */
        MODULE(Need.NONE),
        /** Modules of a communicator that is being created. */
        SELECTION(Need.NONE),
        /** An agreement of the ranks that live. */
        AGREEMENT(Need.NONE),
        /** All ranks in Finalize. */
        FINALIZE(Need.ALL),
        /** A step in which all ranks save their states. */
        CHECKPOINT(Need.ALL),
        /** The decision at which point ranks save their states. */
        POINT(Need.NONE),
        /** The messages that are pending on a communicator that is being disconnected. */
        DISCONNECT(Need.ONE),
        /** Other operations that are pending on such a communicator. */
        RELEASE(Need.NONE),
        /** The messages in an attached buffer. */
        BUFFER(Need.ONE),
        /** A generalized request. */
        GENERALIZED(Need.NONE),
        /** A job that connects to a port. */
        ACCEPT(Need.NONE),
        /** A job that accepts at a port. */
        CONNECT(Need.NONE),
        /** What the root of a job answers to which this one is being connected. */
        ANSWER(Need.NONE),
        /** Spawned processes that call Init. */
        SPAWN(Need.NONE),
        /** The nodes, to publish or to look up a name. */
        NAME(Need.NONE),
        /** Accesses to the memory of a window. */
        WINDOW(Need.NONE),
        /** A lock on the memory of a rank in a window: the ranks that hold it must go on, which the {@link WindowState} of that rank has. */
        WINDOW_LOCK(Need.ALL),
        /** An access to a file. */
        FILE(Need.NONE),
        /** A monitor, or another lock. */
        LOCK(Need.ALL);

        private final Need need;

        Kind(final Need need) {
            this.need = need;
        }

        /** Returns which of the ranks must be able to go on. */
        public Need need() {
            return need;
        }

        /** Returns whether all ranks of a communicator, or a group, take part in the operation. */
        public boolean isOfAll() {
            return switch (this) {
                case COLLECTIVE, PERSISTENT, CREATION, GROUP_CREATION, FINALIZE, CHECKPOINT -> true;
                default -> false;
            };
        }

        /** Returns whether it waits for another job. */
        public boolean isOfOtherJob() {
            return switch (this) {
                case ACCEPT, CONNECT, ANSWER, SPAWN -> true;
                default -> false;
            };
        }
    }

    /** Copies the list. */
    public PendingWait {
        members = List.copyOf(members);
    }
}
