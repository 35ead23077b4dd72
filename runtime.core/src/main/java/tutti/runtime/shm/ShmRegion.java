package tutti.runtime.shm;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** What the ranks of a node show each other on one communicator. Safe for any thread. */
public final class ShmRegion {
    private final int here;
    private final RankSlotTable calls;
    private final ConcurrentMap<Integer, PersistentSlots> series = new ConcurrentHashMap<>();
    private volatile boolean used;
    private int gone;

    /**
     * An empty one.
     *
     * @param ranks of the communicator; of an intercommunicator those of both groups
     * @param here  how many of them are on this node
     */
    ShmRegion(final int ranks, final int here) {
        this.here = here;
        this.calls = new RankSlotTable(ranks, RankSlotTable.SLOTS);
    }

    /** Of calls that are numbered one after the other. */
    public RankSlotTable calls() {
        return calls;
    }

    /** Whether there are other ranks to show something. */
    public boolean hasOthers() {
        return here > 1;
    }

    /** Some rank here awaits others in shared memory, now or later. */
    public void use() {
        if (!used) {
            used = true;
        }
    }

    /** Whether any rank here does, or did. */
    public boolean isUsed() {
        return used;
    }

    /** What belongs to the persistent collective of that number. Each rank that is here and makes it asks once, and leaves it once. */
    public PersistentSlots series(final int number) {
        return series.computeIfAbsent(number, n -> new PersistentSlots(this, n));
    }

    void leave(final PersistentSlots left) {
        series.compute(left.number(), (n, s) -> left.left() == here ? null : left);
    }

    /** How many persistent collectives have not been left by all. */
    public int series() {
        return series.size();
    }

    /** One of the ranks that are here leaves for good. Returns whether it was the last. */
    boolean leave() {
        return ++gone == here;
    }
}
