package mpi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A completion stage of a request. Dependent actions run on the thread of the rank, including asynchronous ones. */
final class RequestStage extends CompletableFuture<Status> {
    private final Executor executor;

    RequestStage(final Executor executor) {
        this.executor = executor;
    }

    /** Completes the stage with the outcome of a request that is complete. */
    void completeFrom(final Request request) {
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
     * @param <T> the type of the result
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
