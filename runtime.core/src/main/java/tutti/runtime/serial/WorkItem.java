package tutti.runtime.serial;

import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;

/** An item of work for a {@link SerialExecutor}, linked into its inbox without allocating. An item is in at most one inbox at a time. */
public abstract class WorkItem {
    @Nullable
    WorkItem next;

    /** Runs the item; the calling thread owns {@code at}. */
    protected abstract void run(SerialExecutor at);

    /** Called when the item failed with an unexpected exception, described by {@code why}. */
    protected abstract void onFailure(MpiFailure why);
}
