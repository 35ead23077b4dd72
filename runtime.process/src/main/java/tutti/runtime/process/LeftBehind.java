package tutti.runtime.process;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.process.stop.SafeStopPoint;
import tutti.runtime.process.stop.ThreadGroups;
import tutti.runtime.process.stop.ThreadStopper;

/**
 * Removes what the ranks of a job left in parts of the JVM that all programs share: tasks on the threads of the common pool, of cleaners and of
 * finalizers, JMX beans, and files and sockets that a collection closes.
 *
 * <p><b>Threads.</b> Works on a thread of its own, since the code of a program may run; jobs that end at the same time have a thread each.
 */
final class LeftBehind {
    private static final Logger LOG = LoggerFactory.getLogger(LeftBehind.class);
    /** A program may have left many tasks, which come to the threads one after another. */
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int TRIES = 60;
    private static final long ROUND_MILLIS = 5;

    private LeftBehind() {}

    /** Removes in the background what ranks that have ended left behind. */
    static void remove() {
        final Thread thread = Thread.ofPlatform().group(ThreadGroups.root()).daemon().name("tutti-clean").inheritInheritableThreadLocals(false)
            .unstarted(LeftBehind::run);
        thread.setContextClassLoader(LeftBehind.class.getClassLoader());
        try {
            thread.start();
        } catch (final OutOfMemoryError e) {
            LOG.warn("what a job left behind is not removed: {}", e.getMessage());
        }
    }

    private static void run() {
        try {
            freeThreads();
            unregisterBeans();
            LeftDescriptors.reclaim();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final JMException | RuntimeException e) {
            LOG.warn("what a job left behind is not removed", e);
        }
    }

    private static void freeThreads() throws InterruptedException {
        final long begun = System.nanoTime();
        List<Thread> busy = busy();
        while (!busy.isEmpty() && System.nanoTime() - begun < LIMIT_NANOS) {
            busy.forEach(Thread::interrupt);
            ThreadStopper.stop(busy, RankExitError.INSTANCE, SafeStopPoint.IN_JDK, TRIES);
            TimeUnit.MILLISECONDS.sleep(ROUND_MILLIS);
            busy = busy();
        }
        if (!busy.isEmpty()) {
            LOG.error("threads of this JVM are kept by a job that has ended: threads={}, first={}", busy.size(), busy.getFirst().getName());
        }
    }

    /** Returns the shared threads that run code of a rank that has ended. */
    private static List<Thread> busy() {
        if (!RankLoader.hasEnded()) {
            return List.of();
        }
        return Thread.getAllStackTraces().entrySet().stream().filter(e -> isShared(e.getKey()) && isOfEnded(e)).map(Map.Entry::getKey)
            .toList();
    }

    /** Returns whether no rank ends the thread: it belongs to none, or replaces one of a pool in whose group it is by chance. */
    private static boolean isShared(final Thread thread) {
        return CurrentRank.of(thread) == null || thread instanceof ForkJoinWorkerThread;
    }

    private static boolean isOfEnded(final Map.Entry<Thread, StackTraceElement[]> stack) {
        return Stream.of(stack.getValue()).filter(f -> f.getClassLoaderName() == null && f.getModuleName() == null)
            .anyMatch(f -> RankLoader.hasEndedWith(f.getClassName()));
    }

    private static void unregisterBeans() throws JMException {
        if (!RankLoader.hasEnded() || MBeanServerFactory.findMBeanServer(null).isEmpty()) {
            return;
        }
        final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (final ObjectName name : server.queryNames(null, null)) {
            if (RankLoader.isOfEnded(server.getClassLoaderFor(name))) {
                server.unregisterMBean(name);
            }
        }
    }
}
