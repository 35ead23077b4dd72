package tutti.runtime.schedule;

import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.SerialExecutor;
import tutti.runtime.match.WorkItem;

/**
 * The thread that waits for what a run serves, looking after the run's awaits meanwhile: it sees posts sooner, and does the work itself
 * that otherwise those who post would do one after the other. For one thread at a time, which {@linkplain #poll polls} and does nothing else
 * until it says that it {@linkplain #stop stops}, or the run is done.
 */
public final class AwaitPoller {
    private final ScheduleExecution run;
    private final ScheduleExecution.CompletionListener served;
    private final SerialExecutor home;
    private final Step look = new Step(true);
    private final Step turn = new Step(false);

    /** Of a run while it serves {@code served}, which is not null unless the thread waits for the run itself. */
    AwaitPoller(final ScheduleExecution run, final ScheduleExecution.CompletionListener served, final SerialExecutor home) {
        this.run = run;
        this.served = served;
        this.home = home;
    }

    /** Goes on with what is due. */
    public void poll() {
        if (run.awaits().isDue()) {
            home.tryRun(look);
        }
    }

    /** Nobody will poll any more. */
    public void stop() {
        // in this order: whoever runs what is in the inbox afterwards finds that nobody polls
        if (run.awaits().neglect() && !turn.submitted) {
            turn.submitted = true;
            home.submit(turn);
        }
    }

    /** Has the run look after its awaits, tried or submitted. */
    private final class Step extends WorkItem {
        private final boolean polls;
        /** Whether it is in the inbox of the mailbox. */
        private volatile boolean submitted;

        Step(final boolean polls) {
            this.polls = polls;
        }

        @Override
        protected void run(final SerialExecutor at) {
            if (submitted) {
                submitted = false;
            }
            if (polls && run.serves(served)) {
                run.awaits().tend();
            }
            run.look();
        }

        @Override
        protected void broke(final MpiFailure why) {
            run.broke(why);
        }
    }
}
