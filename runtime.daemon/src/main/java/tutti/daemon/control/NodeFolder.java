package tutti.daemon.control;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.part.JvmPool;

/**
 * The folder of a node's files, which the node holds by a lock until its process ends. What belongs to jobs and changes there has no use after the
 * end of the process.
 */
final class NodeFolder {
    private static final Logger LOG = LoggerFactory.getLogger(NodeFolder.class);
    static final String LOCK = "lock";
    /** The names of what jobs and changes of modules leave when the process of their node is killed. */
    private static final Pattern LEFT = Pattern.compile("(?:job|part|incoming)-.*|" + JvmPool.FOLDER);
    /** The locks of this process. */
    private static final Map<Path, FileChannel> HELD = new ConcurrentHashMap<>();

    private NodeFolder() {}

    /** Deletes what a node has left that was killed, unless another process has the folder, or a node of this process had it before. */
    static void sweep(final Path folder) {
        try {
            final Path absolute = Files.createDirectories(folder).toAbsolutePath();
            if (!HELD.containsKey(absolute) && isHeld(absolute)) {
                try (DirectoryStream<Path> left = Files.newDirectoryStream(absolute, f -> LEFT.matcher(f.getFileName().toString()).matches())) {
                    left.forEach(TempFolders::delete);
                }
            }
        } catch (final IOException e) {
            LOG.debug("folder {} is not swept", folder, e);
        }
    }

    private static boolean isHeld(final Path folder) throws IOException {
        final FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                HELD.put(folder, channel);
                return true;
            }
        } catch (final OverlappingFileLockException e) {
            LOG.debug("folder {} is held by this process", folder, e);
        }
        channel.close();
        return false;
    }
}
