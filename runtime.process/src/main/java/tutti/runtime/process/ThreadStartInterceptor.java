package tutti.runtime.process;

/**
 * Decides whether a rank may start a thread. Safe for any thread; allocates nothing while a job has threads to spare.
 */
final class ThreadStartInterceptor {
    private ThreadStartInterceptor() {}

    /**
     * Returns when the thread may start. A thread that belongs to no rank, and is started by none, always may.
     *
     * @throws RankExitError when the threads of the rank are being ended
     * @throws OutOfMemoryError when the job of the rank has as many threads as it may have
     */
    static void intercept(final Thread thread) {
        final RankProcess rank = CurrentRank.of(Thread.currentThread());
        if (rank != null) {
            if (rank.mustThreadsEnd()) {
                throw RankExitError.INSTANCE;
            }
            rank.threads().admit(thread);
        }
    }
}
