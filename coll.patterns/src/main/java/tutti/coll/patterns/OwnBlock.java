package tutti.coll.patterns;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/** The block of an alltoall that a rank sends to itself. */
public final class OwnBlock {
    private OwnBlock() {}

    /** Copies the block to its place, for a call that is not in place. */
    public static void copy(final Call.Alltoall call, final Plan plan) {
        final BufferRange own = call.send().in(Buffer.SEND, plan.rank());
        if (own.bytes() > 0) {
            plan.copy(own, call.recv().in(Buffer.RECV, plan.rank()));
        }
    }
}
