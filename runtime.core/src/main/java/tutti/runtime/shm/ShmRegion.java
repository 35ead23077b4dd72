package tutti.runtime.shm;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The shared-memory region of one communicator on one node: the slots in which its ranks expose their calls to each other. Safe for any thread.
 *
 * <p><b>Threads.</b> The number of ranks that left changes under the lock that the map of regions holds on the entry. {@code used} only turns true.
 */
public final class ShmRegion {
    private final int localRanks;
    private final RankSlotTable calls;
    private final ConcurrentMap<Integer, PersistentSlots> persistentSlots = new ConcurrentHashMap<>();
    private volatile boolean used;
    private int leftCount;

    /**
     * Creates an empty region.
     *
     * @param ranks      number of ranks of the communicator; of both groups for an intercommunicator
     * @param localRanks number of these ranks on this node
     */
    ShmRegion(final int ranks, final int localRanks) {
        this.localRanks = localRanks;
        this.calls = new RankSlotTable(ranks, RankSlotTable.SLOTS);
    }

    /** Returns the slots for calls that are numbered consecutively. */
    public RankSlotTable calls() {
        return calls;
    }

    /** Returns whether other ranks of the communicator are on this node. */
    public boolean hasOthers() {
        return localRanks > 1;
    }

    /** Records that some rank of the node uses shared memory on the communicator. */
    public void use() {
        if (!used) {
            used = true;
        }
    }

    /** Returns whether any rank of the node uses or used shared memory on the communicator. */
    public boolean isUsed() {
        return used;
    }

    /** Returns the slots of the persistent collective of that number. Each local rank that creates the collective asks once, and leaves it once. */
    public PersistentSlots persistentSlots(final int number) {
        return persistentSlots.computeIfAbsent(number, n -> new PersistentSlots(this, n));
    }

    void leave(final PersistentSlots left) {
        persistentSlots.compute(left.number(), (n, s) -> left.incrementLeft() == localRanks ? null : left);
    }

    /** Returns the number of persistent collectives that some rank has not left. */
    public int persistentSlots() {
        return persistentSlots.size();
    }

    /** Counts a local rank that leaves for good. Returns whether it was the last. */
    boolean leave() {
        return ++leftCount == localRanks;
    }
}
