package tutti.runtime.wire;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Choice between two ways for the data of a long message from a JVM of this host: the receiver reads it from the sender's memory, or it comes in
 * frames, which sender and receiver copy at the same time. Which is faster depends on the processor and on the length. So the first messages of about
 * a length go both ways, the next ones the faster way, and now and then one goes the other way, in case that the load has changed.
 *
 * <p><b>Threads.</b> One thread at a time chooses. Any thread tells how long a message took: an estimate that is lost costs time only.
 */
final class ReadChoice {
    /** Messages of a class of lengths that first go one way, and the other. */
    private static final int FIRST = 4;
    /** One of so many messages goes the slower way. */
    private static final int AGAIN = 64;
    /** Classes of lengths: up to 64 KiB, 256 KiB, 1 MiB, 4 MiB, and longer. */
    private static final int CLASSES = 5;
    private static final int LOG2_OF_FIRST = 16;
    private static final int LOG2_OF_STEP = 2;
    private static final long PICOS = 1_000;

    private final int[] messages = new int[CLASSES];
    /** Estimates of the time per byte, in picoseconds, by class: of reads, then of frames. */
    private final AtomicLongArray picos = new AtomicLongArray(2 * CLASSES);

    /** Returns whether to read the next message of that length. */
    boolean isRead(final long bytes) {
        final int at = classOf(bytes);
        final int number = messages[at]++;
        if (number < 2 * FIRST) {
            return (number & 1) == 0;
        }
        final long read = picos.getOpaque(at);
        final long frames = picos.getOpaque(CLASSES + at);
        if (read == 0 || frames == 0) {
            return read == 0;
        }
        return read <= frames != (number % AGAIN == 0);
    }

    /** Takes note of the time of a message. A time that is long by chance, as the system let another thread run, counts little. */
    void took(final boolean isRead, final long bytes, final long nanos) {
        final int at = classOf(bytes) + (isRead ? 0 : CLASSES);
        final long now = Math.max(1, nanos * PICOS / bytes);
        final long before = picos.getOpaque(at);
        picos.setOpaque(at, before == 0 || now < before ? now : before + (Math.min(now, 2 * before) - before) / 8);
    }

    private static int classOf(final long bytes) {
        final int log2 = Long.SIZE - Long.numberOfLeadingZeros(bytes - 1);
        return Math.clamp((log2 - LOG2_OF_FIRST + LOG2_OF_STEP - 1) / LOG2_OF_STEP, 0, CLASSES - 1);
    }
}
