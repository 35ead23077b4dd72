package tutti.runtime.shm;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/**
 * A plan, or a collective that is nested in one, as the ranks that share memory with it see it. Immutable.
 *
 * @param channel of the communicator that it is on: 0 for the plan itself
 * @param index   which of the parts on that communicator, from 0; the same on all its ranks
 * @param posts   how many posts it has
 * @param send    where its send buffer lies in the buffers of the whole plan
 * @param recv    where its receive buffer lies
 * @param scratch where its scratch memory lies
 */
public record PlanSegment(int channel, int index, int posts, BufferRange send, BufferRange recv, BufferRange scratch) {

    /** Where one of its buffers lies. */
    public BufferRange place(final Buffer buffer) {
        return switch (buffer) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> scratch;
        };
    }
}
