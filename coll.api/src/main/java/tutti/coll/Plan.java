package tutti.coll;

import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ProviderType;

/**
 * One rank's part of a collective, written as data: a directed acyclic graph of tasks over symbolic buffers. An algorithm adds the tasks;
 * the runtime freezes the plan to a schedule and executes that.
 *
 * <p><b>Tasks.</b> Every method that adds a task returns the task's id, a number from 0. Parameter {@code after} names the tasks that must
 * be complete before the new task starts. A task without dependencies may start at once, no matter which tasks were added before it. An id
 * exists only after its task was added, so a plan has no cycle.
 *
 * <p><b>Matching.</b> The k-th send that rank a plans to rank b matches the k-th receive that b plans from a. The order of planning counts,
 * not the order of execution. Both must have the same length. There are no tags.
 *
 * <p><b>Memory.</b> Only {@code after} orders two tasks, directly or through other tasks. A task that writes a range must be ordered with
 * every other task that reads or writes a part of it. In particular, a task that overwrites the source of a send must come after the send.
 * A send is complete when its source may be overwritten, a receive when its data has arrived. An algorithm must not rely on a send being
 * complete before the matching receive is posted.
 *
 * <p><b>Shared memory.</b> Ranks of one node can exchange data without messages. A rank posts that some of its tasks are complete; another
 * rank awaits the post, and then reads the first rank's buffers in place. The posts of a rank take effect in the order of planning; they are
 * numbered from 0 in each plan. An access to a peer's memory must be ordered as if its tasks were the reader's own:
 * <ul>
 * <li>it comes after an {@link #await} of a post that the peer makes after it wrote the data, and
 * <li>it comes before a post of the reader that the peer awaits before it overwrites the data or ends its plan. When all tasks of a rank are
 *     complete, its buffers belong to its caller again.
 * </ul>
 * In a peer's scratch memory, offset 0 is the first byte that the peer's plan reserved.
 *
 * <p>Short data need not keep its owner waiting. Memory of {@link Buffer#SHARED}, which the owner {@linkplain #shared reserves}, may be read after
 * the owner's tasks are complete; a read must only come before a task that overwrites the data. Only local tasks use such memory: copies, reductions
 * and reads of a peer's memory, not messages and nested collectives.
 *
 * <p><b>Workers.</b> A copy or a reduction can be carried out elsewhere, by a {@link Worker} of the module. The plan says what the task reads, writes
 * and
 * computes, as for any other task; the worker says when it is complete. A function of the program is always called by a thread of its own rank: the
 * runtime then carries the task out itself.
 *
 * <p><b>Units.</b> All offsets and lengths are in bytes of packed data.
 *
 * <p><b>Threads.</b> A plan is filled by one thread within {@link Algorithm#plan}, and must not be kept.
 *
 * <p><b>Errors.</b> Methods check their arguments at once and throw {@link IllegalArgumentException}: for a peer or range out of bounds, for
 * {@link Buffer#SEND} as a target or in a call in place, for a range of several reservations of scratch memory, for ranges of different length,
 * for {@link Buffer#SHARED} in a message or a nested collective, for an unknown task. An empty range is checked like others.
 */
@ProviderType
public interface Plan {
    /** The largest sum of a plan's reservations of shared memory in bytes. A nested collective is a plan of its own. */
    int MAX_SHARED = 4096;

    /** Returns the planning rank's number in its group, from 0. */
    int rank();

    /** Returns the number of ranks in the planning rank's group. */
    int size();

    /** Returns whether the communicator is an intercommunicator. Peers are then ranks of the remote group. */
    boolean isInter();

    /** Returns the number of ranks in the remote group; on an intracommunicator the same as {@link #size()}. */
    int remoteSize();

    /**
     * Reserves scratch memory that is disjoint from all scratch memory reserved before. Its contents are undefined when the schedule starts.
     *
     * @param bytes length, 0 or more
     * @return the reserved range of {@link Buffer#SCRATCH}
     */
    BufferRange scratch(long bytes);

    /**
     * Reserves memory that other ranks of the node may read after this rank's tasks are complete. Its contents are undefined when the schedule
     * starts. Tasks that write it start when the ranks that read the same memory in an earlier call have done so. That is seldom to be waited for:
     * there is memory for many calls. In a peer's shared memory, offset 0 is the first byte that the peer's plan reserved. Not available on
     * intercommunicators.
     *
     * @param bytes   length, 0 or more; the sum of all reservations of the plan is at most {@link #MAX_SHARED}
     * @param readers the ranks that read shared memory of this rank's plan, all of them on this rank's node
     * @return the reserved range of {@link Buffer#SHARED}
     */
    BufferRange shared(long bytes, int... readers);

