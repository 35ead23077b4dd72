package tutti.coll.advanced;

import org.osgi.annotation.versioning.ConsumerType;
import tutti.coll.CollInstance;

/**
 * Carries out tasks of plans outside of the runtime: a {@link Worker}, an {@link OpaqueWork} or an {@link OffloadDevice}. A module implements one of
 * these.
 *
 * <p>The plan says which memory the tasks read and write. The handler decides when and where they are carried out. The rank goes on with other tasks
 * meanwhile; tasks after this one start when it is complete.
 *
 * <p><b>Completion.</b> A handler says that a task is complete by {@link ModuleTask#complete}, on any thread. A handler that cannot call back is
 * {@linkplain #isPolled polled}: {@link #poll} looks whether the task is complete, and then says so. A handler that never completes a task makes the
 * call hang, as a message that is never sent does.
 *
 * <p><b>Threads.</b> {@link #start} is called by whichever thread executes the plan, of any rank that the module's instance serves, so it must return
 * at once: it hands the task over. {@link #poll} is never called concurrently for one task. {@link #cancel} is called on any thread. Threads that a
 * handler starts belong to the module, which ends them in {@link CollInstance#dispose} or when its component is deactivated.
 *
 * <p><b>Errors.</b> An exception of {@link #start} or {@link #poll} fails the task, as {@link ModuleTask#fail} does: the call ends with an error on
 * the ranks that the data reaches, and the error names the handler.
 *
 * @param <T> the type of the tasks
 */
@ConsumerType
public interface TaskHandler<T extends ModuleTask> {

    /** Returns the name by which {@code explain}, traces and errors call the handler; by default the simple name of its class. */
    default String name() {
        return getClass().getSimpleName();
    }

    /**
     * Starts a task and returns without waiting for it. The tasks before it are complete.
     *
     * @param task the task; it has its memory until it is complete
     * @throws Exception if the task cannot be started
     */
    void start(T task) throws Exception;

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
    default void poll(final T task) throws Exception {}

    /**
     * Stops a task whose result nobody needs any more, because its job has ended or its call has failed. The handler must soon stop to read and write
     * the task's memory. Completing the task has no effect any more.
     */
    default void cancel(final T task) {}
}
