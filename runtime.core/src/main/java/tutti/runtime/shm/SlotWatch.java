package tutti.runtime.shm;

import org.jspecify.annotations.Nullable;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * Work item registered with a slot of another rank and submitted when that rank posts; its execution then checks the mark again. A watch is
 * registered with one slot at a time, and not again before it has been woken.
 *
 * <p><b>Threads.</b> The owner of the mailbox registers and runs it; a posting thread of another rank takes it out of its slot and submits it. {@code
 * registered} is volatile, since either of them clears it.
 */
public abstract class SlotWatch extends WorkItem {
    private final SerialExecutor home;
    @Nullable
    SlotWatch nextWatch;
    private volatile boolean registered;

    /** Creates a watch of an execution that belongs to that mailbox. */
    protected SlotWatch(final SerialExecutor home) {
        this.home = home;
    }

    /** Returns whether the watch is registered, or woken and not run yet. */
    public final boolean isRegistered() {
        return registered;
    }

    /** Returns whether the watch has something to do; called by the posting thread after the post. */
    protected abstract boolean isNeeded();

    /** Called when the watch was woken; the calling thread owns its mailbox. */
    protected abstract void woken();

    final void markRegistered() {
        registered = true;
    }

    final void wake() {
        if (isNeeded()) {
            home.submit(this);
        } else {
            registered = false;
        }
    }

    @Override
    protected final void run(final SerialExecutor at) {
        registered = false;
        woken();
    }
}
