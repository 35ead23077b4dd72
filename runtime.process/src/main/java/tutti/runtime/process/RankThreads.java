package tutti.runtime.process;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.stop.ThreadGroups;
import tutti.runtime.process.stop.ThreadStopper;

/**
 * Finds the live threads of a rank.
 *
 * <p>Ranks that end at the same time share a listing of the JVM's threads: if each of a thousand listed those of all, the end of a job would take
 * long.
 *
 * <p><b>Threads.</b> Safe for any thread. The lock of this class guards the latest listing and is held while one is made.
 */
final class RankThreads {
    /** Weak, since a listing refers to threads and thereby to the programs of ranks. */
    private static WeakReference<@Nullable Listing> latest = new WeakReference<>(null);

    private RankThreads() {}

    /** The platform threads of all ranks that were alive at some time after {@code begun}, in nanoseconds. */
    private record Listing(long begun, Map<RankProcess, List<Thread>> threads) {}

    /** Returns a thread of the group that keeps a process alive: neither a daemon nor the current thread. Returns null when there is none. */
    static @Nullable Thread keepingAlive(final ThreadGroup group) {
        for (final Thread thread : in(group)) {
            if (thread != Thread.currentThread() && !thread.isDaemon()) {
                return thread;
            }
        }
        return null;
    }

    /** Returns all live threads of the rank in any group, virtual threads included, except the current thread. */
    static List<Thread> of(final RankProcess process) {
        final List<Thread> found = new ArrayList<>();
        for (final Thread thread : listing(System.nanoTime()).threads().getOrDefault(process, List.of())) {
            if (thread != Thread.currentThread() && thread.isAlive()) {
                found.add(thread);
            }
        }
        if (process.mayHaveVirtualThreads()) {
            ThreadStopper.virtualThreads().filter(thread -> thread != Thread.currentThread() && process.owns(thread)).forEach(found::add);
        }
        return found;
    }

    /** Returns the live platform threads of the ranks of a job, except their main threads. */
    static Stream<Thread> of(final JobThreads job) {
        return listing(System.nanoTime()).threads().entrySet().stream().filter(e -> e.getKey().threads() == job)
            .flatMap(e -> e.getValue().stream().filter(thread -> thread.isAlive() && !e.getKey().isMain(thread)));
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
            for (final Thread thread : in(ThreadGroups.root())) {
                final RankProcess owner = CurrentRank.of(thread);
                if (owner != null) {
                    listing.threads().computeIfAbsent(owner, o -> new ArrayList<>()).add(thread);
                }
            }
            latest = new WeakReference<>(listing);
        }
        return listing;
    }

    private static List<Thread> in(final ThreadGroup group) {
        Thread[] threads = new Thread[group.activeCount() + 16];
        int count = group.enumerate(threads);
        while (count == threads.length) {
            threads = new Thread[2 * threads.length];
            count = group.enumerate(threads);
        }
        return Arrays.asList(threads).subList(0, count);
    }
}
