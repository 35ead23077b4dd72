package tutti.daemon.channel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletion of temporary folders of commands and daemons. */
public final class TempFolders {
    private static final Logger LOG = LoggerFactory.getLogger(TempFolders.class);

    private TempFolders() {}

    /** Deletes a folder and its content; files that cannot be deleted remain. */
    public static void delete(final Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(TempFolders::deleteOne);
        } catch (final IOException | UncheckedIOException e) {
            LOG.debug("folder {} cannot be read to be deleted", folder, e);
        }
    }

    private static void deleteOne(final Path p) {
        try {
            Files.deleteIfExists(p);
        } catch (final IOException e) {
            LOG.debug("{} cannot be deleted", p, e);
        }
    }
}
