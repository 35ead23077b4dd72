package tutti.runtime.match;

import tutti.runtime.error.MpiFailure;

/** A step of work for a {@link Serial}, linked into its inbox without allocating. In at most one inbox at a time. */
public abstract class Item {
    Item next;

    /** Takes the step; the calling thread owns {@code at}. */
    protected abstract void run(Serial at);

    /** The step broke with an exception that was not meant to be; {@code why} says so. */
    protected abstract void broke(MpiFailure why);
}
