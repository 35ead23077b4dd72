package tutti.runtime.match;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * The sender's end of a {@link PairQueue}. It is submitted to the receiver's mailbox once. The queue is open when a thread of the receiver has polled
 * it for the first time; before, all messages bypass it.
 *
 * <p><b>Threads.</b> Only the thread that created it puts messages in the queue; any thread of its rank may bypass it. Storing a mark releases the
 * message. No method waits.
 */
public final class QueueWriter extends WorkItem {
    private final Mailbox receiver;
    private final IncomingQueues queues;
    private final Thread sender = Thread.currentThread();
    private final MemorySegment memory = PairQueue.allocate();
    private final ReceiverState receiverState;
    private volatile @Nullable QueueReader reader;

    QueueWriter(final Mailbox receiver, final IncomingQueues queues) {
        this.receiver = receiver;
        this.queues = queues;
        this.receiverState = queues.state();
    }

    Mailbox receiver() {
        return receiver;
    }

    /** Copies a message to the queue. Returns false if the queue cannot take it at this time: it must bypass the queue. */
    public boolean offer(final Send send) {
        final long bytes = send.bytes;
        if (bytes > PairQueue.MAX_BYTES || sender != Thread.currentThread() || !receiverState.isPolling() || !isInOrder()) {
            return false;
        }
        final long number = (long) PairQueue.WORD.get(memory, PairQueue.WRITTEN);
        if (number == (long) PairQueue.WORD.get(memory, PairQueue.FREE_UP_TO) && number == refreshFree()) {
            return false;
        }
        final long line = PairQueue.line(number);
        PairQueue.WORD.set(memory, line + PairQueue.CONTEXT, send.context);
        PairQueue.INT.set(memory, line + PairQueue.SOURCE, send.source);
        PairQueue.WORD.set(memory, line + PairQueue.TAG, send.tag);
        MemorySegment.copy(send.data(), send.offset(), memory, PairQueue.data(number, bytes), bytes);
        PairQueue.INT.setRelease(memory, line, PairQueue.state(number, bytes));
        PairQueue.WORD.set(memory, PairQueue.WRITTEN, number + 1);
        VarHandle.fullFence();
        if (!receiverState.isPolling()) {
            // it may have looked for messages before this one was there
            receiver.submit(queues.drainItem());
        }
        return true;
    }

    private long refreshFree() {
        final long free = (long) PairQueue.WORD.getAcquire(memory, PairQueue.READ) + PairQueue.SLOTS;
        PairQueue.WORD.set(memory, PairQueue.FREE_UP_TO, free);
        return free;
    }

    /** Returns whether the queue is open, and every message that bypassed it has arrived. */
    private boolean isInOrder() {
        return (long) PairQueue.WORD.getAcquire(memory, PairQueue.OPEN) != 0
            && (long) PairQueue.WORD.get(memory, PairQueue.BYPASSED) == (long) PairQueue.WORD.getAcquire(memory, PairQueue.ARRIVED);
    }

    /** Counts a message that is about to be submitted to the mailbox. */
    void bypass() {
        PairQueue.WORD.getAndAdd(memory, PairQueue.BYPASSED, 1L);
    }

    /** Counts a message that bypassed the queue and has arrived. Called by the owner of the mailbox, after the messages in the queue. */
    void arrivedPast() {
        PairQueue.WORD.setRelease(memory, PairQueue.ARRIVED, (long) PairQueue.WORD.get(memory, PairQueue.ARRIVED) + 1);
    }

    /** Opens the queue, and returns its other end. Called once, by the owner of the mailbox, on a thread of the receiver. */
    QueueReader open() {
        final QueueReader opened = new QueueReader(receiver, memory);
        reader = opened;
        PairQueue.WORD.setRelease(memory, PairQueue.OPEN, 1L);
        return opened;
    }

    /** Returns the other end, or null if the queue is not open. */
    @Nullable
    QueueReader reader() {
        return reader;
    }

    @Override
    protected void run(final SerialExecutor at) {
        queues.add(this);
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        // the queue stays closed, and all messages bypass it
    }
}
