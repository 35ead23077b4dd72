package tutti.runtime.match;

import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * Work item that drops the unexpected messages of a range of context ids, and can then wait until no posted receive of these contexts is left.
 * The sends of dropped messages complete.
 */
public final class ContextPurge extends WorkItem {
    /** Callback of a purge that does not wait for receives. */
    private static final Runnable NONE = () -> {};

    final long from;
    final long to;
    @Nullable
    ContextPurge following;
    /** Number of posted receives that it waits for. */
    int posted;
    private final Runnable whenDrained;

    /** Creates a purge of contexts {@code from} (inclusive) to {@code to} (exclusive) that does not wait for receives. */
    public ContextPurge(final long from, final long to) {
        this(from, to, NONE);
    }

    /**
     * Creates a purge of contexts {@code from} (inclusive) to {@code to} (exclusive).
     *
     * @param whenDrained called by the owner of the mailbox when no receive is left
     */
    public ContextPurge(final long from, final long to, final Runnable whenDrained) {
        this.from = from;
        this.to = to;
        this.whenDrained = whenDrained;
    }

    boolean covers(final long context) {
        return context >= from && context < to;
    }

    boolean hasCallback() {
        return whenDrained != NONE;
    }

    void done() {
        whenDrained.run();
    }

    @Override
    protected void run(final SerialExecutor at) {
        ((Mailbox) at).purge(this);
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        // nothing to do: these contexts are not used any more
    }
}
