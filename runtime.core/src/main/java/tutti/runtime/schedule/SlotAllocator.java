package tutti.runtime.schedule;

import org.jspecify.annotations.Nullable;
import tutti.runtime.shm.RankSlotTable;

/**
 * Allocates slots to the calls of one rank that share memory on a communicator. A call whose slot is taken by a pending one waits without
 * blocking a thread. For the owner of the rank's mailbox.
 */
public final class SlotAllocator {
    private static final int MASK = RankSlotTable.SLOTS - 1;

    private long busy;
    private final long[] newest = new long[RankSlotTable.SLOTS];
    private @Nullable SharedMemoryTasks first;
    private @Nullable SharedMemoryTasks last;

    /** Creates an allocator with all slots free. */
    public SlotAllocator() {}

    /** Takes a call's slot. Returns whether it was free; else the call is {@linkplain SharedMemoryTasks#admit admitted} later. */
    boolean enter(final SharedMemoryTasks call) {
        final int slot = (int) call.number() & MASK;
        if (call.number() < newest[slot]) {
            // other ranks would take it for ended
            throw new IllegalStateException("calls begin out of order: number=" + call.number() + ", later=" + newest[slot]);
        }
        newest[slot] = call.number();
        final long bit = 1L << slot;
        if ((busy & bit) == 0) {
            busy |= bit;
            return true;
        }
        if (last == null) {
            first = call;
        } else {
            last.nextWaiting = call;
        }
        last = call;
        return false;
    }

    /** Passes a call's slot to the call that has waited for it longest, or frees it. */
    void leave(final long number) {
        SharedMemoryTasks before = null;
        SharedMemoryTasks waiting = first;
        while (waiting != null && (waiting.number() - number & MASK) != 0) {
            before = waiting;
            waiting = waiting.nextWaiting;
        }
        if (waiting == null) {
            busy &= ~(1L << (number & MASK));
            return;
        }
        if (before == null) {
            first = waiting.nextWaiting;
        } else {
            before.nextWaiting = waiting.nextWaiting;
        }
        if (waiting == last) {
            last = before;
        }
        waiting.nextWaiting = null;
        waiting.admit();
    }
}
