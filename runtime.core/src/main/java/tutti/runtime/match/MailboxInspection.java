package tutti.runtime.match;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/** Work item that lists the messages in a mailbox that nobody has received. */
public final class MailboxInspection extends WorkItem {
    private final int limit;
    private final List<Unmatched> found = new ArrayList<>();
    private final CountDownLatch done = new CountDownLatch(1);

    /**
     * A message that nobody has received.
     *
     * @param context its context
     * @param source  the sender's rank in the communicator
     * @param tag     its tag
     * @param bytes   its length
     */
    public record Unmatched(long context, int source, long tag, long bytes) {}

    /** Creates an inspection that lists the oldest messages, as many as {@code limit}. */
    public MailboxInspection(final int limit) {
        this.limit = limit;
    }

    /** Returns the messages, the oldest first; none if the mailbox is in use for that long. */
    public List<Unmatched> of(final Mailbox mailbox, final Duration patience) {
        mailbox.submit(this);
        try {
            return done.await(patience.toMillis(), TimeUnit.MILLISECONDS) ? found : List.of();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    @Override
    protected void run(final SerialExecutor at) {
        final Mailbox mailbox = (Mailbox) at;
        mailbox.drainQueues();
        for (MatchEntry m = mailbox.oldestUnexpected(); m != null && found.size() < limit; m = m.newer) {
            final IncomingMessage message = (IncomingMessage) m;
            if (!message.isNoticeOfFailure()) {
                found.add(new Unmatched(message.context, message.source, message.tag, message.bytes));
            }
        }
        done.countDown();
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        done.countDown();
    }
}
