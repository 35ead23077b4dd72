package tutti.runtime.match;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Whether a rank polls its queues of short messages: none of its threads is parked in MPI, and not too many messages wait for a receive. It is in a
 * cache line of its own, which changes rarely.
 *
 * <p><b>Threads.</b> Safe for any thread. A thread that parks counts itself and then looks for messages once more; a sender puts a message in a queue
 * and then looks here; both with a full fence in between.
 */
final class ReceiverState {
    private static final int LINE = 64;
    private static final long PARKED = 0;
    private static final long CROWDED = 4;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final MemorySegment line;

    ReceiverState() {
        this(Arena.ofAuto().allocate(LINE, LINE));
    }

    private ReceiverState(final MemorySegment line) {
        this.line = line;
    }

    /** Returns the same state by an object of the calling thread's own: see {@link PairQueue}. */
    ReceiverState copy() {
        return new ReceiverState(line.asSlice(0));
    }

    boolean isPolling() {
        return (int) INT.getVolatile(line, PARKED) == 0 && (int) INT.getOpaque(line, CROWDED) == 0;
    }

    /** Counts a thread that is about to park. */
    void parking() {
        INT.getAndAdd(line, PARKED, 1);
    }

    /** Counts a thread that does not park any more. */
    void unparked() {
        INT.getAndAdd(line, PARKED, -1);
    }

    /** Records whether too many messages wait for a receive. Called by the owner of the mailbox. */
    void setCrowded(final boolean crowded) {
        if (((int) INT.get(line, CROWDED) != 0) != crowded) {
            INT.setOpaque(line, CROWDED, crowded ? 1 : 0);
        }
    }
}
