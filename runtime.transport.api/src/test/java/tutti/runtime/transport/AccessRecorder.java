package tutti.runtime.transport;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/** A completion of accesses for tests: counts its calls, and keeps the last value and failure. */
public final class AccessRecorder implements BulkAccess.Completion {
    /** Number of accesses that have ended. */
    public final AtomicInteger ended = new AtomicInteger();
    /** The last value. */
    public volatile long value;
    /** The last failure; null when the access did not fail. */
    public volatile IOException failure;

    @Override
    public void completed(final long result, final IOException cause) {
        value = result;
        failure = cause;
        ended.incrementAndGet();
    }

    /** Polls a link until that many accesses have ended in all. */
    public void await(final Link link, final int accesses) {
        while (ended.get() < accesses) {
            link.poll();
            Thread.onSpinWait();
        }
    }
}