    /**
     * Adds a task that sends a message.
     *
     * @param data  the bytes to send
     * @param peer  the receiver
     * @param after tasks that must be complete first
     * @return the task's id
     */
    int send(BufferRange data, int peer, int... after);

    /**
     * Adds a task that receives a message of exactly the length of {@code into}.
     *
     * @param into  where to put the message
     * @param peer  the sender
     * @param after tasks that must be complete first
     * @return the task's id
     */
    int recv(BufferRange into, int peer, int... after);

    /**
     * Adds a task that copies data between buffers of this rank.
     *
     * @param from  the source
     * @param into  the target, of the same length; must not overlap the source
     * @param after tasks that must be complete first
     * @return the task's id
     */
    int copy(BufferRange from, BufferRange into, int... after);

    /**
     * Adds a task that combines two ranges element by element: {@code into = from (op) into}. {@code from} is the left operand, that of the
     * lower ranks.
     *
     * @param reduction the operation; the length of the ranges must be a multiple of its element size
     * @param from      the left operand, which is only read
     * @param into      the right operand, of the same length, which is replaced by the result; must not overlap {@code from}
     * @param after     tasks that must be complete first
     * @return the task's id
     */
    int reduce(Reduction reduction, BufferRange from, BufferRange into, int... after);

    /**
     * Adds a task that copies data between buffers of this rank, carried out by a worker.
     *
     * @param worker carries out the task
     * @param from   the source
     * @param into   the target, of the same length; must not overlap the source
     * @param after  tasks that must be complete first
     * @return the task's id
     */
    int copy(Worker worker, BufferRange from, BufferRange into, int... after);

    /**
     * Adds a task that combines two ranges element by element, {@code into = from (op) into}, carried out by a worker.
     *
     * @param worker    carries out the task
     * @param reduction the operation; the length of the ranges must be a multiple of its element size
     * @param from      the left operand, which is only read
     * @param into      the right operand, of the same length, which is replaced by the result; must not overlap {@code from}
     * @param after     tasks that must be complete first
     * @return the task's id
     */
    int reduce(Worker worker, Reduction reduction, BufferRange from, BufferRange into, int... after);

    /**
     * Adds a task that notifies the other ranks on this rank's node that the tasks {@code after} are complete. It also comes after all posts
     * that were added before it. Not available on intercommunicators.
     *
     * @param after tasks that must be complete first
     * @return the task's id
     */
    int post(int... after);

    /**
     * Adds a task that waits for a post of a peer on the same node. Not available on intercommunicators.
     *
     * @param peer  another rank on this rank's node, by {@link CollComm#nodeOf}
     * @param post  number of the post in the peer's plan, from 0
     * @param after tasks that must be complete first
     * @return the task's id
     */
    int await(int peer, int post, int... after);

    /**
     * Adds a task that copies data from a peer's memory. Not available on intercommunicators.
     *
     * @param peer  another rank on this rank's node
     * @param from  the source, in the peer's buffers as the peer's plan names them
     * @param into  the target in this rank's buffers, of the same length
     * @param after tasks that must be complete first
     * @return the task's id
     */
    int get(int peer, BufferRange from, BufferRange into, int... after);

    /**
     * Adds a task that combines data in a peer's memory with data of this rank: {@code into = from (op) into}. Not available on
     * intercommunicators.
     *
     * @param reduction the operation; the length of the ranges must be a multiple of its element size
     * @param peer      another rank on this rank's node
     * @param from      the left operand, in the peer's buffers as the peer's plan names them
     * @param into      the right operand in this rank's buffers, of the same length, which is replaced by the result
     * @param after     tasks that must be complete first
     * @return the task's id
     */
    int reduce(Reduction reduction, int peer, BufferRange from, BufferRange into, int... after);

    /**
     * Adds a collective on a sub-communicator as a part of this plan. The module that was selected there plans it, and its tasks become tasks
     * of this plan. All ranks of the sub-communicator must nest the same collectives in the same order.
     *
     * @param group     a sub-communicator of the communicator for which this plan is made
     * @param operation the operation to nest
     * @param call      its arguments; {@link Buffer#SEND} and {@link Buffer#RECV} of the nested plan stand for {@code send} and {@code recv}
     * @param send      the send buffer, of length {@link Call#sendBytes(int)}; null if that is 0
     * @param recv      the receive buffer, of length {@link Call#recvBytes(int)}; null if that is 0
     * @param after     tasks that must be complete before any task of the nested collective starts
     * @return the id of a task that is complete when all tasks of the nested collective are
     */
    <C extends Call> int nested(CollSubComm group, Operation<C> operation, C call, @Nullable BufferRange send, @Nullable BufferRange recv,
        int... after);

    /**
     * Adds a barrier between tasks: every task added later comes after every task added before. The id also serves as one name for all tasks
     * so far.
     *
     * @return the task's id
     */
    int fence();
}
