package tutti.daemon.checkpoints;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;

/** The checkpoints of a part of a job: on this node, and copies on its partner. */
public final class JobCheckpoints implements CheckpointStorage, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobCheckpoints.class);

    private final NodeCheckpoints node;
    private final CheckpointFolder folder;
    private final SeriesUse use;
    private final List<String> names;
    private final int self;
    /** Ranks whose states were written here. */
    private final Set<Integer> written = ConcurrentHashMap.newKeySet();
    private final @Nullable Restart from;
    private volatile @Nullable CheckpointClient link;
    private volatile boolean isClosed;

    JobCheckpoints(final NodeCheckpoints node, final SeriesUse use, final List<String> names, final int self,
        final @Nullable Restart from) {
        this.node = node;
        this.folder = node.folder();
        this.use = use;
        this.names = List.copyOf(names);
        this.self = self;
        this.from = from;
    }

    @Override
    public int restored() {
        return from == null ? 0 : from.number();
    }

    @Override
    public @Nullable StoredRank restored(final int rank) throws IOException {
        if (from == null) {
            return null;
        }
        final Path found = folder.find(from.series(), from.number(), rank, from.job(), from.point());
        if (found == null) {
            // Cause: a file was removed while the job started. Remedy: continue from another checkpoint.
            throw new IOException("checkpoint is missing: series=" + from.series() + ", number=" + from.number() + ", rank=" + rank + ", node="
                + folder.node());
        }
        return StoredFiles.open(found, folder.node());
    }

    @Override
    public List<Integer> held(final int number, final long point) throws IOException {
        return folder.ranks(use.series(), number, jobOf(number, point), point);
    }

    @Override
    public StoredRank stored(final int number, final long point, final int rank, final int ranks) throws IOException {
        return node.stored(use.series(), jobOf(number, point), number, point, rank, ranks);
    }

    /** Returns the id of the job that has written a checkpoint: this one, or that which it continues. */
    private String jobOf(final int number, final long point) {
        return from != null && from.number() == number && from.point() == point ? from.job() : use.job();
    }

    /** Returns the link to the partner, which is opened when there is none; null when the node is alone. */
    private synchronized @Nullable CheckpointClient partner() throws IOException {
        if (isClosed) {
            // Cause: the job ends.
            throw new IOException("checkpoints of the job are closed: series=" + use.series());
        }
        final CheckpointClient current = link;
        if (current != null && !current.isLost()) {
            return current;
        }
        link = null;
        final String name = node.neighbour(IntStream.range(1, names.size()).mapToObj(i -> names.get((self + i) % names.size())).toList());
        if (name == null) {
            return null;
        }
        try {
            final CheckpointClient made = node.link(name, use.series(), use.job());
            link = made;
            if (isClosed) {
                // which may not have seen the link
                made.close();
            }
            made.use();
            return made;
        } catch (final IOException e) {
            link = null;
            // Cause: its disk is full, or it is gone. Remedy: make room; start it again.
            throw new IOException("node " + name + " cannot keep copies of the ranks of node " + folder.node() + ": " + Protocol.oneLine(e), e);
        }
    }

    @Override
    public void write(final int number, final SavedRank state) throws IOException {
        written.add(state.rank());
        final CheckpointClient partner = partner();
        final TreeSet<String> keepers = new TreeSet<>(names);
        if (partner != null) {
            keepers.add(partner.node());
        }
        final RankState.Header header = new RankState.Header(use.series(), number, state.ranks(), state.rank(), use.job(),
            from == null ? 1 : from.generation() + 1, state.point(), System.currentTimeMillis(), List.copyOf(keepers), state.bytes());
        try (RankWriter writer = folder.write(use.series(), number, state.rank())) {
            final RankState made = writer.write(header, state);
            final List<Integer> needed = partner == null ? List.of() : partner.keep(number, state.rank(), writer.stateFile());
            writer.write(made, state);
            // while the disk here writes
            if (partner != null) {
                partner.blocks(number, made, needed, state);
            }
            writer.commit();
            LOG.debug("rank {} of checkpoint {} of series {} is written: bytes={}, linked={}", state.rank(), number, use.series(), header.bytes(),
                writer.linkedBytes());
        }
    }

    @Override
    public void complete(final int number) throws IOException {
        folder.complete(use.series(), number, use.job());
        final CheckpointClient partner = partner();
        if (partner != null) {
            partner.call(k -> k.complete(number));
        }
    }

    @Override
    public void discard(final int number) {
        try {
            folder.discard(use.series(), number, written);
        } catch (final IOException e) {
            // Cause: files of a checkpoint that was not completed stay on the disk. Remedy: correct the permissions; `tutti checkpoints --remove`.
            LOG.warn("checkpoint cannot be discarded: series={}, number={}, reason={}", use.series(), number, Protocol.oneLine(e));
        }
        atPartner("DISCARD", number, k -> k.discard(number, List.copyOf(written)));
    }

    @Override
    public void removeOlder(final int number) {
        try {
            folder.removeOlder(use.series(), number);
        } catch (final IOException e) {
            // Cause: the folder is no longer the node's. Remedy: correct its permissions.
            LOG.warn("older checkpoints cannot be removed: series={}, number={}, reason={}", use.series(), number, Protocol.oneLine(e));
        }
        atPartner("REMOVE_OLDER", number, k -> k.removeOlder(number));
    }

    private void atPartner(final String name, final int number, final CheckpointClient.Call<Void> step) {
        try {
            final CheckpointClient partner = partner();
            if (partner != null) {
                partner.call(step);
            }
        } catch (final IOException e) {
            // Cause: the node with the copies does not answer. Remedy: `tutti checkpoints --remove` when the job has ended.
            LOG.warn("copies of a checkpoint stay: series={}, number={}, step={}, reason={}", use.series(), number, name, Protocol.oneLine(e));
        }
    }

    /** Ends the use of the series. What is written stays. */
    @Override
    public void close() {
        isClosed = true;
        final CheckpointClient ended = link;
        if (ended != null) {
            ended.close();
        }
        use.close();
    }
}
