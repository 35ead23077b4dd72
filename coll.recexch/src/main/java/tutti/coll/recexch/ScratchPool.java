package tutti.coll.recexch;

import java.util.ArrayDeque;
import java.util.Deque;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/** Pool of scratch memory for temporary values: reuses released memory of the same length. For one plan. */
final class ScratchPool {
    private final DependencyTracker tracker;
    private final Deque<BufferRange> free = new ArrayDeque<>();

    ScratchPool(final DependencyTracker tracker) {
        this.tracker = tracker;
    }

    /** Returns memory of that length: released memory if there is some, else new memory. */
    BufferRange take(final long bytes) {
        for (final BufferRange range : free) {
            if (range.bytes() == bytes) {
                free.remove(range);
                return range;
            }
        }
        return tracker.scratch(bytes);
    }

    /** Releases memory, if it is scratch memory, after the tasks that were planned with it so far. */
    void release(final BufferRange range) {
        if (range.buffer() == Buffer.SCRATCH) {
            free.addLast(range);
        }
    }
}
