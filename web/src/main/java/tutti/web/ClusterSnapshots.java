package tutti.web;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tutti.daemon.monitor.ClusterView;

/** Snapshots of the cluster: one serves all requests of half a second, so that many requests ask other nodes once. Thread-safe. */
final class ClusterSnapshots {
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ClusterView cluster;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable ClusterSnapshot last;
    private long takenNanos;

    ClusterSnapshots(final ClusterView cluster) {
        this.cluster = cluster;
    }

    /** Returns a snapshot that is at most half a second old. Blocks. */
    ClusterSnapshot get() {
        lock.lock();
        try {
            ClusterSnapshot snapshot = last;
            if (snapshot == null || System.nanoTime() - takenNanos > FRESH_NANOS) {
                snapshot = ClusterSnapshot.of(cluster);
                last = snapshot;
                takenNanos = System.nanoTime();
            }
            return snapshot;
        } finally {
            lock.unlock();
        }
    }
}
