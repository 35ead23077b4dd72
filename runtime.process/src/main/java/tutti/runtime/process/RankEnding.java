package tutti.runtime.process;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ends virtual threads of ranks that have ended. No native interface stops one that waits, but an interrupt wakes it, and then it may not wait again.
 *
 * <p><b>Threads.</b> Safe for any thread. The number is atomic; a rank is marked before it is counted, and before its threads are interrupted.
 */
final class RankEnding {
    /** The number of ranks whose threads are being ended, or could not be. Nothing else is looked at while there are none. */
    private static final AtomicInteger ENDING = new AtomicInteger();

    private RankEnding() {}

    static void begin() {
        ENDING.incrementAndGet();
    }

    static void end() {
        ENDING.decrementAndGet();
    }

    /**
     * Returns when a virtual thread may wait.
     *
     * @throws RankExitError when the threads of its rank must end
     */
    static void intercept(final Thread thread) {
        if (ENDING.get() > 0) {
            final RankProcess rank = CurrentRank.of(thread);
            if (rank != null && rank.mustThreadsEnd()) {
                throw RankExitError.INSTANCE;
            }
        }
    }
}
