package tutti.daemon.channel;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletion of temporary folders of commands and daemons. */
public final class TempFolders {
    private static final Logger LOG = LoggerFactory.getLogger(TempFolders.class);

    private TempFolders() {}

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
