package tutti.runtime.process;

import java.nio.channels.Channel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the program of a rank has opened that the JVM does not close by itself, and the processes that it has started. All of it is closed and ended
 * with the rank, as when a process ends.
 *
 * <p>Those that the program has closed are dropped from time to time. Of those that cannot tell whether they are closed, the latest are kept.
 *
 * <p><b>Threads.</b> Safe for any thread: the lock of this object guards the fields. Nothing is closed under it.
 */
final class RankResources {
    private static final Logger LOG = LoggerFactory.getLogger(RankResources.class);
    /** The number of channels and processes up to which none is dropped, and the number of others that are kept. */
    private static final int FEW = 4_096;

    private final List<Channel> channels = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();
    private final Deque<AutoCloseable> others = new ArrayDeque<>();
    private int manyChannels = FEW;
    private int manyProcesses = FEW;

    synchronized void opened(final AutoCloseable resource) {
        if (resource instanceof final Channel channel) {
            if (channels.size() >= manyChannels) {
                channels.removeIf(c -> !c.isOpen());
                manyChannels = 2 * Math.max(FEW, channels.size());
            }
            channels.add(channel);
        } else {
            if (others.size() == FEW) {
                others.removeFirst();
            }
            others.add(resource);
        }
    }

    synchronized void started(final Process process) {
        if (processes.size() >= manyProcesses) {
            processes.removeIf(p -> !p.isAlive());
            manyProcesses = 2 * Math.max(FEW, processes.size());
        }
        processes.add(process);
    }

    /** Ends all processes with their descendants, and closes everything. What fails is logged. */
    void close() {
        take(processes).forEach(RankResources::end);
        take(others).forEach(RankResources::close);
        take(channels).forEach(RankResources::close);
    }

    private synchronized <T> List<T> take(final java.util.Collection<T> from) {
        final List<T> taken = new ArrayList<>(from);
        from.clear();
        return taken;
    }

    private static void end(final Process process) {
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static void close(final AutoCloseable resource) {
        try {
            resource.close();
        } catch (final Exception | LinkageError e) {
            LOG.debug("what a rank left open cannot be closed: {}", resource.getClass().getName(), e);
        }
    }
}
