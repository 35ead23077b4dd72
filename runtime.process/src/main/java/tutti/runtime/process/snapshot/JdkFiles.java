package tutti.runtime.process.snapshot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tells the files that the JDK opens and loads by itself: those of its folder, and devices of random numbers.
 *
 * @param beginnings the beginnings of their names
 */
record JdkFiles(List<String> beginnings) {
    /** Reads where the JDK is, before a program can change the property. */
    static JdkFiles now() {
        final Path home = Path.of(System.getProperty("java.home"));
        return new JdkFiles(Stream.of(home + "/", real(home) + "/", "/dev/random", "/dev/urandom").distinct().toList());
    }

    private static Path real(final Path home) {
        try {
            return home.toRealPath();
        } catch (final IOException e) {
            // the JDK was moved while the JVM runs
            return home;
        }
    }

    boolean contains(final String file) {
        return beginnings.stream().anyMatch(file::startsWith);
    }
}
