package tutti.daemon.checkpoints;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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
    private final Set<Integer> ranks;
    private final @Nullable Restart from;
    private @Nullable CheckpointClient link;
    private boolean isClosed;

    JobCheckpoints(final NodeCheckpoints node, final SeriesUse use, final List<String> names, final int self, final Collection<Integer> ranks,
        final @Nullable Restart from) {
        this.node = node;
        this.folder = node.folder();
        this.use = use;
        this.names = List.copyOf(names);
        this.self = self;
        this.ranks = Set.copyOf(ranks);
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
            throw new IOException("checkpoint is missing: series=" + from.series() + ", number=" + from.number() + ", rank=" + rank + ", node="
                + folder.node());
        }
        return StoredFiles.open(found, folder.node());
    }

    /** Returns the link to the partner, which is opened when there is none; null when the node is alone. */
    private synchronized @Nullable CheckpointClient partner() throws IOException {
        if (isClosed) {
            throw new IOException("checkpoints of the job are closed: series=" + use.series());
        }
        final CheckpointClient current = link;
        if (current != null && !current.isLost()) {
            return current;
        }
        final String name = names.size() > 1 ? names.get((self + 1) % names.size()) : node.neighbour();
        if (name == null) {
            return null;
        }
        final CheckpointClient made;
        try {
            made = node.link(name, use.series(), use.job());
        } catch (final IOException e) {
            throw new IOException("node " + name + " cannot keep copies of the ranks of node " + folder.node() + ": " + Protocol.oneLine(e), e);
        }
        try {
            made.use();
        } catch (final IOException e) {
            made.close();
            throw new IOException("node " + name + " cannot keep copies of the ranks of node " + folder.node() + ": " + Protocol.oneLine(e), e);
        }
        link = made;
        return made;
    }

    @Override
    public void write(final int number, final SavedRank state) throws IOException {
        if (!ranks.contains(state.rank())) {
            throw new IOException("rank is not on this node: rank=" + state.rank() + ", node=" + folder.node());
        }
        final CheckpointClient partner = partner();
        final TreeSet<String> keepers = new TreeSet<>(names);
        if (partner != null) {
            keepers.add(partner.node());
        }
        final RankState.Header header = new RankState.Header(use.series(), number, state.ranks(), state.rank(), use.job(),
            from == null ? 1 : from.generation() + 1, state.point(), System.currentTimeMillis(), List.copyOf(keepers), state.bytes());
        try (RankWriter writer = folder.write(use.series(), number, state.rank())) {
            final RankState made = stateFile(writer, header, state);
            final List<Integer> needed = partner == null ? List.of() : partner.keep(number, state.rank(), writer.stateFile());
            writeBlocks(writer, made, state);
            // while the disk here writes
            if (partner != null) {
                partner.blocks(number, made, needed, state);
            }
            writer.commit();
            LOG.debug("rank {} of checkpoint {} of series {} is written: bytes={}, linked={}", state.rank(), number, use.series(), header.bytes(),
                writer.linkedBytes());
        }
    }

    private RankState stateFile(final RankWriter writer, final RankState.Header header, final SavedRank state) throws IOException {
        try {
            folder.change();
            return RankState.write(writer.stateFile(), header, state);
        } catch (final IOException e) {
            throw new IOException("checkpoint cannot be written: node=" + folder.node() + ", rank=" + state.rank() + ", file=" + writer.stateFile()
                + ": " + Protocol.oneLine(e), e);
        }
    }

    private static void writeBlocks(final RankWriter writer, final RankState state, final SavedRank saved) throws IOException {
        try (BlockSums.Stage stage = new BlockSums.Stage()) {
            for (final RankState.BlockFile file : state.files()) {
                if (!writer.link(state, file)) {
                    final MemorySegment data = RankState.slice(saved.items().get(file.item()), file.block());
                    try (RankWriter.Output out = writer.create(file)) {
                        long at = 0;
                        while (at < data.byteSize()) {
                            final ByteBuffer piece = stage.copy(data, at);
                            at += piece.remaining();
                            out.write(piece);
                        }
                        out.end();
                    }
                }
            }
        }
    }

    @Override
    public void complete(final int number) throws IOException {
        folder.complete(use.series(), number, use.job());
        final CheckpointClient partner = partner();
        if (partner != null) {
            partner.complete(number);
        }
    }

    @Override
    public void discard(final int number) {
        try {
            folder.discard(use.series(), number, ranks);
        } catch (final IOException e) {
            LOG.warn("checkpoint cannot be discarded: series={}, number={}, reason={}", use.series(), number, Protocol.oneLine(e));
        }
        atPartner("DISCARD", number, partner -> partner.discard(number, List.copyOf(ranks)));
    }

    @Override
    public void removeOlder(final int number) {
        try {
            folder.removeOlder(use.series(), number);
        } catch (final IOException e) {
            LOG.warn("older checkpoints cannot be removed: series={}, number={}, reason={}", use.series(), number, Protocol.oneLine(e));
        }
        atPartner("REMOVE_OLDER", number, partner -> partner.removeOlder(number));
    }

    /** Removal of copies that may fail. */
    @FunctionalInterface
    private interface PartnerStep {
        /** Takes the step on the partner. Blocks. */
        void on(CheckpointClient partner) throws IOException;
    }

    private void atPartner(final String name, final int number, final PartnerStep step) {
        try {
            final CheckpointClient partner = partner();
            if (partner != null) {
                step.on(partner);
            }
        } catch (final IOException e) {
            LOG.warn("copies of a checkpoint stay: series={}, number={}, step={}, reason={}", use.series(), number, name, Protocol.oneLine(e));
        }
    }

    /** Ends the use of the series. What is written stays. */
    @Override
    public void close() {
        final CheckpointClient ended;
        synchronized (this) {
            isClosed = true;
            ended = link;
            link = null;
        }
        if (ended != null) {
            ended.close();
        }
        use.close();
    }
}
