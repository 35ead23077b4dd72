package com.example.coll.nearest;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.advanced.CollException;

/**
 * Pipelined chain broadcast in which each rank sends to the rank that is nearest to it of those that have no data yet.
 *
 * <p>Source: Open MPI, algorithm {@code chain} with one chain; its order by the nearest-neighbour method, D. J. Rosenkrantz, R. E. Stearns,
 * P. M. Lewis II, An analysis of several heuristics for the traveling salesman problem, SIAM Journal on Computing 6(3), 1977, doi:10.1137/0206041.
 * <p>Idea: the data crosses few slow links if the ranks of a fast part of the network are next to each other in the chain. A rank sends a segment on
 * while it receives the next one. The order depends on the root, and on times that are equal on all ranks.
 * <pre>
 *   4 ranks, root 1, ranks 0 and 2 on one node, 1 and 3 on another     1 → 3 → 0 → 2
 * </pre>
 * <p>Cost for p ranks, n bytes, segments of s bytes: (p-2+⌈n/s⌉)(α + sβ), p = 2^k and other p alike; (p-1)⌈n/s⌉ messages.
 * <p>Needs: n up to the limit, else all ranks fail with an error of class ERR_COUNT; any p, any root.
 * <p>Memory: none.
 */
final class NearestBcast implements Algorithm<Call.Bcast> {
    static final String NAME = "chain";
    /** The error class {@code MPI.ERR_COUNT}. */
    static final int ERR_COUNT = 2;
    /** The module's error code for a broadcast that is longer than the limit. */
    static final int TOO_LONG = 7301;

    private final RoundTrips times;
    private final int segment;
    private final long limit;

    NearestBcast(final RoundTrips times, final int segment, final long limit) {
        this.times = times;
        this.segment = segment;
        this.limit = limit;
    }

    @Override
    public void plan(final Call.Bcast call, final Plan plan) {
        if (call.bytes() > limit) {
            throw new CollException(ERR_COUNT, TOO_LONG, "broadcast is too long: bytes=" + call.bytes() + ", coll.nearest.limit=" + limit);
        }
        final List<Integer> chain = times.chain(call.root());
        final int at = chain.indexOf(plan.rank());
        for (long from = 0; from < call.bytes(); from += segment) {
            final BufferRange part = Buffer.RECV.at(from, Math.min(segment, call.bytes() - from));
            if (at > 0) {
                plan.recv(part, chain.get(at - 1));
            }
            if (at < chain.size() - 1) {
                plan.send(part, chain.get(at + 1));
            }
        }
    }
}
