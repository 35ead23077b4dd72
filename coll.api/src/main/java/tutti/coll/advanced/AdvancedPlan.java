package tutti.coll.advanced;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ProviderType;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.Task;

/**
 * A plan with memory that ranks of a node share, collectives on sub-communicators, and tasks that a module carries out. Every plan of the runtime is
 * one: {@link #of}.
 *
 * <p><b>Shared memory.</b> Ranks of one node can exchange data without messages. A rank posts that some of its tasks are complete; another
 * rank awaits the post, and then reads the first rank's buffers in place. The posts of a rank take effect in the order of planning; they are
 * numbered from 0 in each plan. The memory of a rank's own buffers orders its own tasks only, so posts and awaits must be named in {@code after}.
 * An access to a peer's memory must be ordered as if its tasks were the reader's own:
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
 * and computes, as for any other task; the worker says when it is complete. A function of the program is always called by a thread of its own rank:
 * the runtime then carries the task out itself.
 *
 * <p><b>Opaque tasks.</b> Other {@linkplain #opaque work} of the module names the memory that it reads and writes, and nothing else. It may observe
 * what the plan moves. A plan whose results depend on what it writes cannot be proved.
 *
 * <p><b>Offloaded collectives.</b> An {@link OffloadDevice} of the module can carry out a {@linkplain #offloaded collective} of the ranks, or a part
 * of one. The plan states the operation and its arguments, as for a nested collective.
 *
 * <p>Order, units, threads and errors are those of {@link Plan}.
 */
@ProviderType
public interface AdvancedPlan extends Plan {
    /** The largest sum of a plan's reservations of shared memory in bytes. A nested collective is a plan of its own. */
    int MAX_SHARED = 4096;

    /**
     * Returns a plan of the runtime as what it is.
     *
     * @throws IllegalArgumentException if it is no plan of the runtime or the contract tests
     */
    static AdvancedPlan of(final Plan plan) {
        if (plan instanceof final AdvancedPlan advanced) {
            return advanced;
        }
        throw new IllegalArgumentException("not a plan of the runtime: type=" + plan.getClass().getName());
    }

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
     * Adds a task that notifies the other ranks on this rank's node that the tasks {@code after} are complete. It also comes after all posts
     * that were added before it. Not available on intercommunicators.
     *
     * @param after tasks that must be complete first
     * @return the task
     */
    Task post(Task... after);

    /** Adds a task as {@link #post(Task...)} does, after tasks of a collection. */
    default Task post(final Collection<Task> after) {
        return post(after.toArray(Task[]::new));
    }

    /**
     * Adds a task that waits for a post of a peer on the same node. Not available on intercommunicators.
     *
     * @param peer  another rank on this rank's node, by {@link tutti.coll.CollComm#nodeOf}
     * @param post  number of the post in the peer's plan, from 0
     * @param after tasks that must be complete first
     * @return the task
     */
    Task await(int peer, int post, Task... after);

    /**
     * Adds a task that copies data from a peer's memory. Not available on intercommunicators.
     *
     * @param peer  another rank on this rank's node
     * @param from  the source, in the peer's buffers as the peer's plan names them
     * @param into  the target in this rank's buffers, of the same length
     * @param after tasks that must be complete first, besides those that the memory of {@code into} shows
     * @return the task
     */
    Task get(int peer, BufferRange from, BufferRange into, Task... after);

    /**
     * Adds a task that combines data in a peer's memory with data of this rank: {@code into = from (op) into}. Not available on
     * intercommunicators.
     *
     * @param reduction the operation; the length of the ranges must be a multiple of its element size
     * @param peer      another rank on this rank's node
     * @param from      the left operand, in the peer's buffers as the peer's plan names them
     * @param into      the right operand in this rank's buffers, of the same length, which is replaced by the result
     * @param after     tasks that must be complete first, besides those that the memory of {@code into} shows
     * @return the task
     */
    Task reduce(Reduction reduction, int peer, BufferRange from, BufferRange into, Task... after);

