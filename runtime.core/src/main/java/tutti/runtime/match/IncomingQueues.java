package tutti.runtime.match;

import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * The queues of short messages to one rank, from other ranks of its node.
 *
 * <p><b>Threads.</b> Queues are added and read by the owner of the mailbox. Any thread may look whether there are messages: a queue is in the array
 * before the count, which is volatile, tells so.
 */
final class IncomingQueues {
    /** A rank that waits looks at each of its queues. */
    private static final int MAX = 16;

    private final ReceiverState state = new ReceiverState();
    private final WorkItem poll = new Poll();
    private final QueueWriter[] added = new QueueWriter[MAX];
    private final QueueReader[] open = new QueueReader[MAX];
    private volatile int addedCount;
    private volatile int openCount;

    /** Matches the next message of each queue: one, as a thread that polls most often waits for one. */
    private final class Poll extends WorkItem {
        @Override
        protected void run(final SerialExecutor at) {
            openAdded();
            for (int i = 0; i < openCount; i++) {
                open[i].takeNext();
            }
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            // the messages that follow stay in their queue until the next look
        }
    }

    /** Matches all messages. */
    private final class Drain extends WorkItem {
        @Override
        protected void run(final SerialExecutor at) {
            drain();
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            // the messages that follow stay in their queue until the next look
        }
    }

    /** Returns the state of the receiver, in an object for the calling thread. */
    ReceiverState state() {
        return state.copy();
    }

    void parking() {
        state.parking();
    }

    void unparked() {
        state.unparked();
    }

    void setCrowded(final boolean crowded) {
        state.setCrowded(crowded);
    }

    /** Adds a queue, which the next poll opens; with too many queues it stays closed. */
    void add(final QueueWriter queue) {
        final int count = addedCount;
        if (count < MAX) {
            added[count] = queue;
            addedCount = count + 1;
        }
    }

    private void openAdded() {
        for (int i = openCount; i < addedCount; i++) {
            open[i] = added[i].open();
            openCount = i + 1;
        }
    }

    /** Returns whether a poll has something to do. */
    boolean needPoll() {
        return openCount < addedCount || haveMessages();
    }

    boolean haveMessages() {
        for (int i = 0; i < openCount; i++) {
            if (open[i].hasMessages()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the work item that polls, on a thread of the receiver. It is run at once or not at all, so one is enough. */
    WorkItem poll() {
        return poll;
    }

    /** Returns a new work item that matches all messages. */
    WorkItem drainItem() {
        return new Drain();
    }

    /** Matches all messages. */
    void drain() {
        for (int i = 0; i < openCount; i++) {
            open[i].drain();
        }
    }
}
