package tutti.runtime.shm;

import tutti.runtime.match.SerialExecutor;
import tutti.runtime.match.WorkItem;

/**
 * Waits at the row of another rank until that rank goes on; then its run looks again. At one row at a time: it must not be left there again before
 * it has come back.
 */
public abstract class SlotWatch extends WorkItem {
    private final SerialExecutor home;
    SlotWatch below;
    private volatile boolean out;

    /** Of a run that belongs to that mailbox. */
    protected SlotWatch(final SerialExecutor home) {
        this.home = home;
    }

    /** Whether it was left with a row and has not come back. */
    public final boolean isOut() {
        return out;
    }

    /** Whether it must come back to do something; asked by who posts, when the post is made. */
    protected abstract boolean isNeeded();

    /** It is back; the calling thread owns its mailbox. */
    protected abstract void back();

    final void leave() {
        out = true;
    }

    final void wake() {
        if (isNeeded()) {
            home.submit(this);
        } else {
            out = false;
        }
    }

    @Override
    protected final void run(final SerialExecutor at) {
        out = false;
        back();
    }
}
