package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A class path entry that is a folder of classes and resources. */
final class FolderEntry implements ClassPathEntry {
    private final Path root;
    private final URL location;

    FolderEntry(final Path root) throws IOException {
        this.root = root.toAbsolutePath().normalize();
        this.location = this.root.toUri().toURL();
    }

    @Override
    public @Nullable InputStream open(final String name) throws IOException {
        final Path file = resolve(name);
        return file != null && Files.isRegularFile(file) ? Files.newInputStream(file) : null;
    }

    @Override
    public @Nullable URL url(final String name) {
        final Path file = resolve(name);
        if (file == null || !Files.exists(file)) {
            return null;
        }
        try {
            return file.toUri().toURL();
        } catch (final MalformedURLException e) {
            throw new IllegalStateException("file has no URL: path=" + file, e);
        }
    }

    /** Returns the file of that name, or null when there can be none in the folder. */
    private @Nullable Path resolve(final String name) {
        try {
            final Path file = root.resolve(name).normalize();
            return file.startsWith(root) ? file : null;
        } catch (final InvalidPathException e) {
            return null;
        }
    }

    @Override
    public URL location() {
        return location;
    }
}
