package tutti.runtime.match;

import java.lang.foreign.MemorySegment;
import tutti.runtime.error.MpiFailure;

/**
 * Drops the messages of some contexts that nobody received; then waits, if it is to, until no posted receive of these contexts is left. Who
 * sent what is dropped finds it completed.
 */
public final class ContextPurge extends WorkItem {
    private static final CompletionHandler NOBODY = op -> { };

    final int from;
    final int to;
    ContextPurge following;
    private final Runnable quiet;

    /**
     * Of contexts {@code from} up to but not {@code to}.
     *
     * @param quiet called by the owner of the mailbox when no receive is left; null not to wait
     */
    public ContextPurge(final int from, final int to, final Runnable quiet) {
        this.from = from;
        this.to = to;
        this.quiet = quiet;
    }

    boolean covers(final int context) {
        return context >= from && context < to;
    }

    boolean isAwaited() {
        return quiet != null;
    }

    void done() {
        quiet.run();
    }

    /** A receive that takes nothing and tells nobody. */
    static Receive drain() {
        final Receive receive = new Receive();
        receive.into(MemorySegment.NULL, 0, 0);
        receive.arm(NOBODY, null, 0);
        return receive;
    }

    @Override
    protected void run(final SerialExecutor at) {
        ((Mailbox) at).clear(this);
    }

    @Override
    protected void broke(final MpiFailure why) {
        // nothing more can be done for contexts that are not used any more
    }
}
