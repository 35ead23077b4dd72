package com.example.coll.offload;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tutti.coll.advanced.Worker;
import tutti.coll.advanced.WorkerTask;

/**
 * A worker that carries out tasks on a thread of the module, by the operations of the runtime, and calls back. Safe for any thread.
 *
 * <p>A task is carried out in pieces, so that a cancelled one ends soon.
 */
final class ReducingThread implements Worker {
    private static final long PIECE = 1 << 18;

    private ExecutorService thread;

    synchronized void start() {
        thread = Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("offload").factory());
    }

    synchronized void stop() {
        if (thread != null) {
            thread.shutdownNow();
            thread = null;
        }
    }

    @Override
    public synchronized void start(final WorkerTask task) {
        if (thread == null) {
            throw new IllegalStateException("module offload is not active");
        }
        thread.execute(() -> carryOut(task));
    }

    private static void carryOut(final WorkerTask task) {
        try {
            final long element = task.reduction() == null ? 1 : task.reduction().elementBytes();
            final long piece = Math.max(1, PIECE / element) * element;
            for (long at = 0; at < task.bytes() && !task.isCancelled(); at += piece) {
                task.run(at, Math.min(piece, task.bytes() - at));
            }
            task.complete();
        } catch (final RuntimeException e) {
            task.fail(e);
        }
    }
}
