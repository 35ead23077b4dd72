package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.InPlaceExchange;
import tutti.coll.patterns.OwnBlock;
import tutti.coll.patterns.Segments;
import tutti.coll.patterns.Throttle;

/**
 * Interleaved alltoall, alltoallv and alltoallw: blocks are divided into segments, and every rank receives a segment of each other rank in turn. The
 * number of receives in progress is limited, so receivers set the pace.
 *
 * <p>Source: order and limit of {@link ScatteredAlltoall}; that receivers grant the data to senders in turn is as in B. Montazeri, Y. Li, M.
 * Alizadeh, J. Ousterhout, Homa: a receiver-driven low-latency transport protocol using network priorities, SIGCOMM 2018,
 * doi:10.1145/3230543.3230564.
 * <p>Idea: whole blocks that several ranks send to one share its link, and neither finish in the order in which they are needed nor at one time; some
 * links are then idle before others. Short segments in turn keep all senders of a rank, and all receivers, abreast of each other, and no more than
 * the segments in progress wait in the network. A receive waits for the receive w before with throttle w; sends wait for the receiver alone. In place
 * a block may only be replaced after it was sent: see {@link InPlaceExchange}. Empty blocks are skipped: sender and receiver both know them.
 * <pre>
 *   4 ranks, 2 segments, rank 1   sends to       2a 3a 0a 2b 3b 0b
 *            throttle 3           receives from  0a 3a 2a, then 0b after 0a, 3b after 3a, 2b after 2a
 * </pre>
 * <p>Cost for any p ranks, blocks of n bytes in s segments of one length, any throttle: (p-1)(sα + nβ); in place as {@link ScatteredAlltoall};
 * p(p-1)s messages, fewer where blocks are empty.
 * <p>Needs: nothing; any p, any block sizes and displacements; in place, blocks of a pair of ranks have one size in both directions, as MPI requires.
 * <p>Memory: none; in place the throttle times the size of the largest block.
 */
final class InterleavedAlltoall implements Algorithm<Call.Alltoall> {
    static final String NAME = "interleaved";

    private final long segment;
    private final int throttle;

    /**
     * @param segment  length of a segment in bytes
     * @param throttle largest number of receives in progress
     */
    InterleavedAlltoall(final long segment, final int throttle) {
        this.segment = segment;
        this.throttle = throttle;
    }

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        if (call.inPlace()) {
            InPlaceExchange.scattered(call.recv(), plan, throttle, throttle);
            return;
        }
        final Ring ring = RingOrder.BY_RANK.from(plan);
        final Throttle receives = new Throttle(throttle);
        boolean more = true;
        for (int i = 0; more; i++) {
            more = false;
            for (int t = 1; t < ring.size(); t++) {
                final int to = ring.back(ring.size() - t);
                final int from = ring.back(t);
                final BufferRange outgoing = part(call.send().in(Buffer.SEND, to), i, ring.size());
                final BufferRange incoming = part(call.recv().in(Buffer.RECV, from), i, ring.size());
                if (incoming.bytes() > 0) {
                    receives.add(plan.recv(incoming, from, receives.before()));
                }
                if (outgoing.bytes() > 0) {
                    plan.send(outgoing, to);
                }
                more |= incoming.bytes() + outgoing.bytes() > 0;
            }
        }
        OwnBlock.copy(call, plan);
    }

    /** Returns segment {@code i} of a block, empty after the last one. Sender and receiver divide it alike, by its length. */
    private BufferRange part(final BufferRange block, final int i, final int ranks) {
        final Segments segments = RingSegments.ofPair(segment, block.bytes(), ranks);
        return i < segments.count(block.bytes()) ? segments.of(block, i) : block.slice(0, 0);
    }
}
