package tutti.daemon.checkpoints;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.Conversation;
import tutti.daemon.protocol.Protocol;

/**
 * Copies of checkpoints that this node keeps for another one, on one link. The use of the series ends after the last call: none of them changes
 * files of the next job. Safe for any thread.
 */
final class ServedCopies implements CopyKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(ServedCopies.class);

    private final NodeCheckpoints checkpoints;
    /** Copies that were begun and wait for their blocks, by rank. */
    private final Map<Integer, Copy> copies = new HashMap<>();
    private @Nullable SeriesUse use;
    /** Calls that are being served. */
    private int running;
    private boolean isClosed;

    /** Copy of a rank that waits for its blocks. */
    private record Copy(int number, RankState state, List<Integer> needed, RankWriter writer) {}

    ServedCopies(final NodeCheckpoints checkpoints) {
        this.checkpoints = checkpoints;
    }

    @Override
    public CompletionStage<Void> use(final String series, final String job) {
        return carryOut("use", () -> {
            final SeriesUse made = checkpoints.uses().begin(series, job, true);
            synchronized (this) {
                if (use == null && !isClosed) {
                    use = made;
                    return;
                }
            }
            made.close();
            throw new IOException("a link serves one series");
        });
    }

    @Override
    public CompletionStage<List<Integer>> keep(final int number, final int rank, final long bytes, final InputStream state) {
        return serve("keep", () -> {
            final SeriesUse of = used();
            checkRank(rank);
            drop(List.of(rank));
            final RankWriter writer = checkpoints.folder().write(of.series(), number, rank);
            try {
                final RankState made = ArrivingFiles.state(state, bytes, writer, checkpoints.folder());
                made.header().check(of.series(), number, rank, of.job());
                final List<RankState.BlockFile> all = made.files();
                final List<Integer> needed = new ArrayList<>();
                for (int i = 0; i < all.size(); i++) {
                    if (!writer.link(made, all.get(i))) {
                        needed.add(i);
                    }
                }
                put(rank, new Copy(number, made, needed, writer));
                return needed;
            } catch (final IOException | RuntimeException e) {
                writer.close();
                throw e;
            }
        });
    }

    private void put(final int rank, final Copy made) {
        final Copy other;
        synchronized (this) {
            other = copies.put(rank, made);
        }
        if (other != null) {
            other.writer().close();
        }
    }

    @Override
    public CompletionStage<Void> blocks(final int number, final int rank, final InputStream files) {
        return carryOut("blocks", () -> {
            used();
            final Copy copy;
            synchronized (this) {
                copy = copies.remove(rank);
            }
            if (copy == null) {
                throw new IOException("copy of a rank was not begun: number=" + number + ", rank=" + rank);
            }
            try (RankWriter writer = copy.writer()) {
                if (copy.number() != number) {
                    throw new IOException("copy of a rank is that of another checkpoint: number=" + number + ", rank=" + rank + ", begun="
                        + copy.number());
                }
                final List<RankState.BlockFile> all = copy.state().files();
                for (final int i : copy.needed()) {
                    ArrivingFiles.block(files, copy.state(), all.get(i), writer);
                }
                writer.commit();
            }
        });
    }

    @Override
    public CompletionStage<Void> complete(final int number) {
        return carryOut("complete", () -> {
            final SeriesUse of = used();
            checkpoints.folder().complete(of.series(), number, of.job());
        });
    }

    @Override
    public CompletionStage<Void> discard(final int number, final List<Integer> ranks) {
        return carryOut("discard", () -> {
            final SeriesUse of = used();
            drop(ranks);
            checkpoints.folder().discard(of.series(), number, ranks);
        });
    }

    @Override
    public CompletionStage<Void> removeOlder(final int number) {
        return carryOut("removeOlder", () -> {
            checkpoints.folder().removeOlder(used().series(), number);
        });
    }

    @Override
    public CompletionStage<InputStream> fetch(final String series, final String job, final int number, final long point, final int rank) {
        return serve("fetch", () -> {
            checkRank(rank);
            final RankFolder folder = () -> {
                final Path found = checkpoints.folder().find(series, number, rank, job, point);
                if (found == null) {
                    throw new IOException("checkpoint is not here: series=" + series + ", number=" + number + ", rank=" + rank);
                }
                return found;
            };
            return DepartingFiles.of(StoredFiles.open(folder.find(), checkpoints.folder().node()), name -> open(folder, name));
        });
    }

    /** Finds the folder of a rank, which is another one once the checkpoint is complete. */
    @FunctionalInterface
    private interface RankFolder {
        /** Returns where it is now. */
        Path find() throws IOException;
    }

    private InputStream open(final RankFolder folder, final String name) throws IOException {
        try {
            return Files.newInputStream(folder.find().resolve(name));
        } catch (final NoSuchFileException e) {
            final Path again = folder.find().resolve(name);
            try {
                return Files.newInputStream(again);
            } catch (final NoSuchFileException missing) {
                throw StoredFiles.failure(again, checkpoints.folder().node(), missing);
            }
        }
    }

    private static void checkRank(final int rank) throws IOException {
        if (rank < 0 || rank >= Protocol.MAX_RANKS) {
            throw new IOException("rank out of range: rank=" + rank);
        }
    }

    private synchronized SeriesUse used() throws IOException {
        if (isClosed || use == null) {
            throw new IOException("no series of checkpoints is in use on this link");
        }
        return use;
    }

    /** Removes what was written of copies whose blocks will not come. */
    private void drop(final Collection<Integer> ranks) {
        final List<Copy> dropped = new ArrayList<>();
        synchronized (this) {
            for (final int rank : ranks) {
                final Copy copy = copies.remove(rank);
                if (copy != null) {
                    dropped.add(copy);
                }
            }
        }
        dropped.forEach(c -> c.writer().close());
    }

    /** Returns whether a job of the other node uses its series. */
    synchronized boolean isUsed() {
        return use != null;
    }

    /** Call without a result. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private CompletionStage<Void> carryOut(final String call, final Step step) {
        return CompletableFuture.allOf(serve(call, () -> {
            step.run();
            return true;
        }).toCompletableFuture());
    }

    private <T> CompletionStage<T> serve(final String call, final Callable<T> code) {
        return Conversation.result(() -> {
            synchronized (this) {
                if (isClosed) {
                    throw new IOException("the link is closed");
                }
                running++;
            }
            try {
                return code.call();
            } catch (final IOException | RuntimeException e) {
                LOG.debug("request about a checkpoint failed: {}", call, e);
                throw e;
            } finally {
                ended();
            }
        });
    }

    private void ended() {
        final boolean isLast;
        synchronized (this) {
            running--;
            isLast = isClosed && running == 0;
        }
        if (isLast) {
            release();
        }
    }

    /** Ends the use after the calls that are being served: the link is lost. */
    void close() {
        final boolean isLast;
        synchronized (this) {
            isClosed = true;
            isLast = running == 0;
        }
        if (isLast) {
            release();
        }
    }

    private void release() {
        final SeriesUse last;
        final List<Integer> left;
        synchronized (this) {
            last = use;
            use = null;
            left = List.copyOf(copies.keySet());
        }
        drop(left);
        if (last != null) {
            last.close();
        }
    }
}
