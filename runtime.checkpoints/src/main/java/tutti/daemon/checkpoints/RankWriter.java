package tutti.daemon.checkpoints;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.Protocol;

/**
 * Writer of the files of a rank at a checkpoint: into a folder under another name, which {@link #commit} gives its own one when all files are on the
 * disk. For one thread.
 */
final class RankWriter implements AutoCloseable {
    /** Files that are written to the disk while the next ones are made; more would only use memory. */
    private static final int MAX_FORCED = 4;

    private final CheckpointFolder folder;
    private final Path number;
    private final int rank;
    private final Path made;
    private final @Nullable StoredFiles base;
    private final Map<String, RankState.Item> known = new HashMap<>();
    private final Map<String, Integer> indexes = new HashMap<>();
    private final List<CompletableFuture<Void>> forced = new ArrayList<>();
    private final Semaphore places = new Semaphore(MAX_FORCED);
    private long linkedBytes;
    private boolean isCommitted;

    /**
     * Creates an empty folder.
     *
     * @param number the folder of the checkpoint, which exists
     * @param base   the rank's files at the newest complete checkpoint; null if there is none
     */
    RankWriter(final CheckpointFolder folder, final Path number, final int rank, final @Nullable StoredFiles base) throws IOException {
        this.folder = folder;
        this.number = number;
        this.rank = rank;
        this.base = base;
        this.made = number.resolve(CheckpointFolder.rankName(rank) + CheckpointFolder.NEW);
        if (base != null) {
            for (int i = 0; i < base.state().items().size(); i++) {
                known.put(base.state().items().get(i).name(), base.state().items().get(i));
                indexes.put(base.state().items().get(i).name(), i);
            }
        }
        folder.remove(made);
        folder.change();
        Files.createDirectory(made);
    }

    /** Returns where the state file belongs, which the caller makes. */
    Path stateFile() {
        return made.resolve(StoredFiles.STATE);
    }

    /** Returns the number of bytes that were linked and not written. */
    long linkedBytes() {
        return linkedBytes;
    }

    /** Makes a file of a block a link to that of the newest complete checkpoint, if the bytes are the same; returns whether it did. */
    boolean link(final RankState state, final RankState.BlockFile file) throws IOException {
        final RankState.Item item = state.items().get(file.item());
        final RankState.Item old = known.get(item.name());
        final int block = file.block();
        if (base == null || old == null || old.isInline() || old.sums().size() <= block || old.blockBytes(block) != item.blockBytes(block)
            || !old.sums().get(block).equals(item.sums().get(block))) {
            return false;
        }
        final Path existing = base.folder().resolve(new RankState.BlockFile(indexes.getOrDefault(item.name(), 0), block).name());
        folder.change();
        try {
            if (Files.size(existing) != item.blockBytes(block)) {
                return false;
            }
            Files.createLink(made.resolve(file.name()), existing);
            linkedBytes += item.blockBytes(block);
            return true;
        } catch (final IOException | UnsupportedOperationException e) {
            // it is missing, has too many links, or the disk has no links: it is written again
            return false;
        }
    }

    /** A file of a block that is being written. */
    final class Output implements AutoCloseable {
        private final Path file;
        private final FileChannel channel;
        private boolean isHandedOver;

        private Output(final Path file) throws IOException {
            this.file = file;
            folder.change();
            try {
                channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            } catch (final IOException e) {
                throw failure(file, e);
            }
        }

        void write(final ByteBuffer bytes) throws IOException {
            try {
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            } catch (final IOException e) {
                throw failure(file, e);
            }
        }

        /** Ends the file, which another thread writes to the disk. */
        void end() throws IOException {
            folder.change();
            places.acquireUninterruptibly();
            isHandedOver = true;
            forced.add(CompletableFuture.runAsync(() -> {
                try (channel) {
                    channel.force(false);
                } catch (final IOException e) {
                    throw new CompletionException(failure(file, e));
                } finally {
                    places.release();
                }
            }, task -> Thread.ofVirtual().name("tutti-checkpoint-disk").inheritInheritableThreadLocals(false).start(task)));
        }

        @Override
        public void close() throws IOException {
            if (!isHandedOver) {
                channel.close();
            }
        }
    }

    /** Creates a file of a block. */
    Output create(final RankState.BlockFile file) throws IOException {
        return new Output(made.resolve(file.name()));
    }

    private IOException failure(final Path file, final Exception cause) {
        return new IOException("checkpoint cannot be written: node=" + folder.node() + ", rank=" + rank + ", file=" + file + ": "
            + Protocol.oneLine(cause), cause);
    }

    /** Waits until all files are on the disk, and makes them those of the rank. */
    void commit() throws IOException {
        for (final CompletableFuture<Void> f : forced) {
            try {
                f.join();
            } catch (final CompletionException e) {
                throw e.getCause() instanceof final IOException cause ? cause : new IOException(e.getCause());
            }
        }
        try {
            folder.change();
            CheckpointFolder.force(stateFile());
            CheckpointFolder.forceFolder(made);
            folder.replace(made, number.resolve(CheckpointFolder.rankName(rank)));
        } catch (final IOException e) {
            throw failure(stateFile(), e);
        }
        isCommitted = true;
    }

    @Override
    public void close() {
        if (!isCommitted) {
            forced.forEach(f -> f.exceptionally(e -> null).join());
            folder.tryRemove(made);
        }
    }
}
