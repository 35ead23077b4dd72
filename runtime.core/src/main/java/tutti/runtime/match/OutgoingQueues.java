package tutti.runtime.match;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.serial.SerialExecutor;

/**
 * The queues in which a rank leaves short messages for other ranks of its node.
 *
 * <p><b>Threads.</b> Safe for any thread: queues are added under the lock of this object, and found without it.
 */
public final class OutgoingQueues {
    /** As many as a program sends to repeatedly, on a node that has a core for each rank. */
    private static final int MAX = 16;

    private final Mailbox own;
    private volatile QueueWriter[] queues = {};
    private int limit = MAX;

    /** Creates no queues yet, for the rank that receives by a mailbox. */
    public OutgoingQueues(final Mailbox own) {
        this.own = own;
    }

    /** Leaves no message in a queue, since it shows the receiver less than a message that is submitted. Called before the first send. */
    public void disable() {
        limit = 0;
    }

    /** Returns the queue to a mailbox, which is created at the first call; null if there is none. */
    public @Nullable QueueWriter to(final SerialExecutor target) {
        for (final QueueWriter queue : queues) {
            if (queue.receiver() == target) {
                return queue;
            }
        }
        if (!(target instanceof Mailbox mailbox) || mailbox == own || queues.length >= limit) {
            return null;
        }
        final IncomingQueues incoming = mailbox.queues();
        return incoming == null ? null : create(mailbox, incoming);
    }

    private synchronized QueueWriter create(final Mailbox receiver, final IncomingQueues incoming) {
        for (final QueueWriter queue : queues) {
            if (queue.receiver() == receiver) {
                return queue;
            }
        }
        final QueueWriter queue = new QueueWriter(receiver, incoming);
        final QueueWriter[] more = Arrays.copyOf(queues, queues.length + 1);
        more[queues.length] = queue;
        queues = more;
        receiver.submit(queue);
        return queue;
    }
}
