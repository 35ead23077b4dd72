package tutti.runtime.match;

import tutti.runtime.error.MpiFailure;

/** A step of work for a {@link SerialExecutor}, linked into its inbox without allocating. In at most one inbox at a time. */
public abstract class WorkItem {
    WorkItem next;

    /** Takes the step; the calling thread owns {@code at}. */
    protected abstract void run(SerialExecutor at);

    /** The step broke with an exception that was not meant to be; {@code why} says so. */
    protected abstract void broke(MpiFailure why);
}
