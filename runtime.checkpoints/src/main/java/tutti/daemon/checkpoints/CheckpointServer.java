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
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Conversation;
import tutti.daemon.protocol.Protocol;

/**
 * Server of another node that keeps copies of checkpoints here, or fetches the files of a rank, on one link. {@link CheckpointClient} is the other
 * end. The use of the series ends after the last call: none of them changes files of the next job. Safe for any thread.
 */
public final class CheckpointServer implements CopyKeeper, ControlChannel.CloseListener {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointServer.class);

    private final Conversation conversation;
    private final NodeCheckpoints checkpoints;
    private final CheckpointFolder folder;
    /** Copies that were begun and wait for their blocks, by rank. */
    private final Map<Integer, Copy> copies = new HashMap<>();
    private @Nullable SeriesUse use;
    /** Calls that are being served. */
    private int running;
    private boolean isClosed;

    /** Copy of a rank that waits for its blocks. */
    private record Copy(int number, RankState state, List<Integer> needed, RankWriter writer) {}

    /** Creates the server of a channel. */
    public CheckpointServer(final ControlChannel channel, final NodeCheckpoints checkpoints) {
        this.conversation = channel.conversation();
        this.checkpoints = checkpoints;
        this.folder = checkpoints.folder();
        conversation.serve(CopyKeeper.class, this);
    }

    @Override
    public CompletionStage<Void> use(final String series, final String job) {
        return serve("use", () -> {
            final SeriesUse made = checkpoints.uses().begin(series, job, conversation);
            synchronized (this) {
                if (use == null && !isClosed) {
                    use = made;
                    return null;
                }
            }
            made.close();
            // Cause: a breach of the protocol; a [bound](security.md#bounds-of-a-node). Remedy: run the same release everywhere, or report it.
            throw new IOException("a link serves one series");
        });
    }

    @Override
    public CompletionStage<List<Integer>> keep(final int number, final int rank, final InputStream state) {
        return serve("keep", () -> {
            final SeriesUse of = used();
            checkRank(rank);
            drop(List.of(rank));
            final RankWriter writer = folder.write(of.series(), number, rank);
            try {
                final RankState made = writer.receive(state);
                made.header().check(of.series(), number, rank, of.job());
                final List<RankState.BlockFile> all = made.files();
                final List<Integer> needed = new ArrayList<>();
                for (int i = 0; i < all.size(); i++) {
                    if (!writer.link(made, all.get(i))) {
                        needed.add(i);
                    }
                }
                final Copy other;
                synchronized (this) {
                    other = copies.put(rank, new Copy(number, made, needed, writer));
                }
                if (other != null) {
                    other.writer().close();
                }
                return needed;
            } catch (final IOException | RuntimeException e) {
                writer.close();
                throw e;
            }
        });
    }

    @Override
    public CompletionStage<Void> blocks(final int number, final int rank, final InputStream files) {
        return serve("blocks", () -> {
            used();
            final Copy copy;
            synchronized (this) {
                copy = copies.remove(rank);
            }
            if (copy == null) {
                // Cause: the job ended while a part of it was prepared.
                throw new IOException("copy of a rank was not begun: number=" + number + ", rank=" + rank);
            }
            try (RankWriter writer = copy.writer()) {
                if (copy.number() != number) {
                    // Cause: the job ended while a part of it was prepared.
                    throw new IOException("copy of a rank is that of another checkpoint: number=" + number + ", rank=" + rank + ", begun="
                        + copy.number());
                }
                final List<RankState.BlockFile> all = copy.state().files();
                for (final int i : copy.needed()) {
                    writer.receive(files, copy.state(), all.get(i));
                }
                writer.commit();
            }
            return null;
        });
    }

    @Override
    public CompletionStage<Void> complete(final int number) {
        return serve("complete", () -> {
            final SeriesUse of = used();
            folder.complete(of.series(), number, of.job());
            return null;
        });
    }

    @Override
    public CompletionStage<Void> discard(final int number, final List<Integer> ranks) {
        return serve("discard", () -> {
            final SeriesUse of = used();
            drop(ranks);
            folder.discard(of.series(), number, ranks);
            return null;
        });
    }

    @Override
    public CompletionStage<Void> removeOlder(final int number) {
        return serve("removeOlder", () -> {
            folder.removeOlder(used().series(), number);
            return null;
        });
    }

    @Override
    public CompletionStage<InputStream> fetch(final String series, final String job, final int number, final long point, final int rank,
        final String file) {
        return serve("fetch", () -> {
            checkRank(rank);
            if (!StoredFiles.isName(file)) {
                // Cause: a file of the job is gone. Remedy: run the job again.
                throw new IOException("no file of a rank: " + file);
            }
            Path found = null;
            // the folder of the rank is another one once the checkpoint is complete
            for (int tries = 0; tries < 2; tries++) {
                found = folder.find(series, number, rank, job, point);
                if (found == null) {
                    // Cause: a file was removed while the job started, of a copy. Remedy: continue from another checkpoint.
                    throw new IOException("checkpoint is not here: series=" + series + ", number=" + number + ", rank=" + rank);
                }
                try {
                    return Files.newInputStream(found.resolve(file));
                } catch (final NoSuchFileException e) {
                    LOG.debug("no file {} in {}", file, found, e);
                }
            }
            throw StoredFiles.failure(Objects.requireNonNull(found, "found").resolve(file), folder.node(), new NoSuchFileException(file));
        });
    }

    private static void checkRank(final int rank) throws IOException {
        if (rank < 0 || rank >= Protocol.MAX_RANKS) {
            // Cause: the job ended while a part of it was prepared.
            throw new IOException("rank out of range: rank=" + rank);
        }
    }

    private synchronized SeriesUse used() throws IOException {
        if (isClosed || use == null) {
            // Cause: the job ended while a part of it was prepared.
            throw new IOException("no series of checkpoints is in use on this link");
        }
        return use;
    }

    /** Removes what was written of copies whose blocks will not come. */
    private void drop(final Collection<Integer> ranks) {
        final List<Copy> dropped;
        synchronized (this) {
            dropped = ranks.stream().map(copies::remove).filter(Objects::nonNull).toList();
        }
        dropped.forEach(c -> c.writer().close());
    }

    /** Returns whether a job of the peer uses its series, so that the link may be silent. */
    public synchronized boolean isBusy() {
        return use != null;
    }

    private <T extends @Nullable Object> CompletionStage<T> serve(final String call, final Callable<T> code) {
        return Conversation.result(() -> {
            synchronized (this) {
                if (isClosed) {
                    // Cause: the node that asked is gone.
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
                synchronized (this) {
                    running--;
                }
                releaseAfterLast();
            }
        });
    }

    @Override
    public void closed(final String reason) {
        synchronized (this) {
            isClosed = true;
        }
        releaseAfterLast();
    }

    /** Ends the use after the calls that are being served, when the link is lost. */
    private void releaseAfterLast() {
        final SeriesUse last;
        final List<Integer> left;
        synchronized (this) {
            if (!isClosed || running > 0) {
                return;
            }
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
