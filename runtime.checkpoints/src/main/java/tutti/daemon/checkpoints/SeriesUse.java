package tutti.daemon.checkpoints;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Use of a series of checkpoints on this node by a job. Ends when it is closed. */
final class SeriesUse implements AutoCloseable {
    /** How long copies that a lost node kept here may seem in use. */
    private static final Duration RELEASE = Duration.ofSeconds(10);

    private final Registry registry;
    private final String series;
    private final String job;
    private final boolean isCopy;

    private SeriesUse(final Registry registry, final String series, final String job, final boolean isCopy) {
        this.registry = registry;
        this.series = series;
        this.job = job;
        this.isCopy = isCopy;
    }

    String series() {
        return series;
    }

    String job() {
        return job;
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
         * Begins a use. Waits a while when another job keeps only copies here, since its nodes may be lost.
         *
         * @param isCopy whether another node keeps copies of its ranks here
         * @throws IOException when another job uses the series
         */
        synchronized SeriesUse begin(final String series, final String job, final boolean isCopy) throws IOException {
            CheckpointFolder.checkSeries(series);
            final SeriesUse other = await(series, job, RELEASE);
            if (other != null) {
                throw new IOException("checkpoints are in use: series=" + series + ", node=" + node + ", used by job " + other.job
                    + ", wanted by job " + job + "; wait for that job, or end it with: tutti cancel " + other.job);
            }
            final SeriesUse made = new SeriesUse(this, series, job, isCopy);
            uses.add(made);
            return made;
        }

        /** Waits until no job but one uses a series; returns the use of another job after the limit, or at once when it has ranks here. */
        private @Nullable SeriesUse await(final String series, final String job, final Duration limit) throws IOException {
            final long end = System.nanoTime() + limit.toNanos();
            SeriesUse other = other(series, job);
            while (other != null && other.isCopy && end - System.nanoTime() > 0) {
                try {
                    wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException("interrupted", e);
                }
                other = other(series, job);
            }
            return other;
        }

        private @Nullable SeriesUse other(final String series, final String job) {
            SeriesUse found = null;
            for (final SeriesUse u : uses) {
                if (u.series.equals(series) && !u.job.equals(job) && (found == null || found.isCopy)) {
                    found = u;
                }
            }
            return found;
        }

        /** Returns the id of the job that uses a series; null if none does. */
        synchronized @Nullable String user(final String series) {
            final SeriesUse found = other(series, "");
            return found == null ? null : found.job;
        }

        /** Returns the id of the job that uses a series after the time that the links of a job need to close; null if none does. */
        synchronized @Nullable String lastingUser(final String series, final Duration limit) throws IOException {
            final SeriesUse found = await(series, "", limit);
            return found == null ? null : found.job;
        }

        private synchronized void end(final SeriesUse use) {
            uses.remove(use);
            notifyAll();
        }
    }
}
