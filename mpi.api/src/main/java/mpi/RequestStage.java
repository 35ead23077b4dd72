package mpi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A stage that waits for a request, and stages that depend on it. What is asynchronous runs on the thread of the rank, too. */
final class RequestStage extends CompletableFuture<Status> {
    private final Executor executor;

    RequestStage(final Executor executor) {
        this.executor = executor;
    }

    /** The request is complete. */
    void take(final Request request) {
        try {
            complete(request.waitStatus());
        } catch (final MPIException e) {
            completeExceptionally(e);
        }
    }

    @Override
    public Executor defaultExecutor() {
        return executor;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Dependent<>(executor);
    }

    /**
     * A stage that depends on the request.
     *
     * @param <T> what it gives
     */
    private static final class Dependent<T> extends CompletableFuture<T> {
        private final Executor executor;

        Dependent(final Executor executor) {
            this.executor = executor;
        }

        @Override
        public Executor defaultExecutor() {
            return executor;
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new Dependent<>(executor);
        }
    }
}
