package tutti.runtime.file;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import tutti.runtime.comm.Communicator;
import tutti.runtime.window.Window;

/**
 * Locks on ranges of a file, for ranks of all nodes: the atomic mode. The file is cut into stripes, the ranks keep the locks of the stripes in turn,
 * and each is the lock of a window on the memory of that rank, which is empty. An access locks its stripes in the order of the ranks, so that no two
 * accesses wait for each other.
 */
final class RangeLocks {
    private static final int STRIPE_SHIFT = 16;

    private final Window window;
    private final int ranks;
    /** Accesses of this rank follow each other: a lock belongs to a rank, not to a thread. */
    private final ReentrantLock own = new ReentrantLock();

    /** Creates the locks, together with all ranks. */
    RangeLocks(final Communicator comm) {
        this.window = Window.allocate(comm, 0, 1);
        this.ranks = comm.size();
        window.hideEpochs("locks of " + comm.name());
    }

    /** Makes an access while the range is locked: from the offset {@code begin}, up to {@code end}. */
    <T> T locked(final boolean isExclusive, final long begin, final long end, final Supplier<T> access) {
        own.lock();
        final long first = begin >> STRIPE_SHIFT;
        final long count = Math.min(ranks, Math.max(begin, end - 1) / (1L << STRIPE_SHIFT) - first + 1);
        int locked = 0;
        try {
            for (int r = 0; r < ranks; r++) {
                if (Math.floorMod(r - first, (long) ranks) < count) {
                    window.lock(isExclusive, r, 0);
                    locked = r + 1;
                }
            }
            return access.get();
        } finally {
            try {
                for (int r = 0; r < locked; r++) {
                    if (Math.floorMod(r - first, (long) ranks) < count) {
                        window.unlock(r);
                    }
                }
            } finally {
                own.unlock();
            }
        }
    }

    /** Removes the locks, together with all ranks. */
    void free() {
        window.free();
    }
}
