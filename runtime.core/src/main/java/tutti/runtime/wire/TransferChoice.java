package tutti.runtime.wire;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Choice between the ways for the data of a long message from a JVM of this host. Which is the fastest depends on the processor, on the length, and
 * on whether the sender waits or computes. So the first messages of about a length go each way, the next ones the fastest, and now and then one goes
 * another way, in case that the load has changed.
 *
 * <p><b>Threads.</b> One thread at a time chooses. Any thread tells how long a message took: an estimate that is lost costs time only.
 */
final class TransferChoice {
    /** Messages of a class of lengths that first go each way. */
    private static final int FIRST = 4;
    /** One of so many messages goes another way: at first, while code that runs seldom is slow, more of them. */
    private static final int AGAIN = 64;
    private static final int AGAIN_AT_FIRST = 16;
    private static final int AT_FIRST = 1_024;
    /** Classes of lengths: up to 64 KiB, 256 KiB, 1 MiB, 4 MiB, and longer. */
    private static final int CLASSES = 5;
    private static final int LOG2_OF_FIRST = 16;
    private static final int LOG2_OF_STEP = 2;
    private static final long PICOS = 1_000;
    private static final Way[] WAYS = Way.values();

    private final int[] messages = new int[CLASSES];
    /** Estimates of the time per byte, in picoseconds, by way and class. */
    private final AtomicLongArray picos = new AtomicLongArray(WAYS.length * CLASSES);

    /** How data comes. */
    enum Way {
        /** The receiver reads it from the sender's memory. */
        READ,
        /** It comes in frames, which sender and receiver copy at the same time. */
        FRAMES,
        /** The receiver reads the first half, while the sender writes the second to the receiver's memory. */
        BOTH
    }

    /** Returns how the next message of that length comes; {@link Way#BOTH} only where it is possible. */
    Way next(final long bytes, final boolean isBothPossible) {
        final int at = classOf(bytes);
        final int ways = isBothPossible ? WAYS.length : WAYS.length - 1;
        final int number = messages[at]++;
        if (number < FIRST * ways) {
            return WAYS[number % ways];
        }
        int best = 0;
        for (int i = 0; i < ways; i++) {
            final long time = picos(i, at);
            if (time == 0) {
                return WAYS[i];
            }
            best = time < picos(best, at) ? i : best;
        }
        final int again = number < AT_FIRST ? AGAIN_AT_FIRST : AGAIN;
        return number % again == 0 ? WAYS[(best + 1 + number / again % (ways - 1)) % ways] : WAYS[best];
    }

    private long picos(final int way, final int at) {
        return picos.getOpaque(way * CLASSES + at);
    }

    /** Takes note of the time of a message. A time that is long by chance, as the system let another thread run, counts little. */
    void took(final Way way, final long bytes, final long nanos) {
        final int at = way.ordinal() * CLASSES + classOf(bytes);
        final long now = Math.max(1, nanos * PICOS / bytes);
        final long before = picos.getOpaque(at);
        picos.setOpaque(at, before == 0 || now < before ? now : before + (Math.min(now, 2 * before) - before) / 8);
    }

    private static int classOf(final long bytes) {
        final int log2 = Long.SIZE - Long.numberOfLeadingZeros(bytes - 1);
        return Math.clamp((log2 - LOG2_OF_FIRST + LOG2_OF_STEP - 1) / LOG2_OF_STEP, 0, CLASSES - 1);
    }
}
