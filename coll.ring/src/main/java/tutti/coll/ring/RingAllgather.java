package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.Segments;

/**
 * Ring allgather and allgatherv: every rank sends to its right neighbour what it received from its left neighbour, segment by segment.
 *
 * <p>Source: E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn, Collective communication: theory, practice, and experience, Concurrency and
 * Computation: Practice and Experience 19(13), 2007, doi:10.1002/cpe.1206 (there: bucket allgather).
 * <p>Idea: in step t rank r sends block r-t and receives block r-t-1, all modulo p, directly in the receive buffer. Every segment travels
 * independently, so no rank waits for the end of a long block where blocks differ in length. Empty blocks are skipped: every rank knows them. The
 * ring runs from node to node; the picture numbers ranks in ring order.
 * <pre>
 *   4 ranks, what moves     step 0:  0 →0→ 1 →1→ 2 →2→ 3 →3→ 0
 *                           step 1:  0 →3→ 1 →0→ 2 →1→ 3 →2→ 0
 *                           step 2:  0 →2→ 1 →3→ 2 →0→ 3 →1→ 0
 * </pre>
 * <p>Cost for any p ranks, blocks of m bytes in s segments of one length: (p-1)(sα + mβ); p(p-1)s messages. If only one block has data, of m bytes:
 * (p-2+s)(α + (m/s)β).
 * <p>Needs: at least 2 ranks; any block sizes and displacements.
 * <p>Memory: none.
 */
final class RingAllgather implements Algorithm<Call.Allgather> {
    static final String NAME = "ring";

    private final long segment;
    private final RingOrder route;

    /**
     * @param segment length of a segment in bytes
     * @param route   order of the ring
     */
    RingAllgather(final long segment, final RingOrder route) {
        this.segment = segment;
        this.route = route;
    }

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final Blocks blocks = call.recv();
        if (!call.inPlace()) {
            new DataTasks(plan).copy(call.input(plan.rank()), blocks.in(Buffer.RECV, plan.rank()));
        }
        around(plan, route.from(plan), blocks, RingSegments.of(segment, blocks, 1), call.input(plan.rank()));
    }

    /** Plans the allgather of {@code blocks} in RECV; {@code own} is where the rank's own block is read. */
    static void around(final Plan plan, final Ring ring, final Blocks blocks, final Segments segments, final BufferRange own) {
        BufferRange held = own;
        for (int step = 0; step < ring.size() - 1; step++) {
            for (int i = 0; i < segments.count(held.bytes()); i++) {
                plan.send(segments.of(held, i), ring.right());
            }
            held = blocks.in(Buffer.RECV, ring.back(step + 1));
            for (int i = 0; i < segments.count(held.bytes()); i++) {
                plan.recv(segments.of(held, i), ring.left());
            }
        }
    }
}
