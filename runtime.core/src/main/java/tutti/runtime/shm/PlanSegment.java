package tutti.runtime.shm;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/**
 * A segment of a plan, as the ranks that share memory with it see it: the plan itself, or a collective nested in it. Immutable.
 *
 * @param channel index of the communicator's channel: 0 for the plan itself
 * @param index   index among the segments on that communicator, from 0; the same on all its ranks
 * @param posts   number of its posts
 * @param send    range of its send buffer in the buffers of the whole plan
 * @param recv    range of its receive buffer
 * @param scratch range of its scratch memory
 * @param shared  range of its shared memory
 */
public record PlanSegment(int channel, int index, int posts, BufferRange send, BufferRange recv, BufferRange scratch, BufferRange shared) {

    /** Returns the range of one of its buffers. */
    public BufferRange range(final Buffer buffer) {
        return switch (buffer) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> scratch;
            case SHARED -> shared;
        };
    }
}
