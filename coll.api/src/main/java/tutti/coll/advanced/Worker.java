package tutti.coll.advanced;

import org.osgi.annotation.versioning.ConsumerType;
import tutti.coll.BufferRange;
import tutti.coll.CollInstance;
import tutti.coll.Reduction;

/**
 * Carries out tasks of plans elsewhere: on threads of a module, on a device, or by a library. A module implements it.
 *
 * <p>{@link AdvancedPlan#copy(Worker, BufferRange, BufferRange, tutti.coll.Task...)} and {@link AdvancedPlan#reduce(Worker, Reduction,
 * BufferRange, BufferRange, tutti.coll.Task...)} say what such a task reads and writes, and what it computes. So a plan with it is proved, cached,
 * explained and traced as any other. The worker decides when and where it is computed. The rank goes on with other tasks meanwhile; tasks after this
 * one start when it is complete.
 *
 * <p><b>Completion.</b> A worker says that a task is complete by {@link WorkerTask#complete}, on any thread. A worker that cannot call back is
 * {@linkplain #isPolled polled}: {@link #poll} looks whether the task is complete, and then says so. A worker that never completes a task makes the
 * call hang, as a message that is never sent does.
 *
 * <p><b>Threads.</b> {@link #start} is called by whichever thread executes the plan, of any rank that the module's instance serves, so it must return
 * at once: it hands the task over. {@link #poll} is never called concurrently for one task. {@link #cancel} is called on any thread. Threads that a
 * worker starts belong to the module, which ends them in {@link CollInstance#dispose} or when its component is deactivated.
 *
 * <p><b>Errors.</b> An exception of {@link #start} or {@link #poll} fails the task, as {@link WorkerTask#fail} does: the call ends with an error on
 * the ranks that the data reaches, and the error names the worker.
 */
@ConsumerType
public interface Worker {

    /** Returns the name by which {@code explain}, traces and errors call the worker; by default the simple name of its class. */
    default String name() {
        return getClass().getSimpleName();
    }

    /**
     * Starts a task and returns without waiting for it. The tasks before it are complete.
     *
     * @param task the task; it has its memory until it is complete
     * @throws Exception if the task cannot be started
     */
    void start(WorkerTask task) throws Exception;

    /** Returns whether {@link #poll} is to be called for tasks that were started; by default false. Asked once per start. */
    default boolean isPolled() {
        return false;
    }

    /**
     * Looks whether a task is complete, without waiting, and completes it if so. Called again and again while the task is in progress, at intervals
     * that grow to a millisecond.
     *
     * @throws Exception if the task has failed
     */
    default void poll(final WorkerTask task) throws Exception {}

    /**
     * Stops a task whose result nobody needs any more, because its job has ended or its call has failed. The worker must soon stop to read and write
     * the task's memory. Completing the task has no effect any more.
     */
    default void cancel(final WorkerTask task) {}
}