    /**
     * Adds a collective on a sub-communicator as a part of this plan. The module that was selected there plans it, and its tasks become tasks
     * of this plan. All ranks of the sub-communicator must nest the same collectives in the same order. The whole is ordered as one task that
     * reads {@code send} and writes {@code recv}, which the root of a bcast only reads.
     *
     * @param group     a sub-communicator of the communicator for which this plan is made
     * @param operation the operation to nest
     * @param call      its arguments; {@link Buffer#SEND} and {@link Buffer#RECV} of the nested plan stand for {@code send} and {@code recv}
     * @param send      the send buffer, of length {@link Call#sendBytes(int)}; null if that is 0
     * @param recv      the receive buffer, of length {@link Call#recvBytes(int)}; null if that is 0; must not overlap {@code send}
     * @param after     tasks that must be complete before any task of the nested collective starts, besides those that the memory shows
     * @return a task that is complete when all tasks of the nested collective are
     */
    <C extends Call> Task nested(CollSubComm group, Operation<C> operation, C call, @Nullable BufferRange send, @Nullable BufferRange recv,
        Task... after);

    /**
     * Adds a task that copies data between buffers of this rank, carried out by a worker.
     *
     * @param worker carries out the task
     * @param from   the source
     * @param into   the target, of the same length; must not overlap the source
     * @param after  tasks that must be complete first, besides those that the memory shows
     * @return the task
     */
    Task copy(Worker worker, BufferRange from, BufferRange into, Task... after);

    /**
     * Adds a task that combines two ranges element by element, {@code into = from (op) into}, carried out by a worker.
     *
     * @param worker    carries out the task
     * @param reduction the operation; the length of the ranges must be a multiple of its element size
     * @param from      the left operand, which is only read
     * @param into      the right operand, of the same length, which is replaced by the result; must not overlap {@code from}
     * @param after     tasks that must be complete first, besides those that the memory shows
     * @return the task
     */
    Task reduce(Worker worker, Reduction reduction, BufferRange from, BufferRange into, Task... after);

    /**
     * Adds a task whose meaning the plan does not state, carried out by work of the module. It is ordered by all ranges that it reads and writes. All
     * of them must be of buffers other than {@link Buffer#SHARED}.
     *
     * @param work   carries out the task
     * @param reads  the ranges that it reads
     * @param writes the ranges that it writes; must overlap neither each other nor ranges that it reads
     * @param after  tasks that must be complete first, besides those that the memory shows
     * @return the task
     */
    Task opaque(OpaqueWork work, List<BufferRange> reads, List<BufferRange> writes, Task... after);

    /**
     * Adds this rank's part of a collective that a device carries out among all ranks of the communicator. All of them must add the same offloaded
     * collectives in the same order; in a {@linkplain #nested nested} collective these are the ranks of the sub-communicator. The task is ordered as
     * one that reads {@code send} and writes {@code recv}, which the root of a bcast only reads. Not available on intercommunicators, and not for
     * neighbourhood collectives.
     *
     * <p>A device carries out no operation of the program: the method refuses one, so an algorithm looks at {@link Reduction#operation} and plans
     * other tasks instead. All ranks find the same there.
     *
     * @param device    carries out the collective
     * @param operation the operation
     * @param call      its arguments; {@link Buffer#SEND} and {@link Buffer#RECV} of the call stand for {@code send} and {@code recv}
     * @param send      the send buffer, of length {@link Call#sendBytes(int)}; null if that is 0
     * @param recv      the receive buffer, of length {@link Call#recvBytes(int)}; null if that is 0; must not overlap {@code send}
     * @param after     tasks that must be complete first, besides those that the memory shows
     * @return the task
     */
    <C extends Call> Task offloaded(OffloadDevice device, Operation<C> operation, C call, @Nullable BufferRange send, @Nullable BufferRange recv,
        Task... after);
}
