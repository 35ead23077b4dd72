package tutti.runtime.process;

import java.io.File;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the streams and sockets that programs left open, by a garbage collection: their cleaners close them. A collection stops all programs for a
 * moment, so that there is one only when a job leaves more descriptors than links and modules account for. Linux only.
 *
 * <p><b>Threads.</b> The lock of the class guards the field, and is held during a collection.
 */
final class LeftDescriptors {
    private static final Logger LOG = LoggerFactory.getLogger(LeftDescriptors.class);
    private static final File OPEN = new File("/proc/self/fd");
    private static final int SPARE = 8;
    private static final int COLLECTIONS = 3;
    private static final int WAITS = 10;
    private static final long WAIT_MILLIS = 50;

    /** The number of descriptors that no collection closes; 0 before it was counted. */
    private static int expected;

    private LeftDescriptors() {}

    /** Counts the descriptors that are open before a program runs. */
    static synchronized void expect() {
        if (expected == 0) {
            expected = count();
        }
    }

    /** Closes descriptors that programs left open, when there are more than before. */
    static synchronized void reclaim() throws InterruptedException {
        final int found = count();
        if (found > expected + SPARE) {
            for (int i = 0; i < COLLECTIONS && count() > expected + SPARE; i++) {
                System.gc();
                for (int wait = 0; wait < WAITS && count() > expected + SPARE; wait++) {
                    TimeUnit.MILLISECONDS.sleep(WAIT_MILLIS);
                }
            }
            LOG.debug("descriptors that a job left open: before={}, after a collection={}", found, count());
        }
        expected = count();
    }

    private static int count() {
        final String[] open = OPEN.list();
        return open == null ? 0 : open.length;
    }
}
