package tutti.daemon.checkpoints;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
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
import tutti.runtime.checkpoint.store.SavedRank;

/**
 * Writer of the files of a rank at a checkpoint, from memory or as their bytes arrive from another node: into a folder under another name, which
 * {@link #commit} gives its own one when all files are on the disk. For one thread.
 */
final class RankWriter implements AutoCloseable {
    /** Files that are written to the disk while the next ones are made; more would only use memory. */
    private static final int MAX_FORCED = 4;
    private static final int BUFFER = 64 << 10;

    private final CheckpointFolder folder;
    private final Path number;
    private final int rank;
    private final Path made;
    private final @Nullable StoredFiles base;
    /** Indexes of the items of the base, by name. */
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
        for (int i = 0; base != null && i < base.state().items().size(); i++) {
            indexes.put(base.state().items().get(i).name(), i);
        }
        folder.remove(made);
        folder.change();
        Files.createDirectory(made);
    }

    /** Returns where the state file is. */
    Path stateFile() {
        return made.resolve(StoredFiles.STATE);
    }

    /** Returns the number of bytes that were linked and not written. */
    long linkedBytes() {
        return linkedBytes;
    }

    /** Writes the state file of a rank. */
    RankState write(final RankState.Header header, final SavedRank saved) throws IOException {
        try {
            folder.change();
            return RankState.write(stateFile(), header, saved);
        } catch (final IOException e) {
            throw folder.notWritten(rank, stateFile(), e);
        }
    }

    /** Writes the state file of a rank as its bytes arrive, and verifies it. */
    RankState receive(final InputStream from) throws IOException {
        folder.change();
        Files.copy(from, stateFile());
        try {
            return RankState.read(stateFile());
        } catch (final IOException e) {
            // Cause: the network or a disk has changed it; another copy is tried. Remedy: look at the disk of the sender.
            throw new IOException("state arrived damaged: " + Protocol.oneLine(e), e);
        }
    }

    /** Makes a file of a block a link to that of the newest complete checkpoint, if the bytes are the same; returns whether it did. */
    boolean link(final RankState state, final RankState.BlockFile file) throws IOException {
        final RankState.Item item = state.items().get(file.item());
        final Integer index = indexes.get(item.name());
        if (base == null || index == null) {
            return false;
        }
        final RankState.Item old = base.state().items().get(index);
        final int block = file.block();
        if (old.isInline() || old.sums().size() <= block || old.blockBytes(block) != item.blockBytes(block)
            || !old.sums().get(block).equals(item.sums().get(block))) {
            return false;
        }
        final Path existing = base.folder().resolve(new RankState.BlockFile(index, block).name());
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

    /** Writes or links the files of all blocks. */
    void write(final RankState state, final SavedRank saved) throws IOException {
        try (BlockSums.Stage stage = new BlockSums.Stage()) {
            for (final RankState.BlockFile file : state.files()) {
                if (!link(state, file)) {
                    final MemorySegment data = RankState.slice(saved.items().get(file.item()).data(), file.block());
                    try (Output out = new Output(file)) {
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

    /** Writes the file of a block whose bytes come next, and verifies it. */
    void receive(final InputStream from, final RankState state, final RankState.BlockFile file) throws IOException {
        final BlockSums sums = new BlockSums();
        final byte[] buffer = new byte[BUFFER];
        try (Output out = new Output(file)) {
            for (int left = state.bytes(file); left > 0;) {
                final int length = from.readNBytes(buffer, 0, Math.min(buffer.length, left));
                if (length == 0) {
                    // Cause: the file was changed while it was sent. Remedy: run it again.
                    throw new IOException("file did not arrive whole: missing=" + left + " bytes");
                }
                sums.update(buffer, 0, length);
                out.write(ByteBuffer.wrap(buffer, 0, length));
                left -= length;
            }
            if (sums.getValue() != state.sum(file)) {
                // Cause: the network or a disk has changed it; another copy is tried. Remedy: look at the disk of the sender.
                throw new IOException("file arrived damaged: rank=" + rank + ", file=" + file.name());
            }
            out.end();
        }
    }

    /** A file of a block that is being written. */
    private final class Output implements AutoCloseable {
        private final Path file;
        private final FileChannel channel;
        private boolean isHandedOver;

        private Output(final RankState.BlockFile block) throws IOException {
            file = made.resolve(block.name());
            folder.change();
            try {
                channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            } catch (final IOException e) {
                throw folder.notWritten(rank, file, e);
            }
        }

        private void write(final ByteBuffer bytes) throws IOException {
            try {
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            } catch (final IOException e) {
                throw folder.notWritten(rank, file, e);
            }
        }

        /** Ends the file, which another thread writes to the disk. */
        private void end() throws IOException {
            folder.change();
            places.acquireUninterruptibly();
            isHandedOver = true;
            forced.add(CompletableFuture.runAsync(() -> {
                try (channel) {
                    channel.force(false);
                } catch (final IOException e) {
                    throw new CompletionException(folder.notWritten(rank, file, e));
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
            throw folder.notWritten(rank, stateFile(), e);
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
