package tutti.coll.advanced;

import org.osgi.annotation.versioning.ProviderType;

/**
 * A started task of a plan that a module carries out: what its {@link TaskHandler} gets, and completes. Each start of a schedule makes a new one.
 *
 * <p><b>Threads.</b> All methods may be called on any thread. What the thread that completes the task wrote before is seen by the tasks after it.
 */
@ProviderType
public interface ModuleTask {

    /** Says that the result is written. The first call counts; later ones, and those after {@link #fail} or a cancellation, have no effect. */
    void complete();

    /** Says that the task has failed, so that its result is not valid. Has no effect after {@link #complete} or a cancellation. */
    void fail(Throwable why);

    /** Returns whether the task was cancelled: its result is not needed, and its memory is not to be used any more. */
    boolean isCancelled();
}
