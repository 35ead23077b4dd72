package tutti.daemon.channel;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Temporary folders of commands and daemons. A process holds each of its folders by a lock on a file in it, which ends with the process, however that
 * ends. Whoever makes a folder deletes those of the same user that nobody holds any more. Safe for any thread.
 */
public final class TempFolders {
    private static final Logger LOG = LoggerFactory.getLogger(TempFolders.class);
    /** Begins the names of the folders. */
    private static final String PREFIX = "tutti-";
    /** Begins the name of the file whose lock holds a folder; the process id ends it. A folder without such a file is never swept. */
    private static final String LOCK = ".tutti-held-by-";
    /**
     * The lock file of this process. It must not be opened again: on some systems closing it would release the lock, also one that another copy of
     * this class in the JVM holds.
     */
    private static final String OWN = LOCK + ProcessHandle.current().pid();
    /** The locks that this class holds. */
    private static final Map<Path, FileChannel> HELD = new ConcurrentHashMap<>();

    private TempFolders() {}

    /**
     * Makes a folder for a purpose, such as the name of a node, which {@link #delete} deletes. Deletes the folders that killed processes have
     * left.
     */
    public static Path create(final String purpose) throws IOException {
        return create(Path.of(System.getProperty("java.io.tmpdir")), purpose);
    }

    static Path create(final Path parent, final String purpose) throws IOException {
        sweep(parent);
        final Path folder = Files.createTempDirectory(parent, PREFIX + purpose + "-").toAbsolutePath();
        // the lock appears when it is held
        final Path made = Files.createTempFile(folder, "lock", "");
        hold(folder, made);
        Files.move(made, folder.resolve(OWN), StandardCopyOption.ATOMIC_MOVE);
        return folder;
    }

    private static void hold(final Path folder, final Path file) throws IOException {
        final FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (channel.tryLock() == null) {
            channel.close();
            // Cause: another process has the temporary folder of the node. Remedy: start the node again.
            throw new IOException("folder of another process: " + folder);
        }
        HELD.put(folder, channel);
    }

    private static void sweep(final Path parent) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (final Path folder : all) {
                if (isLeft(folder.toAbsolutePath())) {
                    LOG.debug("folder of a process that was killed is deleted: {}", folder);
                    delete(folder);
                }
            }
        } catch (final DirectoryIteratorException e) {
            LOG.debug("folder {} cannot be read", parent, e);
        }
    }

    /** Returns whether a folder is that of a process of this user which has ended. */
    private static boolean isLeft(final Path folder) {
        try {
            final Path lock = lockFile(folder);
            if (lock == null || lock.endsWith(OWN) || !Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)
                || !Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).getName().equals(System.getProperty("user.name"))) {
                return false;
            }
            try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                return channel.tryLock() != null;
            }
        } catch (final IOException | OverlappingFileLockException e) {
            LOG.debug("folder {} is not swept", folder, e);
            return false;
        }
    }

    private static @Nullable Path lockFile(final Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, LOCK + "*")) {
            for (final Path file : files) {
                return file;
            }
        } catch (final DirectoryIteratorException e) {
            throw e.getCause();
        }
        return null;
    }

    /** Deletes a folder and its content, or a file. What cannot be deleted remains; what others delete meanwhile is no obstacle. */
    public static void delete(final Path folder) {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) {
                    return deleteOne(file);
                }

                @Override
                public FileVisitResult visitFileFailed(final Path file, final IOException e) {
                    return deleteOne(file);
                }

                @Override
                public FileVisitResult postVisitDirectory(final Path visited, final @Nullable IOException e) {
                    return deleteOne(visited);
                }
            });
        } catch (final IOException e) {
            LOG.debug("folder {} cannot be read to be deleted", folder, e);
        } finally {
            release(folder.toAbsolutePath());
        }
    }

    private static void release(final Path folder) {
        final FileChannel held = HELD.remove(folder);
        if (held != null) {
            try {
                held.close();
            } catch (final IOException e) {
                LOG.debug("lock of folder {} cannot be closed", folder, e);
            }
        }
    }

    private static FileVisitResult deleteOne(final Path p) {
        try {
            Files.deleteIfExists(p);
        } catch (final IOException e) {
            LOG.debug("{} cannot be deleted", p, e);
        }
        return FileVisitResult.CONTINUE;
    }
}
