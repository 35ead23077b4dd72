package tutti.coll;

import org.osgi.annotation.versioning.ProviderType;

/**
 * One rank's part of a collective, written as data: a graph of tasks over symbolic buffers. An algorithm fills it, and does nothing else.
 *
 * <p><b>Tasks.</b> Every method that adds a task returns the task's id, a number from 0. {@code after} names the tasks that must be
 * complete before this one starts; a task without them may start at once, whatever was added before it. Ids only exist once their task
 * was added, so a plan has no cycle.
 *
 * <p><b>Matching.</b> The k-th send that rank a plans to rank b is received by the k-th receive that b plans from a, in the order of
 * planning, whatever the order of execution. Both must have the same length. There are no tags.
 *
 * <p><b>Memory.</b> Nothing orders two tasks but {@code after} (and what it implies). A task that writes a span which another reads or
 * writes must be ordered with it; so a send whose source is overwritten later needs the overwriting task to come after it. A send is
 * complete when its source may be overwritten, a receive when the data is there. Algorithms must not rely on a send being
 * complete before its receive is posted.
 *
 * <p><b>Shared memory.</b> Ranks of one node may do without messages: a rank posts that tasks of its own are complete, the others await
 * that, and read its buffers where they are. A rank's posts happen in the order of planning and are counted from 0 in each plan. What a
 * rank reads of a peer must be ordered like tasks of one rank: after an {@link #await} of a post of the peer that comes after the peer
 * wrote it, and before a post of the reader that the peer awaits before it overwrites it or ends; a rank's buffers are its caller's again
 * when its tasks are done. Of a peer's scratch memory the first byte that its plan reserved has offset 0.
 *
 * <p>A plan is filled by one thread within {@link Algorithm#plan} and must not be kept. Bad arguments (a peer or span out of range,
 * SEND in a call in place, an unknown task) are refused at once with {@link IllegalArgumentException}.
 */
@ProviderType
public interface Plan {

    /** The planning rank in its group, from 0. */
    int rank();

    /** Ranks in the planning rank's group. */
    int size();

    /** Whether the communicator is an intercommunicator; peers are then ranks of the remote group. */
    boolean isInter();

    /** Ranks in the remote group; on an intracommunicator the same as {@link #size()}. */
    int remoteSize();

    /** Reserves scratch memory, apart from all that was reserved before. Its contents are undefined when the schedule starts. */
    BufferRange scratch(long bytes);

    /** Sends {@code data} to {@code peer}. */
    int send(BufferRange data, int peer, int... after);

    /** Receives as many bytes as {@code into} has from {@code peer}. */
    int recv(BufferRange into, int peer, int... after);

    /** Copies {@code from} to {@code into}, of one length, not overlapping. */
    int copy(BufferRange from, BufferRange into, int... after);

    /**
     * Combines element by element: {@code into = from (op) into}, so {@code from} is the operand of the lower ranks.
     *
     * @param reduction the operation; the spans are a multiple of its element size and of one length
     */
    int reduce(Reduction reduction, BufferRange from, BufferRange into, int... after);

    /** Tells the other ranks of this rank's node that {@code after} is complete. Comes after the posts that were added before it. */
    int post(int... after);

    /**
     * Waits for a post of a peer on the same node.
     *
     * @param peer another rank whose node is this rank's, by {@link CollComm#nodeOf}
     * @param post which of the peer's posts, from 0
     */
    int await(int peer, int post, int... after);

    /**
     * Copies straight from a peer's memory.
     *
     * @param peer another rank on the same node
     * @param from in the peer's buffers, as its plan names them
     * @param into in this rank's, of the same length
     */
    int get(int peer, BufferRange from, BufferRange into, int... after);

    /**
     * Combines with what is in a peer's memory: {@code into = from (op) into}.
     *
     * @param peer another rank on the same node
     * @param from in the peer's buffers, as its plan names them
     */
    int reduce(Reduction reduction, int peer, BufferRange from, BufferRange into, int... after);

    /**
     * Runs a collective on a sub-communicator as a part of this one: its tasks, planned by the module that serves it there, join this plan.
     * All ranks of the group must do the same, in the same order.
     *
     * @param group a sub-communicator of the communicator that the plan is for
     * @param call  its arguments; {@link Buffer#SEND} and {@link Buffer#RECV} in its plan stand for {@code send} and {@code recv}
     * @param send  as long as the call reads, or null where it reads nothing
     * @param recv  as long as the call writes, or null where it writes nothing
     * @return a task that is complete when all of them are
     */
    <C extends Call> int nested(CollSubComm group, Operation<C> operation, C call, BufferRange send, BufferRange recv, int... after);

    /** Every task added later comes after every task added before; also a way to name many tasks by one id. */
    int fence();
}
