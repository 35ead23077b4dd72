package tutti.runtime.shm;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The boards of one job on one node, by context. Safe for any thread.
 *
 * <p>A board comes with the first rank that asks for it, and goes when all ranks of its communicator that are here have left, asked or not; that is
 * before the context is used again.
 */
public final class ShmRegions {
    private final ConcurrentMap<Integer, ShmRegion> boards = new ConcurrentHashMap<>();

    /** No boards. */
    public ShmRegions() { }

    /**
     * The board of a communicator.
     *
     * @param context of the communicator
     * @param ranks   of it, on all nodes
     * @param here    how many of them are on this node; a rank that is alone has a board of its own every time
     */
    public ShmRegion of(final int context, final int ranks, final int here) {
        return here == 1 ? new ShmRegion(ranks, 1) : boards.computeIfAbsent(context, c -> new ShmRegion(ranks, here));
    }

    /** A rank of a communicator leaves it for good. */
    public void leave(final int context, final int ranks, final int here) {
        if (here > 1) {
            boards.compute(context, (c, b) -> {
                final ShmRegion board = b == null ? new ShmRegion(ranks, here) : b;
                return board.leave() ? null : board;
            });
        }
    }

    /** How many there are. */
    public int count() {
        return boards.size();
    }
}
