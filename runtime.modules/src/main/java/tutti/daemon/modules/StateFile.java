package tutti.daemon.modules;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;

/**
 * State file of a store, which is replaced atomically: a new file is written, forced to disk, and renamed. A crash at any moment leaves the old
 * state or the new one. A state that is reserved is written in advance, so that replacing the file by it later needs no space. Not safe for several
 * threads.
 */
final class StateFile {
    private static final Logger LOG = LoggerFactory.getLogger(StateFile.class);
    private static final String FILE = "modules.json";
    private static final String NEXT = "modules.json.next";
    private static final String RESERVED = "modules.json.reserved-";
    private static final String DAMAGED = "modules.json.damaged";

    private final Path folder;
    private final Steps steps;
    private final Map<StoreState, Path> reserved = new HashMap<>();

    /** Receives each step on the disk before it is carried out; tests let one fail. */
    @FunctionalInterface
    interface Steps {
        /** Steps that nothing but the disk lets fail. */
        Steps ON_DISK = step -> {
            // nothing precedes them
        };

        /** Notifies of the next step. */
        void before(String step) throws IOException;
    }

    /** Thrown when a state file cannot be understood. */
    static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1;

        DamagedException(final Path file, final Exception cause) {
            super("module store is damaged: file=" + file + ", reason=" + Protocol.oneLine(cause), cause);
        }
    }

    StateFile(final Path folder, final Steps steps) {
        this.folder = folder;
        this.steps = steps;
    }

    /** Returns whether a file is a state file, or a damaged one that was set aside. */
    static boolean is(final Path file) {
        return file.endsWith(FILE) || file.endsWith(DAMAGED);
    }

    /**
     * Reads the state; empty when there is no file.
     *
     * @throws DamagedException when the file does not hold a state
     */
    StoreState read() throws IOException {
        final Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            return StoreState.empty();
        }
        final byte[] bytes = Files.readAllBytes(file);
        try {
            return MessageCodec.read(bytes, StoreState.class);
        } catch (final IOException | RuntimeException e) {
            throw new DamagedException(file, e);
        }
    }

    /** Moves the file aside, in place of an earlier one, and returns where it is now. */
    Path setAside() throws IOException {
        return Files.move(folder.resolve(FILE), folder.resolve(DAMAGED), StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * Writes a state that may follow.
     *
     * @throws IOException when it cannot be written, for lack of space for example; the message names the file
     */
    void reserve(final StoreState next) throws IOException {
        final Path file = folder.resolve(RESERVED + reserved.size());
        write(file, next);
        reserved.put(next, file);
    }

    /**
     * Makes a state the current one. It is that of the next run, whenever this one crashes.
     *
     * @throws IOException when it cannot be written; then the old one is current, unless the disk fails while a folder is forced to it
     */
    void replace(final StoreState next) throws IOException {
        final Path known = reserved.remove(next);
        final Path file = known == null ? folder.resolve(NEXT) : known;
        if (known == null) {
            write(file, next);
        }
        try {
            steps.before("rename " + file.getFileName());
            Files.move(file, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            steps.before("force folder after " + file.getFileName());
            force();
        } catch (final IOException e) {
            throw failed(folder.resolve(FILE), e);
        }
    }

    private void write(final Path file, final StoreState next) throws IOException {
        final byte[] bytes = MessageCodec.pretty(next).getBytes(StandardCharsets.UTF_8);
        try {
            steps.before("write " + file.getFileName());
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
                final ByteBuffer left = ByteBuffer.wrap(bytes);
                while (left.hasRemaining()) {
                    channel.write(left);
                }
                channel.force(true);
            }
        } catch (final IOException e) {
            delete(file);
            throw failed(file, e);
        }
    }

    private static IOException failed(final Path file, final IOException e) {
        return new IOException("state of the modules cannot be written: file=" + file + ", reason=" + Protocol.oneLine(e), e);
    }

    /** Forces the entries of the folder to disk, where the system lets a program open a folder. */
    private void force() throws IOException {
        final FileChannel opened;
        try {
            opened = FileChannel.open(folder, StandardOpenOption.READ);
        } catch (final IOException e) {
            LOG.debug("folder cannot be forced to disk: {}", folder, e);
            return;
        }
        try (opened) {
            opened.force(true);
        }
    }

    /** Deletes the states that were reserved and are not needed any more. */
    void release() {
        reserved.values().forEach(StateFile::delete);
        reserved.clear();
    }

    private static void delete(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            LOG.warn("file of a change cannot be deleted: {}", file, e);
        }
    }
}
