package tutti.runtime.match;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/** Work item that copies the messages in a mailbox that nobody has received. They stay in the mailbox. */
public final class MessageCapture extends WorkItem {
    private final List<Captured> found = new ArrayList<>();
    private final CountDownLatch done = new CountDownLatch(1);
    private boolean matched;

    /**
     * A message that nobody has received.
     *
     * @param context its context
     * @param source  the sender's rank in the communicator
     * @param tag     its tag
     * @param call    what it carries for checks; see {@link IncomingMessage#call()}
     * @param bytes   its length
     * @param data    a copy of its data; null where the data is still with its sender
     */
    public record Captured(long context, int source, long tag, long call, long bytes, byte @Nullable [] data) {}

    /** Returns the messages in the order in which they arrived. Blocks while another thread owns the mailbox. */
    public List<Captured> of(final Mailbox mailbox) {
        mailbox.submit(this);
        try {
            done.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            // Cause: the job was ended while it was saved.
            throw new MpiFailure(ErrorClass.OTHER, "interrupted while messages were copied");
        }
        return found;
    }

    /** Returns whether matched probes took messages that nobody has received; these are not among the copied ones. */
    public boolean hasMatched() {
        return matched;
    }

    @Override
    protected void run(final SerialExecutor at) {
        final Mailbox mailbox = (Mailbox) at;
        mailbox.drainQueues();
        for (MatchEntry m = mailbox.oldestUnexpected(); m != null; m = m.newer) {
            final IncomingMessage message = (IncomingMessage) m;
            if (!message.isNoticeOfFailure()) {
                found.add(new Captured(message.context, message.source, message.tag, message.call, message.bytes,
                    message instanceof final UnexpectedMessage copy ? copy.data() : null));
            }
        }
        matched = mailbox.hasMatched();
        done.countDown();
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        done.countDown();
    }
}
