package tutti.daemon.job;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tutti.runtime.checkpoint.store.CheckpointReport;

/**
 * Orders the checkpoints of a job: asks its parts for the last point that a rank has reached, and tells them to save their states at the point after
 * it. One at a time; who asks meanwhile gets the result of that one. Safe for any thread; the lock of this object guards all state, and nothing waits
 * under it.
 */
final class CheckpointOrders {
    private final JobParts parts;
    private @Nullable Order open;
    private boolean hasBegun;
    private boolean ended;

    /** A checkpoint that is ordered, and the point at which it is taken; 0 before that is known. */
    private static final class Order {
        private final CompletableFuture<CheckpointReport> result = new CompletableFuture<>();
        private long point;
    }

    /** Creates the orders of a job with these parts. */
    CheckpointOrders(final JobParts parts) {
        this.parts = parts;
    }

    /**
     * Orders a checkpoint, unless one is ordered already; returns what becomes of it. One that is ordered before {@link #begin} is carried out then.
     * It fails when the job ends before.
     */
    CompletionStage<CheckpointReport> order() {
        final Order order;
        final boolean begins;
        synchronized (this) {
            if (open != null) {
                return open.result;
            }
            order = new Order();
            open = order;
            begins = hasBegun || ended;
        }
        if (begins) {
            ask(order);
        }
        return order.result;
    }

    /** Begins to carry out orders: the ranks of the job have been started. */
    void begin() {
        final Order order;
        synchronized (this) {
            hasBegun = true;
            order = open;
        }
        if (order != null) {
            ask(order);
        }
    }

    /** Asks the parts for their last points, and decides the next one when all have answered. */
    private void ask(final Order order) {
        final List<CompletableFuture<Long>> points;
        synchronized (this) {
            points = ended ? List.of() : parts.all().stream().filter(p -> !p.isEnded())
                .map(p -> p.part().lastPoint().exceptionally(e -> 0L).applyToEither(p.ended().thenApply(done -> 0L), Function.identity())
                    .toCompletableFuture())
                .toList();
            if (points.isEmpty()) {
                open = null;
                // Cause: all ranks have ended.
                order.result.completeExceptionally(new IllegalStateException("the job has no ranks that run"));
                return;
            }
        }
        final CompletionStage<Void> all = CompletableFuture.allOf(points.toArray(CompletableFuture[]::new));
        all.thenRun(() -> {
            final long point = 1 + points.stream().mapToLong(CompletableFuture::join).max().orElse(0);
            synchronized (this) {
                order.point = point;
            }
            parts.all().stream().filter(p -> !p.isEnded()).forEach(p -> p.part().checkpointAt(point));
        });
    }

    /** Accepts what became of a checkpoint, of one that was ordered or not. */
    void checkpointed(final CheckpointReport report) {
        final Order done;
        synchronized (this) {
            done = open;
            if (done == null || done.point == 0 || report.point() < done.point) {
                return;
            }
            open = null;
        }
        done.result.complete(report);
    }

    /** Gives up the open order, since ranks have failed, whose states would be missing. */
    void lost() {
        // Cause: a rank has failed, and the job goes on without it. Remedy: order another checkpoint.
        giveUp("ranks have failed before all had reached the point", false);
    }

    /** Ends the open order, since the job has ended. */
    void end() {
        // Cause: all ranks have ended.
        giveUp("the job has ended before all its ranks reached the point", true);
    }

    private void giveUp(final String why, final boolean isLast) {
        final Order left;
        synchronized (this) {
            ended |= isLast;
            left = open;
            open = null;
        }
        if (left != null) {
            left.result.completeExceptionally(new IllegalStateException(why));
        }
    }
}
