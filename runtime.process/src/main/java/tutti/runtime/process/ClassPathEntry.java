package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/** One entry of a class path. Safe for any thread. */
sealed interface ClassPathEntry permits FolderEntry, JarClassPathEntry {

    /** Opens a resource; returns null when the entry has none of that name. */
    @Nullable
    InputStream open(String name) throws IOException;

    /** Returns the URL of a resource, or null when the entry has none of that name. */
    @Nullable
    URL url(String name);

    /** Returns the URL of the entry itself, which is the location of its classes' code source. */
    URL location();

    /** Returns the manifest, which describes the packages of the entry, or null. */
    default @Nullable Manifest manifest() {
        return null;
    }

    /** Closes all files that are kept open. */
    default void close() {}
}
