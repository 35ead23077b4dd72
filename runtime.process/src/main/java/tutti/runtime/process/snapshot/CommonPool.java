package tutti.runtime.process.snapshot;

import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

/** The common pool: it must have nothing to do. Tasks that wait for a time are found by the class loaders that they refer to. */
record CommonPool() implements Examined {
    @Override
    public List<String> differences() {
        final ForkJoinPool pool = ForkJoinPool.commonPool();
        final boolean isOwn = Thread.currentThread() instanceof final ForkJoinWorkerThread worker && worker.getPool() == pool;
        final int active = pool.getActiveThreadCount() - (isOwn ? 1 : 0);
        final long queued = pool.getQueuedTaskCount() + pool.getQueuedSubmissionCount();
        return active <= 0 && queued == 0 ? List.of() : List.of("common pool has tasks: running=" + Math.max(0, active) + ", queued=" + queued);
    }

    @Override
    public boolean mayGo() {
        return true;
    }
}
