package tutti.runtime.process;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.jdk.ThreadGroups;
import tutti.runtime.process.jdk.VirtualThreads;

/**
 * Finds the live threads of a rank.
 *
 * <p>Ranks that end at the same time share a listing of the JVM's threads: if each of a thousand listed those of all, the end of a job would take
 * long.
 *
 * <p><b>Threads.</b> Safe for any thread. The lock of this class guards the latest listing and is held while one is made.
 */
final class RankThreads {
    private static final long LOOK_MILLIS = 5;
    /** Weak, since a listing refers to threads and thereby to the programs of ranks. */
    private static WeakReference<@Nullable Listing> latest = new WeakReference<>(null);

    private RankThreads() {}

    /** The platform threads of all ranks that were alive at some time after {@code begun}, in nanoseconds. */
    private record Listing(long begun, Map<RankProcess, List<Thread>> threads) {}

    /** Returns a thread of the group that keeps a process alive: neither a daemon nor the current thread. Returns null when there is none. */
    static @Nullable Thread keepingAlive(final ThreadGroup group) {
        return ThreadGroups.threads(group).stream().filter(thread -> thread != Thread.currentThread() && !thread.isDaemon()).findFirst().orElse(null);
    }

    /** Returns all live threads of the rank in any group except the current thread, virtual threads included as far as {@link VirtualThreads} go. */
    static List<Thread> of(final RankProcess process) {
        final Stream<Thread> platform = listing(System.nanoTime()).threads().getOrDefault(process, List.of()).stream().filter(Thread::isAlive);
        final Stream<Thread> virtual = process.mayHaveVirtualThreads() ? VirtualThreads.all().filter(process::owns) : Stream.empty();
        return Stream.concat(platform, virtual).filter(thread -> thread != Thread.currentThread()).toList();
    }

    /** Returns the rank that has a live platform thread of that id; null when none has. */
    static @Nullable RankProcess owner(final long threadId) {
        return listing(System.nanoTime()).threads().entrySet().stream().filter(e -> e.getValue().stream().anyMatch(t -> t.threadId() == threadId))
            .map(Map.Entry::getKey).findFirst().orElse(null);
    }

    /** Returns a listing that was begun after a time. */
    private static synchronized Listing listing(final long after) {
        Listing listing = latest.get();
        if (listing == null || listing.begun() - after < 0) {
            listing = new Listing(System.nanoTime(), new HashMap<>());
            for (final Thread thread : ThreadGroups.threads(ThreadGroups.root())) {
                final RankProcess owner = CurrentRank.of(thread);
                if (owner != null) {
                    listing.threads().computeIfAbsent(owner, o -> new ArrayList<>()).add(thread);
                }
            }
            latest = new WeakReference<>(listing);
        }
        return listing;
    }

    /** Returns the threads that still run or wait: those that have neither ended nor are blocked for ever. */
    static List<Thread> running(final List<Thread> threads) {
        return threads.stream().filter(RankThreads::isRunning).toList();
    }

    private static boolean isRunning(final Thread thread) {
        return thread.isAlive() && !EndedThread.isBlocked(thread);
    }

    /** Waits until no thread runs any more; returns false when one does after {@code millis}. */
    static boolean await(final List<Thread> threads, final long millis) throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (final Thread thread : threads) {
            long left = deadline - System.nanoTime();
            while (isRunning(thread) && left > 0) {
                // nothing tells when a thread is blocked for ever
                thread.join(Math.clamp(TimeUnit.NANOSECONDS.toMillis(left), 1, LOOK_MILLIS));
                left = deadline - System.nanoTime();
            }
            if (isRunning(thread)) {
                return false;
            }
        }
        return true;
    }
}
