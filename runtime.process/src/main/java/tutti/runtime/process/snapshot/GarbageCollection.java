package tutti.runtime.process.snapshot;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;

/** Collects garbage. */
final class GarbageCollection {
    private GarbageCollection() {}

    /**
     * Collects garbage once, and waits until the JDK has begun to pass on the references that were cleared. Waits no longer than the deadline, and
     * not at all if it has passed.
     */
    static void run(final Deadline deadline) throws InterruptedException {
        final ReferenceQueue<Object> cleared = new ReferenceQueue<>();
        final Reference<Object> sample = new PhantomReference<>(new Object(), cleared);
        System.gc();
        if (!deadline.hasPassed()) {
            // zero would wait for ever
            cleared.remove(Math.max(1, deadline.leftMillis()));
        }
        Reference.reachabilityFence(sample);
    }
}
