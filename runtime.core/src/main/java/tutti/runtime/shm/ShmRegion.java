package tutti.runtime.shm;

import java.util.BitSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;

/**
 * The shared-memory region of one communicator on one node: the slots in which its ranks expose their calls to each other. Safe for any thread.
 *
 * <p><b>Threads.</b> The number of ranks that left changes under the lock that the map of regions holds on the entry. {@code used} only turns true;
 * of two threads that set the failure, the later one may win.
 */
public final class ShmRegion {
    private final int localRanks;
    private final RankSlotTable calls;
    private final ConcurrentMap<Integer, PersistentSlots> persistentSlots = new ConcurrentHashMap<>();
    private volatile boolean used;
    /** Why the posts of ranks are not awaited any more that have left; null while none has. */
    private volatile @Nullable MpiFailure failure;
    /** Why all calls fail; null while they do not. */
    private volatile @Nullable MpiFailure closed;
    private int leftCount;
    /** The ranks that are lost. Guarded by itself. */
    private final BitSet lost = new BitSet();

    /**
     * Creates an empty region.
     *
     * @param ranks      number of ranks of the communicator; of both groups for an intercommunicator
     * @param localRanks number of these ranks on this node
     */
    ShmRegion(final int ranks, final int localRanks) {
        this.localRanks = localRanks;
        this.calls = new RankSlotTable(ranks, RankSlotTable.SLOTS, null);
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

    /** Fails what awaits a rank that is lost; returns whether that was not known. Idempotent; for any thread. */
    public boolean lose(final int rank, final MpiFailure why) {
        failure = failure == null ? why : failure;
        calls.slots(rank).leave(true);
        synchronized (lost) {
            final boolean isNew = !lost.get(rank);
            lost.set(rank);
            return isNew;
        }
    }

    /** Fails what awaits any rank, and all calls that have not ended. Idempotent; for any thread. */
    public void close(final MpiFailure why) {
        closed = why;
        for (int r = 0; r < calls.size(); r++) {
            calls.slots(r).leave(false);
        }
    }

    /** Returns why all calls fail; null while they do not. */
    public @Nullable MpiFailure closed() {
        return closed;
    }

    /**
     * Tells the ranks of the node that a call has failed since a rank is lost, perhaps one of another node, or the communicator was revoked. For any
     * thread.
     */
    public void tell(final MpiFailure why) {
        failure = failure == null ? why : failure;
    }

    /** Returns why calls fail since a rank is lost, or the communicator was revoked; null while none is. */
    public @Nullable MpiFailure failure() {
        return closed != null ? closed : failure;
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
