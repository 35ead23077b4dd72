package tutti.coll.patterns;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;

/** Pool of scratch memory for temporary values: reuses released memory of the same length, in the order of its release. For one plan. */
public final class ScratchPool {
    private final Plan plan;
    private final int spare;
    private final Deque<BufferRange> released = new ArrayDeque<>();

    /** @param spare number of released ranges that are kept before one is reused: a task that writes reused memory waits for those that used it */
    public ScratchPool(final Plan plan, final int spare) {
        this.plan = plan;
        this.spare = spare;
    }

    /** Returns memory of that length: released memory if there is enough, else new memory. */
    public BufferRange take(final long bytes) {
        if (released.size() > spare) {
            for (final Iterator<BufferRange> ranges = released.iterator(); ranges.hasNext();) {
                final BufferRange range = ranges.next();
                if (range.bytes() == bytes) {
                    ranges.remove();
                    return range;
                }
            }
        }
        return plan.scratch(bytes);
    }

    /** Releases memory, if it is scratch memory. */
    public void release(final BufferRange memory) {
        if (memory.buffer() == Buffer.SCRATCH) {
            released.add(memory);
        }
    }
}
