package tutti.cli;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.Protocol;

/** A file that a command writes: whether it can, and the folders that are missing for it. */
final class OutputFile {
    private OutputFile() {}

    /** Returns why a file, named by an option, is not likely to be writable; null when it is. Missing folders are no reason. */
    static @Nullable String refusal(final String option, final Object name) {
        final String text = "cannot be written: " + option + " " + name + ": ";
        try {
            final Path path = Path.of(name.toString()).toAbsolutePath();
            if (Files.isDirectory(path)) {
                return text + "a folder has this name";
            }
            Path there = path;
            while (!Files.exists(there)) {
                there = Objects.requireNonNull(there.getParent(), "the root exists");
            }
            return !there.equals(path) && !Files.isDirectory(there) ? text + "not a folder: " + there
                : Files.isWritable(there) ? null : text + "no right to write " + (there.equals(path) ? "it" : "in " + there);
        } catch (final InvalidPathException e) {
            return text + e.getReason();
        }
    }

    /** Makes the folders that are missing for a file; returns the file. */
    static Path withFolder(final Path file) throws IOException {
        final Path folder = file.getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
        return file;
    }

    /** Returns the failure of a file, named by an option, that cannot be written. */
    static CommandFailure failure(final int status, final String option, final String name, final Exception why) {
        final String reason = why instanceof FileSystemException f ? Objects.requireNonNullElse(f.getReason(), f.getClass().getSimpleName())
            : Protocol.oneLine(why);
        return new CommandFailure(status, "cannot be written: " + option + " " + name + ": " + reason, why);
    }
}
