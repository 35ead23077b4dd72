package tutti.runtime.shm;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The shared-memory regions of one job on one node, by context id and leader. Safe for any thread.
 *
 * <p>A region is created by the first rank that asks for it. It is removed when all local ranks of its communicator have left, whether they
 * asked for it or not. That is before the context id is used again.
 *
 * <p><b>Threads.</b> The map locks an entry while its region is created or left.
 */
public final class ShmRegions {
    private final ConcurrentMap<Key, ShmRegion> regions = new ConcurrentHashMap<>();

    /** A communicator of this node's ranks. */
    record Key(long context, int leader) {}

    /** Creates an empty set of regions. */
    public ShmRegions() {}

    /**
     * Returns the region of a communicator.
     *
     * @param context    context id of the communicator
     * @param leader     rank in COMM_WORLD of its first rank: hidden communicators of different ranks may have the same context id
     * @param ranks      number of its ranks, on all nodes
     * @param localRanks number of its ranks on this node; a rank that is alone gets a new region every time
     */
    public ShmRegion of(final long context, final int leader, final int ranks, final int localRanks) {
        return localRanks == 1 ? new ShmRegion(ranks, 1) : regions.computeIfAbsent(new Key(context, leader), k -> new ShmRegion(ranks, localRanks));
    }

    /** Counts a rank of a communicator that leaves it for good. */
    public void leave(final long context, final int leader, final int ranks, final int localRanks) {
        if (localRanks > 1) {
            regions.compute(new Key(context, leader), (k, b) -> {
                final ShmRegion region = b == null ? new ShmRegion(ranks, localRanks) : b;
                return region.leave() ? null : region;
            });
        }
    }

    /** Returns the number of regions. */
    public int count() {
        return regions.size();
    }
}
