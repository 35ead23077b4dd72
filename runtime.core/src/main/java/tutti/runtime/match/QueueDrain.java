package tutti.runtime.match;

import tutti.runtime.model.MpiFailure;

/** Work item that matches all messages in the queues of a mailbox. */
final class QueueDrain extends WorkItem {
    @Override
    protected void run(final SerialExecutor at) {
        ((Mailbox) at).drainQueues();
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        // the messages that follow stay in their queue until the next look
    }
}
