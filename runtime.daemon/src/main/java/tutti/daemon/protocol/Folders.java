package tutti.daemon.protocol;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Temporary folders of commands and daemons. */
public final class Folders {
    private Folders() { }

    /** Deletes a folder and all in it; what cannot be deleted stays. */
    public static void delete(final Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (final Path p : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(p);
            }
        } catch (final IOException | UncheckedIOException e) {
            // the latter comes where somebody else deletes it as well
            folder.toFile().deleteOnExit();
        }
    }
}
