package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.jar.Manifest;

/** One entry of a class path. Safe for any thread. */
sealed interface ClassPathEntry permits FolderEntry, JarClassPathEntry {

    /** The bytes of a resource, or null when it has none of that name. */
    InputStream open(String name) throws IOException;

    /** Where a resource is, or null when it has none of that name. */
    URL url(String name);

    /** Where the entry itself is: the location of its classes' code source. */
    URL location();

    /** What describes its packages, or null. */
    Manifest manifest();

    /** Lets go of all files. */
    void close();
}
