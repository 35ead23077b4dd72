package tutti.daemon.part;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.node.ExitStatus;
import tutti.runtime.inspect.RankState;

/** The part of a job at this end of a link, which serves it from the begin, although the part is made when it is prepared. Safe for any thread. */
final class ServedPart implements JobPart {
    /** Null before it is prepared. Guarded by this object, as the following fields. */
    private @Nullable JobPart part;
    private boolean isReserved;
    /** Why it was cancelled; null while it was not. */
    private @Nullable String cancelled;

    /**
     * Begins to make the part.
     *
     * @throws CallFailedException when there is one
     */
    synchronized void reserve() throws CallFailedException {
        if (isReserved) {
            throw new CallFailedException(ExitStatus.FAILED, "a link has one part of a job");
        }
        isReserved = true;
    }

    /**
     * Sets the part, which was made.
     *
     * @throws CallFailedException when it was cancelled meanwhile
     */
    synchronized void set(final JobPart made) throws CallFailedException {
        if (cancelled != null) {
            throw new CallFailedException(ExitStatus.CANCELLED, cancelled);
        }
        part = made;
    }

    private synchronized @Nullable JobPart part() {
        return part;
    }

    private JobPart made() {
        final JobPart made = part();
        if (made == null) {
            throw new IllegalStateException("the part is not prepared");
        }
        return made;
    }

    @Override
    public CompletionStage<Void> connect(final AgreedJob job) {
        final JobPart made = part();
        return made == null ? CompletableFuture.failedStage(new CallFailedException(ExitStatus.FAILED, "the part is not prepared"))
            : made.connect(job);
    }

    @Override
    public void start() {
        final JobPart made = made();
        Thread.ofVirtual().name("tutti-start").start(made::start);
    }

    @Override
    public void cancel(final String reason) {
        final JobPart made;
        synchronized (this) {
            made = part;
            cancelled = reason;
        }
        if (made != null) {
            Thread.ofVirtual().name("tutti-cancel").start(() -> made.cancel(reason));
        }
    }

    @Override
    public void endSpawned(final String reason) {
        final JobPart made = part();
        if (made != null) {
            made.endSpawned(reason);
        }
    }

    @Override
    public CompletionStage<List<RankState>> inspect(final long waitedMillis) {
        final JobPart made = part();
        return made == null ? CompletableFuture.completedStage(List.of()) : made.inspect(waitedMillis);
    }

    @Override
    public CompletionStage<Long> lastPoint() {
        final JobPart made = part();
        return made == null ? CompletableFuture.completedStage(0L) : made.lastPoint();
    }

    @Override
    public void checkpointAt(final long point) {
        made().checkpointAt(point);
    }
}
