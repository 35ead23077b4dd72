package com.example.coll.hub;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Linear broadcast: the root sends the data to every other rank.
 *
 * <p>Source: Open MPI, algorithm {@code basic_linear}.
 * <p>Idea: a rank waits only for the root. The messages have no dependencies, so all of them may be pending at the same time.
 * <pre>
 *   4 ranks, root 1     1 → 2,  1 → 3,  1 → 0
 * </pre>
 * <p>Cost for p ranks, n bytes: (p-1)(α + nβ), p = 2^k and other p alike; p-1 messages.
 * <p>Needs: nothing; any p, any root, any n.
 * <p>Memory: none.
 */
final class LinearBcast implements Algorithm<Call.Bcast> {
    static final String NAME = "linear";

    @Override
    public void plan(final Call.Bcast call, final Plan plan) {
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        if (plan.rank() != call.root()) {
            plan.recv(data, call.root());
            return;
        }
        for (int i = 1; i < plan.size(); i++) {
            plan.send(data, (call.root() + i) % plan.size());
        }
    }
}
