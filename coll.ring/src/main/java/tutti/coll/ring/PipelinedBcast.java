package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.Segments;

/**
 * Pipelined broadcast: the data travels from the root from neighbour to neighbour, segment by segment.
 *
 * <p>Source: J. Pješivac-Grbović, T. Angskun, G. Bosilca, G. E. Fagg, E. Gabriel, J. J. Dongarra, Performance analysis of MPI collective
 * operations, Cluster Computing 10(2), 2007, doi:10.1007/s10586-007-0012-0 (there: pipeline, a chain with one end).
 * <p>Idea: a rank sends a segment while it receives the next one, so all links are busy once the chain is filled. The chain runs from node to
 * node for any root; the picture shows one node.
 * <pre>
 *   4 ranks, root 2, segments a b c     step 1:  2 →a→ 3
 *                                       step 2:  2 →b→ 3 →a→ 0
 *                                       step 3:  2 →c→ 3 →b→ 0 →a→ 1
 * </pre>
 * <p>Cost for any p ranks, n bytes in s segments of one length: (p-2+s)(α + (n/s)β); (p-1)s messages.
 * <p>Needs: at least 2 ranks; any root, any n.
 * <p>Memory: none.
 */
final class PipelinedBcast implements Algorithm<Call.Bcast> {
    static final String NAME = "pipeline";

    private final long segment;
    private final RingOrder route;

    /**
     * @param segment length of a segment in bytes
     * @param route   order of the ring
     */
    PipelinedBcast(final long segment, final RingOrder route) {
        this.segment = segment;
        this.route = route;
    }

    @Override
    public void plan(final Call.Bcast call, final Plan plan) {
        final Ring ring = route.from(plan);
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        final Segments segments = RingSegments.of(segment, call.bytes(), 1);
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            if (plan.rank() != call.root()) {
                plan.recv(segments.of(data, i), ring.left());
            }
            if (ring.right() != call.root()) {
                plan.send(segments.of(data, i), ring.right());
            }
        }
    }
}
