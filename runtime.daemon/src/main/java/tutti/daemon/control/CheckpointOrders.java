package tutti.daemon.control;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.Message;

/**
 * Orders the checkpoints of a job: asks its parts for the last point that a rank has reached, and tells them to save their states at the point after
 * it. One at a time; who asks meanwhile gets the result of that one. Safe for any thread; the lock of this object guards all state, and nothing waits
 * under it.
 */
final class CheckpointOrders {
    private final Supplier<List<JobPartProxy>> parts;
    private @Nullable Order open;
    private long ordered;
    private boolean hasBegun;
    private boolean ended;

    /** A checkpoint that is ordered: the parts that have not told their last point, and the point after the last one of the others. */
    private static final class Order {
        private final long id;
        private final Set<Integer> missing = new HashSet<>();
        private final CompletableFuture<Message.Checkpointed> result;
        private long point = 1;

        Order(final long id, final CompletableFuture<Message.Checkpointed> result) {
            this.id = id;
            this.result = result;
        }
    }

    /** Creates the orders of a job with these parts. */
    CheckpointOrders(final Supplier<List<JobPartProxy>> parts) {
        this.parts = parts;
    }

    /**
     * Orders a checkpoint, unless one is ordered already; returns what becomes of it. One that is ordered before {@link #begin} is carried out then.
     * It fails when the job ends before.
     */
    CompletionStage<Message.Checkpointed> order() {
        final Order order;
        final List<JobPartProxy> asked;
        synchronized (this) {
            if (open != null) {
                return open.result;
            }
            order = new Order(++ordered, new CompletableFuture<>());
            open = order;
            asked = hasBegun || ended ? askOpen() : List.of();
        }
        asked.forEach(p -> p.order(new Message.PointOrder(order.id, 0)));
        return order.result;
    }

    /** Begins to carry out orders: the ranks of the job have been started. */
    void begin() {
        final List<JobPartProxy> asked;
        final long id;
        synchronized (this) {
            hasBegun = true;
            if (open == null) {
                return;
            }
            id = open.id;
            asked = askOpen();
        }
        asked.forEach(p -> p.order(new Message.PointOrder(id, 0)));
    }

    /** Returns the parts to ask for the open order, which fails when there are none. Called under the lock. */
    private List<JobPartProxy> askOpen() {
        final Order order = Objects.requireNonNull(open, "open order");
        final List<JobPartProxy> asked = ended ? List.of() : parts.get();
        if (asked.isEmpty()) {
            open = null;
            order.result.completeExceptionally(new IllegalStateException("the job has no ranks that run"));
        }
        asked.forEach(p -> order.missing.add(p.node()));
        return asked;
    }

    /** Accepts the last point of the part on a node. */
    void lastPoint(final int node, final Message.LastPoint answer) {
        final Message.PointOrder decided;
        synchronized (this) {
            if (open == null || open.id != answer.id() || !open.missing.remove(node)) {
                return;
            }
            open.point = Math.max(open.point, answer.point() + 1);
            if (!open.missing.isEmpty()) {
                return;
            }
            decided = new Message.PointOrder(open.id, open.point);
        }
        parts.get().forEach(p -> p.order(decided));
    }

    /** Accepts what became of a checkpoint, of one that was ordered or not. */
    void checkpointed(final Message.Checkpointed report) {
        final Order done;
        synchronized (this) {
            done = open;
            if (done == null || !done.missing.isEmpty() || report.point() < done.point) {
                return;
            }
            open = null;
        }
        done.result.complete(report);
    }

    /** Ends the open order, since the job has ended. */
    void end() {
        final Order left;
        synchronized (this) {
            ended = true;
            left = open;
            open = null;
        }
        if (left != null) {
            left.result.completeExceptionally(new IllegalStateException("the job has ended before all its ranks reached the point"));
        }
    }
}
