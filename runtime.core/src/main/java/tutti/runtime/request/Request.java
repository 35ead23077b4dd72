package tutti.runtime.request;

import tutti.runtime.error.MpiFailure;

/**
 * Something that is under way: a message or a collective operation.
 *
 * <p>It makes progress without the thread that started it: whoever completes its last step, on whatever thread, completes it. One thread
 * at a time may wait for a request; any number may ask.
 */
public abstract class Request {
    final RankLifecycle life;
    volatile Waiter waiter;
    private volatile boolean done;
    private volatile CompletionAction notice;
    private MpiFailure failure;

    /** Under way from now on, for a rank of that life. */
    protected Request(final RankLifecycle life) {
        this.life = life;
    }

    /** Makes a request that is to be used again ready for it. Nobody waits for it or completes it meanwhile. */
    protected final void reset() {
        failure = null;
        if (notice != null) {
            notice = null;
        }
        done = false;
    }

    /**
     * Completes it and wakes who waits. Called once, by whoever took the last step; what it wrote is seen by who finds the request done.
     *
     * @param why null, or why it failed
     */
    protected final void finish(final MpiFailure why) {
        failure = why;
        done = true;
        final Waiter w = waiter;
        if (w != null) {
            w.wake();
        }
        final CompletionAction n = notice;
        if (n != null) {
            n.look();
        }
    }

    /**
     * Has an action run once the request is complete, on a thread that runs such actions of the request's rank and nothing else. At most one
     * action per use of the request; nobody else should wait for it.
     */
    public final void whenDone(final Runnable action) {
        final CompletionAction n = new CompletionAction(this, action);
        notice = n;
        n.look();
    }

    /** Whether it is complete, well or not. No side effects. */
    public final boolean isDone() {
        return done;
    }

    /** What became of it; to be asked when it is complete. */
    public abstract Status status();

    /** Tries to cancel it: messages that have not been matched are, where that is cheap; all else goes on. It must still be waited for. */
    public void cancel() {
        // most kinds cannot be cancelled, and the standard lets them complete
    }

    /** Lets go of it: nobody will wait for it. What is under way goes on to its end. Most kinds hold nothing. */
    public void free() {
        // nothing to give back
    }

    /** Looks whether it can go on; called again and again by the thread that waits for it. Most kinds go on by themselves. */
    protected void poll() {
        // whoever brings or takes a message does the work
    }

    /** The thread that waits for it will not poll any more. */
    protected void parking() {
        // as above
    }

    /** Takes a step of it on the calling thread, which has nothing better to do. Most kinds need no help. */
    void help() {
        // whoever brings or takes a message does the work
    }

    /**
     * Whether it is complete.
     *
     * @throws MpiFailure when it failed
     */
    public boolean test() {
        if (!done) {
            life.check();
            return false;
        }
        raise();
        return true;
    }

    /**
     * Waits until it is complete.
     *
     * @throws MpiFailure when it failed
     */
    public Status waitFor() {
        await();
        return status();
    }

    /** As {@link #waitFor}, for who needs no status. */
    public void await() {
        if (!done) {
            life.enter();
            try {
                Waiter.current().await(this);
            } finally {
                life.leave();
            }
        }
        raise();
    }

    final boolean isFailed() {
        return failure != null;
    }

    private void raise() {
        final MpiFailure f = failure;
        if (f != null) {
            throw new MpiFailure(f.errorClass(), f.getMessage(), f);
        }
    }

    /** Waits until one of the requests is complete and returns its index; nulls are skipped, -1 when there are only such. Raises nothing. */
    public static int waitAny(final Request[] requests) {
        for (final Request r : requests) {
            if (r != null) {
                r.life.enter();
                try {
                    return Waiter.current().awaitAny(requests);
                } finally {
                    r.life.leave();
                }
            }
        }
        return -1;
    }
}
