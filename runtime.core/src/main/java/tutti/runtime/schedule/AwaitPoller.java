package tutti.runtime.schedule;

import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * Lets the thread that waits for an execution, or for the request that it serves, poll the execution's awaits. This thread sees posts sooner,
 * and does the work that the posting threads would otherwise do one after the other.
 *
 * <p>For one thread at a time, which {@linkplain #poll polls} and does nothing else until it {@linkplain #stop stops} or the execution is done.
 *
 * <p><b>Threads.</b> The polling thread sets {@code submitted} and the owner of the mailbox clears it, so the item that stops polling is in the inbox
 * at most once.
 */
public final class AwaitPoller {
    private final ScheduleExecution execution;
    private final PendingAwaits awaits;
    private final ScheduleExecution.@Nullable CompletionListener served;
    private final SerialExecutor home;
    private final Step pollItem = new Step(true);
    private final Step stopItem = new Step(false);

    /** Creates a poller of an execution as long as it serves {@code served}; null when the thread waits for the execution itself. */
    AwaitPoller(final ScheduleExecution execution, final PendingAwaits awaits, final ScheduleExecution.@Nullable CompletionListener served,
        final SerialExecutor home) {
        this.execution = execution;
        this.awaits = awaits;
        this.served = served;
        this.home = home;
    }

    /** Continues the execution if an await needs attention. */
    public void poll() {
        if (awaits.isDue()) {
            home.tryRun(pollItem);
        }
    }

    /** Continues the execution as {@link #poll} does if it moves much data; a short one is left to the threads that post. */
    public void pollShared() {
        if (execution.isShort()) {
            stop();
        } else {
            poll();
        }
    }

    /** Ends polling; the awaits that are pending register watches. */
    public void stop() {
        // the order matters: a thread that drains the inbox afterwards must see that nobody polls
        if (awaits.stopPolling() && !stopItem.submitted) {
            stopItem.submitted = true;
            home.submit(stopItem);
        }
    }

    /** Work item that makes the execution check its awaits. */
    private final class Step extends WorkItem {
        private final boolean polls;
        /** Set while the item is in the inbox of the mailbox. */
        private volatile boolean submitted;

        Step(final boolean polls) {
            this.polls = polls;
        }

        @Override
        protected void run(final SerialExecutor at) {
            if (submitted) {
                submitted = false;
            }
            if (polls && execution.serves(served)) {
                awaits.startPolling();
            }
            awaits.check();
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            execution.failInternal(why);
        }
    }
}
