package tutti.coll;

import org.osgi.annotation.versioning.ProviderType;

/**
 * One rank's part of a collective, written as data: a directed acyclic graph of tasks over symbolic buffers. An algorithm adds the tasks;
 * the runtime freezes the plan to a schedule and executes that.
 *
 * <p><b>Order.</b> The memory that tasks read and write orders them. A task that reads a range starts when all earlier tasks that write a part of
 * it are complete. A task that writes a range starts when all earlier tasks that read or write a part of it are complete. Earlier tasks are those
 * that the algorithm added before. Tasks that share no memory, or only read it, may run in any order and at the same time. A loop that reads like a
 * sequential program is therefore a correct plan, and a parallel one.
 *
 * <p>Parameter {@code after} is for what memory does not show: empty messages, a limit of the messages in progress, and tasks of an
 * {@link tutti.coll.advanced.AdvancedPlan}. It names tasks that must be complete before the new task starts. Only tasks that were added before can be
 * named, so a plan has no cycle.
 *
 * <p><b>Matching.</b> The k-th send that rank a plans to rank b matches the k-th receive that b plans from a. The order of planning counts,
 * not the order of execution. Both must have the same length. There are no tags.
 *
 * <p><b>Completion.</b> A send is complete when its source may be overwritten, a receive when its data has arrived. An algorithm must not rely on a
 * send being complete before the matching receive is posted.
 *
 * <p><b>Units.</b> All offsets and lengths are in bytes of packed data.
 *
 * <p><b>Threads.</b> A plan is filled by one thread within {@link Algorithm#plan}, and must not be kept.
 *
 * <p><b>Errors.</b> Methods check their arguments at once and throw {@link IllegalArgumentException}: for a peer or range out of bounds, for
 * {@link Buffer#SEND} as a target or in a call in place, for a range of several reservations of scratch memory, for ranges of different length,
 * for {@link Buffer#SHARED} in a message, for a task of another plan. An empty range is checked like others.
 */
@ProviderType
public interface Plan {
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
     * Adds a task that sends a message.
     *
     * @param data  the bytes to send
     * @param peer  the receiver
     * @param after tasks that must be complete first, besides those that the memory shows
     * @return the task
     */
    Task send(BufferRange data, int peer, Task... after);

    /**
     * Adds a task that receives a message of exactly the length of {@code into}.
     *
     * @param into  where to put the message
     * @param peer  the sender
     * @param after tasks that must be complete first, besides those that the memory shows
     * @return the task
     */
    Task recv(BufferRange into, int peer, Task... after);

    /**
     * Adds a task that copies data between buffers of this rank.
     *
     * @param from  the source
     * @param into  the target, of the same length; must not overlap the source
     * @param after tasks that must be complete first, besides those that the memory shows
     * @return the task
     */
    Task copy(BufferRange from, BufferRange into, Task... after);

    /**
     * Adds a task that combines two ranges element by element: {@code into = from (op) into}. {@code from} is the left operand, that of the
     * lower ranks.
     *
     * @param reduction the operation; the length of the ranges must be a multiple of its element size
     * @param from      the left operand, which is only read
     * @param into      the right operand, of the same length, which is replaced by the result; must not overlap {@code from}
     * @param after     tasks that must be complete first, besides those that the memory shows
     * @return the task
     */
    Task reduce(Reduction reduction, BufferRange from, BufferRange into, Task... after);

    /**
     * Adds a barrier between tasks: every task added later comes after every task added before. The result also serves as one name for all tasks
     * so far.
     *
     * @return the task
     */
    Task fence();
}
