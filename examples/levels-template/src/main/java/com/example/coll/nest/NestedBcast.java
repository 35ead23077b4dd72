package com.example.coll.nest;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Broadcast over two levels: within the root's domain, among the leaders of the domains, within the other domains.
 *
 * <p>Source: N. T. Karonis and others, Exploiting hierarchy in parallel computer networks to optimize collective operation performance, IPDPS 2000,
 * doi:10.1109/IPDPS.2000.846009.
 * <p>Idea: the data crosses the slower links between domains once for each domain.
 * <pre>
 *   5 ranks, domains (0 2 4) (1 3), root 2     2 → 0 4;  0 → 1;  1 → 3
 * </pre>
 * <p>Cost: that of its three parts, one after the other.
 * <p>Needs: any p, any root.
 * <p>Memory: none of its own.
 */
final class NestedBcast implements AdvancedAlgorithm<Call.Bcast> {
    private final NestInstance nest;

    NestedBcast(final NestInstance nest) {
        this.nest = nest;
    }

    @Override
    public void plan(final Call.Bcast call, final AdvancedPlan plan) {
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        final int rootDomain = nest.level().domainOf(call.root());
        final boolean isWithRoot = nest.level().domainOf(plan.rank()) == rootDomain;
        if (isWithRoot && !nest.isAlone(plan.rank())) {
            final int root = nest.level().ranksOf(rootDomain).indexOf(call.root());
            plan.nested(nest.domain(), Operation.BCAST, new Call.Bcast(call.bytes(), root), null, data);
        }
        if (nest.leads(plan.rank())) {
            plan.nested(nest.leaders(), Operation.BCAST, new Call.Bcast(call.bytes(), rootDomain), null, data);
        }
        if (!isWithRoot && !nest.isAlone(plan.rank())) {
            plan.nested(nest.domain(), Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, data);
        }
    }
}
