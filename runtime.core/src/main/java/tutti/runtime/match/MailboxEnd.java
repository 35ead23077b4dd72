package tutti.runtime.match;

import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/** Work item that makes the mailbox of a rank that has failed drop its messages, so that no send to the rank waits. */
public final class MailboxEnd extends WorkItem {
    private final MpiFailure why;

    /** Creates the end of a mailbox, with the error of the receives that are posted there. */
    public MailboxEnd(final MpiFailure why) {
        this.why = why;
    }

    @Override
    protected void run(final SerialExecutor at) {
        ((Mailbox) at).end(why);
    }

    @Override
    protected void onFailure(final MpiFailure failure) {
        // the mailbox has failed, and all that is posted with it
    }
}
