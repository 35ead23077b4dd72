package tutti.coll.smp;

import java.util.stream.IntStream;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;

/**
 * Plans copies of short data in shared memory. Other ranks read the copy, so its owner does not wait until they have, and may overwrite the data.
 *
 * <p>Stateless.
 */
final class EagerCopy {
    private EagerCopy() {}

    /** Returns the range in which readers find a copy of {@code bytes} bytes, which must be the owner's only one. */
    static BufferRange range(final long bytes) {
        return Buffer.SHARED.at(0, bytes);
    }

    /** Plans a copy of some data and posts it. Returns the task after which the data may be overwritten and the copy may be read. */
    static int post(final Plan plan, final BufferRange data, final int... readers) {
        final int copied = plan.copy(data, plan.shared(data.bytes(), readers));
        plan.post(copied);
        return copied;
    }

    /** Returns all ranks but the planning one. */
    static int[] others(final Plan plan) {
        return IntStream.range(0, plan.size()).filter(r -> r != plan.rank()).toArray();
    }
}
