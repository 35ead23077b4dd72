package tutti.runtime.match;

import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/** Work item that discards the messages of a mailbox that matched probes took and nobody received. */
public final class MatchedMessagePurge extends WorkItem {

    @Override
    protected void run(final SerialExecutor at) {
        ((Mailbox) at).discardMatched();
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        throw why;
    }
}
