package tutti.coll.recexch;

import java.util.ArrayDeque;
import java.util.Deque;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/** Scratch memory for values of one length that come and go: what was given back is taken again. For one plan. */
final class ScratchPool {
    private final DependencyTracker flow;
    private final Deque<BufferRange> free = new ArrayDeque<>();

    ScratchPool(final DependencyTracker flow) {
        this.flow = flow;
    }

    /** Memory of that length; what was given back is used where it is long enough. */
    BufferRange take(final long bytes) {
        for (final BufferRange room : free) {
            if (room.bytes() == bytes) {
                free.remove(room);
                return room;
            }
        }
        return flow.scratch(bytes);
    }

    /** Gives memory back, if it is scratch memory, once what was planned with it so far is done. */
    void give(final BufferRange room) {
        if (room.buffer() == Buffer.SCRATCH) {
            free.addLast(room);
        }
    }
}
