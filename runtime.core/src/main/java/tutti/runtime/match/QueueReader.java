package tutti.runtime.match;

import java.lang.foreign.MemorySegment;

/**
 * The receiver's end of a {@link PairQueue}.
 *
 * <p><b>Threads.</b> The owner of the mailbox takes messages; any thread may look whether there are some. Storing the number of the next message
 * releases the slot of the last one.
 */
final class QueueReader {
    private final Mailbox receiver;
    /** An object of its own for the memory that the sender's end also has. */
    private final MemorySegment memory;
    private final QueuedMessage message = new QueuedMessage();

    QueueReader(final Mailbox receiver, final MemorySegment memory) {
        this.receiver = receiver;
        this.memory = memory.asSlice(0);
    }

    /** Returns whether there are messages; a thread that is not the owner of the mailbox may see what was a moment ago. */
    boolean hasMessages() {
        return isWritten((long) PairQueue.WORD.getOpaque(memory, PairQueue.READ));
    }

    private int state(final long number) {
        return (int) PairQueue.INT.getAcquire(memory, PairQueue.line(number));
    }

    private boolean isWritten(final long number) {
        return PairQueue.isStateOf(number, state(number));
    }

    /** Hands the next message to the mailbox; returns false if there is none. */
    boolean takeNext() {
        final long number = (long) PairQueue.WORD.get(memory, PairQueue.READ);
        final int state = state(number);
        if (!PairQueue.isStateOf(number, state)) {
            return false;
        }
        final long line = PairQueue.line(number);
        final long bytes = PairQueue.bytes(state);
        message.envelope((long) PairQueue.WORD.get(memory, line + PairQueue.CONTEXT), (int) PairQueue.INT.get(memory, line + PairQueue.SOURCE),
            (long) PairQueue.WORD.get(memory, line + PairQueue.TAG), bytes);
        message.at(memory, PairQueue.data(number, bytes));
        try {
            receiver.arrived(message);
        } finally {
            PairQueue.WORD.setRelease(memory, PairQueue.READ, number + 1);
        }
        return true;
    }

    /** Hands all messages to the mailbox. */
    void drain() {
        boolean any = true;
        while (any) {
            any = takeNext();
        }
    }
}
