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
 * State of a store, in memory and in a file, which is replaced atomically: a new file is written, forced to disk, and renamed. A crash at any moment
 * leaves the old state or the new one. States that may follow are written in advance, so that replacing the file by them later needs no space. Safe
 * for any thread.
 */
final class StateFile {
    private static final Logger LOG = LoggerFactory.getLogger(StateFile.class);
    private static final String FILE = "modules.json";
    private static final String NEXT = "modules.json.next";
    private static final String RESERVED = "modules.json.reserved-";
    private static final String DAMAGED = "modules.json.damaged";

    private final Path folder;
    private final Steps steps;
    private final boolean wasLost;
    private final Map<StoreState, Path> reserved = new HashMap<>();
    private StoreState state = StoreState.empty();

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

    /** Reads the state of the last run; empty when there is no file. A damaged file is set aside, and the store begins without modules. */
    StateFile(final Path folder, final Steps steps) throws IOException {
        this.folder = folder;
        this.steps = steps;
        final Path file = folder.resolve(FILE);
        final byte[] bytes = Files.exists(file) ? Files.readAllBytes(file) : MessageCodec.write(state);
        boolean isDamaged = false;
        try {
            state = MessageCodec.read(bytes, StoreState.class);
        } catch (final IOException | RuntimeException e) {
            isDamaged = true;
            Files.move(file, folder.resolve(DAMAGED), StandardCopyOption.REPLACE_EXISTING);
            // Cause: the file with the state of the modules is damaged, as after a full disk. Remedy: nothing, if the node is not alone; otherwise
            // install the modules again.
            LOG.error(
                "module store is damaged: file={}, reason={}; it is set aside as {}, and modules that the other nodes have are fetched from them",
                file, Protocol.oneLine(e), DAMAGED);
        }
        wasLost = isDamaged;
    }

    /** Returns whether a file is a state file, or a damaged one that was set aside. */
    static boolean is(final Path file) {
        return file.endsWith(FILE) || file.endsWith(DAMAGED);
    }

    /** Returns whether the state of the last run was damaged. */
    boolean wasLost() {
        return wasLost;
    }

    synchronized StoreState get() {
        return state;
    }

    /**
     * Makes a state the current one, after those that may follow it are written.
     *
     * @throws IOException when one of them cannot be written, for lack of space for example; then the old one is current
     */
    synchronized void begin(final StoreState next, final StoreState... following) throws IOException {
        try {
            for (final StoreState f : following) {
                final Path file = folder.resolve(RESERVED + reserved.size());
                write(file, f);
                reserved.put(f, file);
            }
            replace(next);
        } catch (final IOException e) {
            release();
            throw e;
        }
    }

    /**
     * Makes a state the current one. It is that of the next run, whenever this one crashes.
     *
     * @throws IOException when it cannot be written; then the old one is current, unless the disk fails while a folder is forced to it. The message
     *                     names the file
     */
    synchronized void replace(final StoreState next) throws IOException {
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
        state = next;
    }

    private void write(final Path file, final StoreState next) throws IOException {
        try {
            steps.before("write " + file.getFileName());
            write(file, MessageCodec.pretty(next));
        } catch (final IOException e) {
            delete(file);
            throw failed(file, e);
        }
    }

    /** Writes a file and forces it to disk. */
    static void write(final Path file, final String text) throws IOException {
        try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            final ByteBuffer left = StandardCharsets.UTF_8.encode(text);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
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

    /** Deletes states that were written in advance and are not needed any more. */
    synchronized void release() {
        reserved.values().forEach(StateFile::delete);
        reserved.clear();
    }

    private static void delete(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            // Cause: the file is no longer the node's. Remedy: remove it by hand.
            LOG.warn("file of a change cannot be deleted: {}", file, e);
        }
    }
}
