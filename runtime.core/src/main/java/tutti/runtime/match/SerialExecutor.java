package tutti.runtime.match;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/**
 * State that one thread at a time touches, and which thread that is does not matter: whoever brings work does it, or leaves it to
 * whoever is at it.
 *
 * <p><b>Overview.</b> Work comes as {@link WorkItem}s. A thread that brings one takes ownership if it is free, does the work that came before
 * in the order of coming, then its own, and lets go. If somebody else is the owner the item is put into the inbox, and the owner finds
 * it there before or just after letting go; so no thread ever waits for another here, and no work is left behind: the inbox is pushed
 * before ownership is tried, and looked at again after it was let go, both with full fences.
 *
 * <p>Work that brings work to other Serials while it is done does not nest: the outermost call on a thread visits them one after
 * another (see {@link DeferredWork}), so a chain of any number of ranks needs no deep stack.
 */
public abstract class SerialExecutor {
    private static final VarHandle INBOX;
    private static final VarHandle OWNED;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            INBOX = lookup.findVarHandle(SerialExecutor.class, "inbox", WorkItem.class);
            OWNED = lookup.findVarHandle(SerialExecutor.class, "owned", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A stack: newest first. */
    private volatile WorkItem inbox;
    private volatile boolean owned;

    /** Has the item run by this thread or by the owner. Items of one thread run in the order in which it submitted them. */
    public final void submit(final WorkItem item) {
        final DeferredWork progress = DeferredWork.current();
        if (progress.active) {
            push(item);
            progress.later(this);
        } else if (!tryRun(item, progress)) {
            push(item);
            progress.active = true;
            try {
                drain();
                progress.visitAll();
            } finally {
                progress.active = false;
            }
        }
    }

    /** Runs the item at once unless somebody else is the owner; then it is not taken. Not to be called from within an item. */
    public final boolean tryRun(final WorkItem item) {
        return tryRun(item, DeferredWork.current());
    }

    private boolean tryRun(final WorkItem item, final DeferredWork progress) {
        if (owned || !OWNED.compareAndSet(this, false, true)) {
            return false;
        }
        progress.active = true;
        try {
            runInbox();
            step(item);
            settle();
            owned = false;
            drain();
            progress.visitAll();
        } finally {
            progress.active = false;
        }
        return true;
    }

    /** Whether the owner has more to do. */
    public final boolean isWanted() {
        return inbox != null;
    }

    /** Does what is in the inbox, unless somebody else is at it. */
    final void drain() {
        while (inbox != null && OWNED.compareAndSet(this, false, true)) {
            runInbox();
            settle();
            owned = false;
        }
    }

    private void runInbox() {
        while (inbox != null) {
            WorkItem item = reverse((WorkItem) INBOX.getAndSet(this, null));
            while (item != null) {
                final WorkItem following = item.next;
                item.next = null;
                step(item);
                item = following;
            }
        }
    }

    private void step(final WorkItem item) {
        try {
            item.run(this);
        } catch (final Throwable e) {
            item.broke(new MpiFailure(ErrorClass.INTERN, "internal error: " + e, e));
        }
    }

    /** After a batch of work, still the owner. */
    protected void settle() {
        // most have nothing to settle
    }

    /** What a send means here: a message that arrived, or one that is to leave. The calling thread is the owner. */
    protected abstract void take(Send send);

    private void push(final WorkItem item) {
        WorkItem head;
        do {
            head = inbox;
            item.next = head;
        } while (!INBOX.compareAndSet(this, head, item));
    }

    private static WorkItem reverse(final WorkItem newest) {
        WorkItem reversed = null;
        WorkItem item = newest;
        while (item != null) {
            final WorkItem older = item.next;
            item.next = reversed;
            reversed = item;
            item = older;
        }
        return reversed;
    }
}
