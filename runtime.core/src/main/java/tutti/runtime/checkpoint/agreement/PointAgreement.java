package tutti.runtime.checkpoint.agreement;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets the ranks of a job stop at one point of the program when the daemon asks for a checkpoint. Every rank counts the points that it reaches.
 *
 * <p>The coordinator of the job first asks all nodes for the last point that a rank has {@linkplain #ask reached}; ranks that reach a later one wait
 * there from then on. It then tells all nodes the point after the last of these, which is the {@linkplain #decide agreed} one. Ranks that wait at an
 * earlier one go on. So ranks wait for the coordinator alone, never for each other.
 *
 * <p><b>Threads.</b> A rank writes its point and then reads the question; the daemon writes the question and then reads the points. Both accesses are
 * volatile: a rank that does not see the question has its point seen by the daemon. The lock of this object orders the daemon's threads.
 */
public final class PointAgreement {
    private static final VarHandle POINT = MethodHandles.arrayElementVarHandle(long[].class);
    /** Distance of the points of two ranks, so that they share no cache line. */
    private static final int SPACING = 16;
    private static final long UNDECIDED = Long.MAX_VALUE;

    /** A question, and the point at which it is answered. */
    private static final class Question {
        private final CompletableFuture<Void> decided = new CompletableFuture<>();
        private volatile long point = UNDECIDED;

        void decide(final long agreed) {
            point = agreed;
            decided.complete(null);
        }
    }

    private final long[] points;
    private volatile @Nullable Question question;

    /** Creates the agreement of the ranks of a node. */
    public PointAgreement(final int localRanks) {
        points = new long[localRanks * SPACING];
    }

    /**
     * Records that a rank of the node has reached a point; returns whether it is the one at which all ranks save their states.
     *
     * @param local index of the rank among those of the node
     * @param wait  waits until a stage is complete
     */
    public boolean reach(final int local, final long point, final Consumer<CompletionStage<?>> wait) {
        POINT.setVolatile(points, local * SPACING, point);
        final Question asked = question;
        if (asked == null || asked.point < point) {
            return false;
        }
        if (asked.point == UNDECIDED) {
            wait.accept(asked.decided);
        }
        return asked.point == point;
    }

    /** Returns the later one of a point, and of that at which the ranks save their states. */
    public long last(final long point) {
        final Question asked = question;
        return asked == null || asked.point == UNDECIDED ? point : Math.max(point, asked.point);
    }

    /** Makes ranks that reach a later point wait there, until {@link #decide}. Returns the last point that a rank of the node has reached. */
    public synchronized long ask() {
        if (question == null || question.point != UNDECIDED) {
            question = new Question();
        }
        long last = 0;
        for (int i = 0; i < points.length; i += SPACING) {
            last = Math.max(last, (long) POINT.getVolatile(points, i));
        }
        return last;
    }

    /** Tells the ranks at which point they save their states: a later one than any rank had reached; 0 if they do not. */
    public synchronized void decide(final long point) {
        if (question != null && question.point == UNDECIDED) {
            question.decide(point);
        }
    }
}
