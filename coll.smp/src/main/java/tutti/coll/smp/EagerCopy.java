package tutti.coll.smp;

import java.util.stream.IntStream;
import tutti.coll.BufferRange;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Plans copies of short data in shared memory. Other ranks read the copy, so its owner does not wait until they have, and may overwrite the data.
 *
 * <p>Stateless.
 */
final class EagerCopy {
    private EagerCopy() {}

    /** Plans a copy of some data and posts it. Readers find it at the start of the shared memory, so it must be the plan's only one. */
    static void post(final AdvancedPlan plan, final BufferRange data, final int... readers) {
        plan.post(plan.copy(data, plan.shared(data.bytes(), readers)));
    }

    /** Returns all ranks but the planning one. */
    static int[] others(final AdvancedPlan plan) {
        return IntStream.range(0, plan.size()).filter(r -> r != plan.rank()).toArray();
    }
}
