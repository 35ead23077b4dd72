package tutti.coll.tree;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Gatherv along a star, with a window: the root receives from a few ranks at a time.
 *
 * <p>Source: textbook; the window bounds what arrives at once, which else costs much where many send to one (incast).
 * <p>Idea: only the root knows the sizes, and a plan has all sizes in it, so no rank can collect for others: the star is the only tree. The root
 * takes ranks in turn from the one after it, and is ready for the next when the one that came a window before is done. Empty blocks are left
 * out: sender and root agree on them.
 * <pre>
 *   5 ranks, root 1, window 2     2 → 1 and 3 → 1;   when 2 is done 4 → 1;   when 3 is done 0 → 1
 * </pre>
 * <p>Cost for p ranks, n bytes in the blocks of the others together: (p-1)α + nβ, p = 2^k and other alike; a message for each block that is
 * not empty, but the root's.
 * <p>Needs: nothing; any p, any root, any sizes and places.
 * <p>Memory: none.
 */
final class ThrottledGatherv implements Algorithm<Call.Gather> {
    static final String NAME = "windowed";

    private final int window;

    /** @param window most blocks that the root receives at once */
    ThrottledGatherv(final int window) {
        this.window = window;
    }

    @Override
    public void plan(final Call.Gather call, final Plan plan) {
        final int root = call.root();
        if (plan.rank() != root) {
            if (call.sendBytes() > 0) {
                plan.send(call.input(plan.rank()), root);
            }
            return;
        }
        final Blocks blocks = call.recv();
        if (!call.inPlace() && blocks.bytes(root) > 0) {
            plan.copy(call.input(root), blocks.in(Buffer.RECV, root));
        }
        final Throttle turns = new Throttle(window);
        for (final int peer : Throttle.others(root, plan.size())) {
            if (blocks.bytes(peer) > 0) {
                turns.add(plan.recv(blocks.in(Buffer.RECV, peer), peer, turns.free()));
            }
        }
    }
}
