package com.example.coll.offload;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import tutti.coll.advanced.Worker;
import tutti.coll.advanced.WorkerTask;

/**
 * A worker that stands in for an offload engine: it takes a task, is busy with it for a time that grows with the bytes, and cannot call back, so it
 * is polled. Safe for any thread.
 */
final class OffloadEngine implements Worker {
    private static final long LATENCY_NANOS = 50_000;
    private static final long NANOS_PER_KIB = 100;

    /** The time at which the engine has the result of a task, by task. */
    private final Map<WorkerTask, Long> ready = new ConcurrentHashMap<>();

    @Override
    public void start(final WorkerTask task) {
        ready.put(task, System.nanoTime() + LATENCY_NANOS + task.bytes() / 1024 * NANOS_PER_KIB);
    }

    @Override
    public boolean isPolled() {
        return true;
    }

    @Override
    public void poll(final WorkerTask task) {
        final Long at = ready.get(task);
        if (at != null && System.nanoTime() - at >= 0) {
            ready.remove(task);
            // an engine would have written the result into memory by now
            task.run(0, task.bytes());
            task.complete();
        }
    }

    @Override
    public void cancel(final WorkerTask task) {
        ready.remove(task);
    }
}
