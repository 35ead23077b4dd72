package tutti.daemon.membership.jgroups;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a node in the folder by which nodes find each other. A node holds its name there by a lock, which ends with its process; the next node
 * of that name deletes the files of one that was killed. For one thread.
 */
final class DiscoveryFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiscoveryFiles.class);

    private final @Nullable FileChannel lock;

    private DiscoveryFiles(final @Nullable FileChannel lock) {
        this.lock = lock;
    }

    /**
     * Holds a name, and deletes the files that an earlier node of that name has left, unless another process holds it.
     *
     * @param place   the folder
     * @param cluster name of the cluster, in whose folder the files are
     */
    static DiscoveryFiles open(final Path place, final String cluster, final String name) {
        try {
            Files.createDirectories(place);
            final FileChannel channel = FileChannel.open(place.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (isLocked(channel)) {
                sweep(place.resolve(cluster), name);
                return new DiscoveryFiles(channel);
            }
            channel.close();
        } catch (final IOException e) {
            // nodes find each other nevertheless, or say why they do not
            LOG.debug("files of an earlier node {} are not looked for in {}", name, place, e);
        }
        return new DiscoveryFiles(null);
    }

    private static boolean isLocked(final FileChannel channel) throws IOException {
        try {
            final FileLock held = channel.tryLock();
            return held != null;
        } catch (final OverlappingFileLockException e) {
            LOG.debug("another node of this process has the name", e);
            return false;
        }
    }

    private static void sweep(final Path folder, final String name) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        final Pattern own = Pattern.compile("[0-9a-fA-F-]+\\." + Pattern.quote(name) + "\\.list");
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, f -> own.matcher(f.getFileName().toString()).matches())) {
            for (final Path left : files) {
                LOG.debug("file of a node that was killed is deleted: {}", left);
                Files.deleteIfExists(left);
            }
        }
    }

    @Override
    public void close() {
        if (lock != null) {
            try {
                lock.close();
            } catch (final IOException e) {
                LOG.debug("lock cannot be closed", e);
            }
        }
    }
}
