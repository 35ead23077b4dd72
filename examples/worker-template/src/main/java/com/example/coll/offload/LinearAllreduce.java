package com.example.coll.offload;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.Worker;

/**
 * Linear allreduce whose root leaves the reductions to a worker.
 *
 * <p>Source: the linear reduction of MPICH, followed by a linear broadcast.
 * <p>Idea: the root receives from all ranks, reduces from the highest rank down to its own data, and sends the result to all.
 * <pre>
 *   4 ranks     1, 2, 3 → 0     0: (0 (op) (1 (op) (2 (op) 3)))     0 → 1, 2, 3
 * </pre>
 * <p>Cost for p ranks, n bytes: 2(p-1)(α + nβ) + (p-1)nγ, p = 2^k and other p alike; 2(p-1) messages. γ is that of the worker.
 * <p>Needs: nothing; any p, any reduction, any n.
 * <p>Memory: (p-1)n bytes on the root.
 */
final class LinearAllreduce implements AdvancedAlgorithm<Call.Allreduce> {
    private final Worker worker;

    LinearAllreduce(final Worker worker) {
        this.worker = worker;
    }

    @Override
    public void plan(final Call.Allreduce call, final AdvancedPlan plan) {
        final BufferRange result = Buffer.RECV.at(0, call.bytes());
        final BufferRange own = call.input();
        if (plan.rank() != 0) {
            plan.send(own, 0);
            plan.recv(result, 0);
            return;
        }
        if (plan.size() == 1) {
            if (!call.inPlace()) {
                plan.copy(worker, own, result);
            }
            return;
        }
        final BufferRange sum = plan.scratch(call.bytes());
        plan.recv(sum, plan.size() - 1);
        for (int rank = plan.size() - 2; rank > 0; rank--) {
            final BufferRange data = plan.scratch(call.bytes());
            plan.recv(data, rank);
            plan.reduce(worker, call.reduction(), data, sum);
        }
        plan.reduce(worker, call.reduction(), own, sum);
        plan.copy(sum, result);
        for (int rank = 1; rank < plan.size(); rank++) {
            plan.send(result, rank);
        }
    }
}
