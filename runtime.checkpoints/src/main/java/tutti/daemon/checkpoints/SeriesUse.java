package tutti.daemon.checkpoints;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.Conversation;
import tutti.runtime.liveness.LiveWait;

/** Use of a series of checkpoints on this node by a job. Ends when it is closed. */
final class SeriesUse implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SeriesUse.class);

    private final Registry registry;
    private final String series;
    private final String job;
    private final @Nullable Conversation link;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private SeriesUse(final Registry registry, final String series, final String job, final @Nullable Conversation link) {
        this.registry = registry;
        this.series = series;
        this.job = job;
        this.link = link;
    }

    String series() {
        return series;
    }

    String job() {
        return job;
    }

    /**
     * Returns whether the job lives: it has ranks here, or its node says so. Otherwise the use has ended. Waits while the node does not answer and
     * its link is open.
     *
     * @param by link of the node that waits; null when it is this one
     */
    private boolean isLasting(final @Nullable Conversation by) throws IOException {
        if (link == null) {
            return true;
        }
        final CompletableFuture<Void> lives = new CompletableFuture<>();
        final var _ = link.peer(CopyOwner.class).confirm().whenComplete((value, e) -> {
            // when the link is lost, the use ends after the calls that are being served
            if (e == null || e instanceof CallFailedException) {
                lives.complete(null);
            }
        });
        final CompletableFuture<?> lost = by == null ? new CompletableFuture<>() : by.closed().toCompletableFuture();
        try {
            new LiveWait("checkpoints wait for the node of a job, which keeps copies here and does not answer: series=" + series + ", job=" + job,
                () -> true, LOG::info).await(CompletableFuture.anyOf(ended, lives, lost));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            // Cause: the node or the job ends.
            throw new IOException("interrupted", e);
        }
        if (lost.isDone()) {
            throw new IOException("the link is closed");
        }
        return !ended.isDone();
    }

    @Override
    public void close() {
        registry.end(this);
    }

    /** The uses of all series on a node. Safe for any thread. */
    static final class Registry {
        private final String node;
        private final List<SeriesUse> uses = new ArrayList<>();

        Registry(final String node) {
            this.node = node;
        }

        /**
         * Begins a use. Waits while another job keeps only copies here and its node does not answer, since that may be lost.
         *
         * @param link link of the node that keeps copies of its ranks here; null when the ranks are on this node
         * @throws IOException when another job uses the series
         */
        SeriesUse begin(final String series, final String job, final @Nullable Conversation link) throws IOException {
            CheckpointFolder.checkSeries(series);
            final SeriesUse made = new SeriesUse(this, series, job, link);
            while (true) {
                final SeriesUse other = lasting(series, job, link);
                if (other != null) {
                    throw new IOException("checkpoints are in use: series=" + series + ", node=" + node + ", used by job " + other.job
                        + ", wanted by job " + job + "; wait for that job, or end it with: tutti cancel " + other.job);
                }
                synchronized (this) {
                    if (other(series, job) == null) {
                        uses.add(made);
                        return made;
                    }
                }
            }
        }

        /** Waits until no job but one uses a series, or until it is known that another one goes on using it, whose use is returned. */
        private @Nullable SeriesUse lasting(final String series, final String job, final @Nullable Conversation by) throws IOException {
            SeriesUse other = other(series, job);
            while (other != null && !other.isLasting(by)) {
                other = other(series, job);
            }
            return other;
        }

        private synchronized @Nullable SeriesUse other(final String series, final String job) {
            SeriesUse found = null;
            for (final SeriesUse u : uses) {
                if (u.series.equals(series) && !u.job.equals(job) && (found == null || found.link != null)) {
                    found = u;
                }
            }
            return found;
        }

        /** Returns the id of the job that uses a series; null if none does. */
        @Nullable
        String user(final String series) {
            final SeriesUse found = other(series, "");
            return found == null ? null : found.job;
        }

        /** Returns the id of a job that goes on using a series; null if none does. Waits as {@link #begin} does. */
        @Nullable
        String lastingUser(final String series) throws IOException {
            final SeriesUse found = lasting(series, "", null);
            return found == null ? null : found.job;
        }

        private void end(final SeriesUse use) {
            synchronized (this) {
                uses.remove(use);
            }
            use.ended.complete(null);
        }
    }
}
