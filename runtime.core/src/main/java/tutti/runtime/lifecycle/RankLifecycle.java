package tutti.runtime.lifecycle;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.ProgressMode;
import tutti.runtime.process.owner.JobEndedError;

/**
 * The lifecycle of a rank: running until it is ended once, by any thread. Every thread of the rank checks it when it enters MPI or waits in it.
 *
 * <p>It also enforces the rank's thread level, if the job asks for that.
 *
 * <p><b>Threads.</b> Safe for any thread, and never waits. All fields but the level are volatile; the write of the main thread publishes the level.
 * The thread that ends the rank must wake the rank's threads, which then read the reason here.
 */
public final class RankLifecycle {
    private final RankHelperThreads helpers = new RankHelperThreads(this);
    private final MessagePolling network;
    private final Set<Runnable> atEnd = ConcurrentHashMap.newKeySet();
    private volatile ProgressMode progress = ProgressMode.ADAPTIVE;
    private volatile @Nullable String endReason;
    private volatile boolean serialized;
    private volatile @Nullable Thread mainThread;
    private @Nullable String level;
    private volatile @Nullable Thread waiting;
    /** When the thread that parked last did so, by {@link System#nanoTime}; 0 when it is not parked. */
    private volatile long parkedAt;

    /** Creates the lifecycle of a rank that runs; its job has no other nodes. */
    public RankLifecycle() {
        this(MessagePolling.NONE);
    }

    /** Creates the lifecycle of a rank that runs. */
    public RankLifecycle(final MessagePolling network) {
        this.network = network;
    }

    /** Returns what polls the links to the other nodes of the job. */
    public MessagePolling network() {
        return network;
    }

    /** Returns how the rank's threads wait. */
    public ProgressMode progress() {
        return progress;
    }

    /** Sets how the rank's threads wait. */
    public void setProgress(final ProgressMode mode) {
        progress = mode;
    }

    /** Returns the rank's helper threads. */
    public RankHelperThreads helpers() {
        return helpers;
    }

    /** Ends the rank. The caller must unpark threads that are parked; these then throw {@link JobEndedError}. */
    public void end(final String reason) {
        if (endReason == null) {
            endReason = reason;
        }
        atEnd.forEach(Runnable::run);
    }

    /** Runs an action when the rank is ended, unless it {@linkplain #endedBeforeRank ended} before. The action must not wait. */
    public void endsWithRank(final Runnable action) {
        atEnd.add(action);
    }

    /** Forgets an action that the end of the rank need not run any more. */
    public void endedBeforeRank(final Runnable action) {
        atEnd.remove(action);
    }

    /**
     * Restricts MPI calls to one thread and the helper threads.
     *
     * @param main        the thread that may call
     * @param threadLevel the level that is the reason, for messages
     */
    public void restrict(final Thread main, final String threadLevel) {
        level = threadLevel;
        mainThread = main;
    }

    /** Refuses, from now on, calls of a thread while another thread waits in a call. */
    public void serialize() {
        serialized = true;
    }

    /**
     * Returns while the rank runs, and throws {@link JobEndedError} when it has been ended. Refuses threads that must not call, or not at this time.
     */
    public void check() {
        final String reason = endReason;
        if (reason != null) {
            throw new JobEndedError(reason);
        }
        checkThread();
    }

    private void checkThread() {
        final Thread main = mainThread;
        if (main != null && isOtherThread(main)) {
            // Cause: with `-p check.threads=on`, `MPI.Init` and the levels SINGLE and FUNNELED permit calls of the main thread alone.
            throw new MpiFailure(ErrorClass.OTHER, "call from a thread that may not call: thread=" + Thread.currentThread().getName() + ", main="
                + main.getName() + ", level=" + level + ", use MPI.InitThread with MPI.THREAD_MULTIPLE or -p check.threads=off");
        }
        final Thread other = waiting;
        if (other != null && isOtherThread(other)) {
            // Cause: with `-p check.threads=on`, the level permits one call at a time.
            throw new MpiFailure(ErrorClass.OTHER, "call while another thread is in one: thread=" + Thread.currentThread().getName() + ", other="
                + other.getName() + ", level=SERIALIZED, use MPI.InitThread with MPI.THREAD_MULTIPLE or -p check.threads=off");
        }
    }

    /** Returns whether the calling thread is neither the given one nor a helper of the rank. */
    private static boolean isOtherThread(final Thread other) {
        return other != Thread.currentThread() && !RankHelperThreads.isHelper(Thread.currentThread());
    }

    /** Records that the calling thread begins to wait. */
    public void beginWait() {
        checkThread();
        if (serialized && !RankHelperThreads.isHelper(Thread.currentThread())) {
            waiting = Thread.currentThread();
        }
    }

    /** Records that the calling thread stops waiting. */
    public void endWait() {
        if (serialized && waiting == Thread.currentThread()) {
            waiting = null;
        }
    }

    /** Records that a thread of the rank is about to park in a wait. */
    public void parking() {
        parkedAt = System.nanoTime() | 1;
    }

    /** Records that a thread of the rank does not park any more. */
    public void unparked() {
        parkedAt = 0;
    }

    /** Returns for how long the thread that parked last has been parked, in milliseconds; 0 if it is not. */
    public long parkedMillis() {
        final long at = parkedAt;
        return at == 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - at);
    }

    /** Returns whether the rank has been ended. */
    public boolean isEnded() {
        return endReason != null;
    }
}
