package tutti.runtime.serial;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * Runs work items one at a time, in order, on the threads that submit them. It needs no thread of its own and no lock.
 *
 * <p><b>Overview.</b> Work is submitted as {@link WorkItem}s. A submitting thread takes ownership if it is free, runs the items in the inbox in
 * the order of submission, then its own item, and releases ownership. If another thread is the owner, the item is pushed to the inbox, and the
 * owner finds it before or just after it releases ownership. So no thread ever waits for another here. No item is left behind: a submitter
 * pushes to the inbox before it tries to take ownership, and an owner checks the inbox again after it released ownership, both with full fences.
 *
 * <p>Nothing that an item, its failure handler or {@link #settle} throws reaches a submitter, and none of it keeps the owner from running the
 * items that follow and from releasing ownership.
 *
 * <p>Items that submit items to other executors do not nest: the outermost call on a thread drains these executors one after the other (see
 * {@link DeferredWork}), so a chain of any number of ranks needs no deep stack.
 *
 * <p><b>Threads.</b> The state of a subclass and of its items belongs to the owner. The push to the inbox publishes what the submitter wrote before;
 * the release of ownership publishes what the items wrote to the next owner. A submitter tries again only when another one succeeded.
 */
public abstract class SerialExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);
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

    /** Submitted items as a stack, newest first. */
    private volatile @Nullable WorkItem inbox;
    private volatile boolean owned;

    /** Runs the item on this thread, or leaves it to the owner. Items of one thread run in the order in which it submitted them. */
    public final void submit(final WorkItem item) {
        final DeferredWork deferred = DeferredWork.current();
        if (deferred.active) {
            push(item);
            deferred.defer(this);
        } else if (!tryRun(item, deferred)) {
            push(item);
            deferred.active = true;
            try {
                drain();
                deferred.drainAll();
            } finally {
                deferred.active = false;
            }
        }
    }

    /**
     * Runs the item at once unless another thread is the owner, or the call is made from within an item.
     *
     * @return whether the item was run
     */
    public final boolean tryRun(final WorkItem item) {
        return tryRun(item, DeferredWork.current());
    }

    private boolean tryRun(final WorkItem item, final DeferredWork deferred) {
        if (owned || deferred.active || !OWNED.compareAndSet(this, false, true)) {
            return false;
        }
        deferred.active = true;
        try {
            runInbox();
            step(item);
            settleBatch();
            owned = false;
            drain();
            deferred.drainAll();
        } finally {
            deferred.active = false;
        }
        return true;
    }

    /** Returns whether there is work in the inbox. */
    public final boolean hasQueuedWork() {
        return inbox != null;
    }

    /** Runs the items in the inbox, unless another thread is the owner. */
    final void drain() {
        while (inbox != null && OWNED.compareAndSet(this, false, true)) {
            runInbox();
            settleBatch();
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
            failed(item, e);
        }
    }

    private void failed(final WorkItem item, final Throwable why) {
        try {
            item.onFailure(new MpiFailure(ErrorClass.INTERN, "internal error: " + textOf(why), why));
        } catch (final Throwable e) {
            failed(e);
        }
    }

    private void settleBatch() {
        try {
            settle();
        } catch (final Throwable e) {
            failed(e);
        }
    }

    private void failed(final Throwable why) {
        // Cause: the stack that follows says what; the job of the rank fails or hangs. Remedy: report it.
        log("work failed, and nothing handled it: {}", why);
        try {
            broken(why);
        } catch (final Throwable e) {
            // Cause: the stack that follows says what; the job of the rank fails or hangs. Remedy: report it.
            log("failure handler failed: {}", e);
        }
    }

    private void log(final String message, final Throwable why) {
        try {
            LOG.error(message, this, why);
        } catch (final Throwable e) {
            // no memory, or an exception that fails to describe itself; without the log the work still continues
        }
    }

    private static String textOf(final Throwable why) {
        try {
            return why.toString();
        } catch (final Throwable e) {
            return why.getClass().getName();
        }
    }

    /** Called by the owner after each batch of work. */
    protected void settle() {
        // nothing to settle by default
    }

    /** Called by the owner when {@link #settle} or the failure handler of an item threw an exception, which was logged. More work may follow. */
    protected void broken(final Throwable why) {
        // the items that follow are independent by default
    }

    private void push(final WorkItem item) {
        WorkItem head;
        do {
            head = inbox;
            item.next = head;
        } while (!INBOX.compareAndSet(this, head, item));
    }

    private static @Nullable WorkItem reverse(final @Nullable WorkItem newest) {
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
