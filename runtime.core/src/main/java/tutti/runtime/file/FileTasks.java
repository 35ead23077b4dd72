package tutti.runtime.file;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.context.CommContext;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.process.owner.JobEndedError;

/**
 * The threads of a rank that access a file while the rank goes on. Collective accesses are made by one thread, in the order of the calls; others by a
 * few. They are started when there is work for them and end when there is none.
 *
 * <p><b>Threads.</b> Safe for any thread.
 */
final class FileTasks {
    private static final long IDLE_MILLIS = 100;
    private static final int MOST_THREADS = 4;

    private final CommContext comm;
    private final RankLifecycle lifecycle;
    private @Nullable ThreadPoolExecutor collective;
    private @Nullable ThreadPoolExecutor independent;
    /** The last collective access; null before the first. */
    private @Nullable FileRequest last;

    /** The accesses that were started, the oldest first; each until the thread that has completed it goes on. */
    private final Set<FileRequest> pending = new LinkedHashSet<>();

    /** An access to a file. */
    interface Task {
        /** Makes the access. */
        Status run(FileRequest request);
    }

    /** Creates the tasks of a file, whose communicator is given. */
    FileTasks(final CommContext comm) {
        this.comm = comm;
        this.lifecycle = comm.owner().lifecycle();
    }

    /** Starts an access. */
    synchronized FileRequest start(final FileAccess access, final Task task) {
        final FileRequest request = new FileRequest(comm, access);
        pending.add(request);
        if (access.isCollective()) {
            collective = collective == null ? threads(1) : collective;
            last = request;
            collective.execute(() -> run(request, task));
        } else {
            independent = independent == null ? threads(MOST_THREADS) : independent;
            independent.execute(() -> run(request, task));
        }
        return request;
    }

    /** Returns the accesses that are not complete, the oldest first. */
    synchronized List<FileRequest> pending() {
        return pending.stream().filter(r -> !r.isDone()).toList();
    }

    private ThreadPoolExecutor threads(final int most) {
        final ThreadPoolExecutor made = new ThreadPoolExecutor(most, most, IDLE_MILLIS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(),
            work -> lifecycle.helpers().thread("-file", work));
        made.allowCoreThreadTimeOut(true);
        return made;
    }

    private void run(final FileRequest request, final Task task) {
        CoreOccupancy.enter();
        try {
            request.complete(task.run(request));
        } catch (final MpiFailure e) {
            request.fail(e);
        } catch (final JobEndedError e) {
            // a thread that waits for the request checks the lifecycle itself
            return;
        } catch (final RuntimeException e) {
            request.fail(new MpiFailure(ErrorClass.INTERN, "internal error: " + e, e));
        } finally {
            CoreOccupancy.leave();
            ended(request);
        }
    }

    private synchronized void ended(final FileRequest request) {
        pending.remove(request);
    }

    /** Waits until the collective accesses that were started are complete: the ranks' next exchange is that of the next call. */
    void awaitCollective() {
        final FileRequest before;
        synchronized (this) {
            before = last;
            last = null;
        }
        if (before != null) {
            try {
                before.await();
            } catch (final MpiFailure e) {
                // the request of the program has it
                return;
            }
        }
    }

    /** Waits until all accesses that were started are complete, and ends the threads. */
    void end() {
        final List<ThreadPoolExecutor> started;
        synchronized (this) {
            started = Stream.of(collective, independent).filter(Objects::nonNull).toList();
        }
        started.forEach(ThreadPoolExecutor::shutdown);
        boolean wasInterrupted = false;
        for (final ThreadPoolExecutor e : started) {
            while (!e.isTerminated()) {
                lifecycle.check();
                try {
                    e.awaitTermination(1, TimeUnit.SECONDS);
                } catch (final InterruptedException interrupt) {
                    wasInterrupted = true;
                }
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
