package com.example.coll.nest;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Allreduce over two levels: a reduction within each domain, an allreduce among the leaders, a broadcast within each domain.
 *
 * <p>Source: as {@link NestedBcast}.
 * <p>Idea: the data of a domain crosses the slower links between domains once.
 * <pre>
 *   5 ranks, domains (0 2 4) (1 3)     2 4 → 0, 3 → 1;  0 ⇄ 1;  0 → 2 4, 1 → 3
 * </pre>
 * <p>Cost: that of its three parts, one after the other.
 * <p>Needs: a commutative operation; any p.
 * <p>Memory: none of its own.
 */
final class NestedAllreduce implements AdvancedAlgorithm<Call.Allreduce> {
    private final NestInstance nest;

    NestedAllreduce(final NestInstance nest) {
        this.nest = nest;
    }

    @Override
    public void plan(final Call.Allreduce call, final AdvancedPlan plan) {
        final boolean leads = nest.leads(plan.rank());
        final boolean isAlone = nest.isAlone(plan.rank());
        final BufferRange in = call.input();
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        if (!isAlone) {
            final boolean inPlace = leads && call.inPlace();
            plan.nested(nest.domain(), Operation.REDUCE, new Call.Reduce(call.reduction(), call.count(), 0, inPlace), inPlace ? null : in,
                leads ? out : null);
        }
        if (leads) {
            final boolean inPlace = !isAlone || call.inPlace();
            plan.nested(nest.leaders(), Operation.ALLREDUCE, new Call.Allreduce(call.reduction(), call.count(), inPlace), inPlace ? null : in, out);
        }
        if (!isAlone) {
            plan.nested(nest.domain(), Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, out);
        }
    }
}
