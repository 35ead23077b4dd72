package tutti.daemon.checkpoints;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.StoredRank;

/** Files of a rank at a checkpoint, on this node. Verifies what it reads. */
final class StoredFiles implements StoredRank {
    /** Name of the file that says what the others are. */
    static final String STATE = "state";

    private static final Pattern NAME = Pattern.compile(STATE + "|[0-9]+-[0-9]+");

    private final Path folder;
    private final RankState state;
    private final String node;

    private StoredFiles(final Path folder, final RankState state, final String node) {
        this.folder = folder;
        this.state = state;
        this.node = node;
    }

    /**
     * Opens the files of a rank.
     *
     * @param node name of this node, for messages
     * @throws IOException when the state file is missing or damaged
     */
    static StoredFiles open(final Path folder, final String node) throws IOException {
        final Path file = folder.resolve(STATE);
        try {
            return new StoredFiles(folder, RankState.read(file), node);
        } catch (final IOException | RuntimeException e) {
            throw failure(file, node, e);
        }
    }

    /** Returns whether a text is the name of a file of a rank. */
    static boolean isName(final String text) {
        return NAME.matcher(text).matches();
    }

    /** Returns what an error in a file of a checkpoint says: file, node, number and rank are in the path. */
    static IOException failure(final Path file, final String node, final Exception cause) {
        final String reason = cause instanceof NoSuchFileException ? "it is missing" : Protocol.oneLine(cause);
        final int names = file.getNameCount();
        // Cause: the file is missing, too short or damaged, as the end of the message says. Remedy: continue from another checkpoint.
        return new IOException("checkpoint cannot be read: node=" + node + ", " + (names < 2 ? "" : file.getName(names - 2) + ", ")
            + "file=" + file + ": " + reason, cause);
    }

    RankState state() {
        return state;
    }

    Path folder() {
        return folder;
    }

    Path stateFile() {
        return folder.resolve(STATE);
    }

    @Override
    public int ranks() {
        return state.header().ranks();
    }

    @Override
    public long point() {
        return state.header().point();
    }

    @Override
    public Map<String, Long> items() {
        final Map<String, Long> lengths = new LinkedHashMap<>();
        state.items().forEach(i -> lengths.put(i.name(), i.length()));
        return lengths;
    }

    @Override
    public void read(final String name, final MemorySegment into) throws IOException {
        for (int i = 0; i < state.items().size(); i++) {
            final RankState.Item item = state.items().get(i);
            if (item.name().equals(name)) {
                if (into.byteSize() != item.length()) {
                    // Cause: the object has another size than when it was saved. Remedy: the size that it had.
                    throw new IOException("length of an item of a checkpoint differs: rank=" + state.header().rank() + ", item=" + name + ", saved="
                        + item.length() + " bytes, memory=" + into.byteSize() + " bytes");
                }
                for (int b = 0; b < item.sums().size(); b++) {
                    read(new RankState.BlockFile(i, b), RankState.slice(into, b));
                }
                return;
            }
        }
        // Cause: the program registers an object that was not saved. Remedy: the program that was saved.
        throw new IOException("no such item in a checkpoint: rank=" + state.header().rank() + ", item=" + name + ", node=" + node);
    }

    /**
     * Reads all files and compares their sums.
     *
     * @throws IOException when a file is missing, short or damaged
     */
    void verify() throws IOException {
        for (final RankState.BlockFile file : state.files()) {
            read(file, null);
        }
    }

    private void read(final RankState.BlockFile block, final @Nullable MemorySegment into) throws IOException {
        final RankState.Item item = state.items().get(block.item());
        final Path file = folder.resolve(item.isInline() ? STATE : block.name());
        final int length = state.bytes(block);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ); BlockSums.Stage stage = new BlockSums.Stage()) {
            if (!item.isInline() && channel.size() != length) {
                // Cause: the file was changed, or its disk is broken. Remedy: continue from another checkpoint.
                throw new IOException("it has " + channel.size() + " bytes in place of " + length);
            }
            final long first = item.isInline() ? channel.size() - item.fromEnd() : 0;
            final BlockSums sums = new BlockSums();
            int at = 0;
            while (at < length) {
                final ByteBuffer buffer = stage.empty(length - at);
                if (channel.read(buffer, first + at) < 0) {
                    throw new IOException("it is too short");
                }
                final int bytes = buffer.flip().remaining();
                sums.update(buffer);
                if (into != null) {
                    stage.copyTo(bytes, into, at);
                }
                at += bytes;
            }
            if (sums.getValue() != state.sum(block)) {
                throw new IOException("it is damaged: its sum is not the one in " + STATE);
            }
        } catch (final IOException e) {
            throw failure(file, node, e);
        }
    }
}
