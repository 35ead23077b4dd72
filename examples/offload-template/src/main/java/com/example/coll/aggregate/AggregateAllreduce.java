package com.example.coll.aggregate;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.OffloadDevice;

/**
 * The device combines the contributions of all ranks in their order. Another algorithm serves what the device cannot do: operations of the program,
 * other types, and contributions above a limit. All ranks find the same.
 *
 * <p>Cost: alpha + n beta, for the device alone.
 */
final class AggregateAllreduce implements AdvancedAlgorithm<Call.Allreduce> {
    private final OffloadDevice device;
    private final Checksums checksums;
    private final Algorithm<Call.Allreduce> others;
    private final long limit;

    /** Creates the algorithm; {@code checksums} look at the results, or are null. */
    AggregateAllreduce(final OffloadDevice device, final Checksums checksums, final Algorithm<Call.Allreduce> others, final long limit) {
        this.device = device;
        this.checksums = checksums;
        this.others = others;
        this.limit = limit;
    }

    @Override
    public void plan(final Call.Allreduce call, final AdvancedPlan plan) {
        final BufferRange result = Buffer.RECV.at(0, call.bytes());
        if (call.bytes() <= limit && Arithmetic.of(call.reduction()) != null) {
            plan.offloaded(device, Operation.ALLREDUCE, call, call.inPlace() ? null : call.input(), result);
        } else {
            others.plan(call, plan);
        }
        if (checksums != null) {
            plan.opaque(checksums, List.of(result), List.of());
        }
    }
}
