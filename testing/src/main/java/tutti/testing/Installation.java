package tutti.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The installed distribution whose containers tests use. */
final class Installation {
    /** System property with its folder. */
    private static final String HOME = "tutti.home";
    private static final int JDK = 25;

    private final Path home;

    private Installation(final Path home) {
        this.home = home;
    }

    /**
     * Returns the distribution of the system property.
     *
     * @throws IllegalStateException when there is none, or this JVM is too old for its containers; the message says what to do
     */
    static Installation find() {
        final String folder = System.getProperty(HOME);
        if (folder == null) {
            throw new IllegalStateException(
                "no system property " + HOME + ": set it to the folder of a clone of Tutti that was built, or of an unpacked "
                    + "archive, in the configuration of Surefire or with -D" + HOME + "=FOLDER");
        }
        if (Runtime.version().feature() < JDK) {
            throw new IllegalStateException("containers need JDK " + JDK + ", the tests run on " + Runtime.version() + " of "
                + System.getProperty("java.home") + ": select it by a toolchain");
        }
        return new Installation(Path.of(folder).toAbsolutePath().normalize());
    }

    /** Returns the command. */
    Path command() {
        return existing(Path.of("dist/target/tutti/bin/tutti"), Path.of("bin/tutti"));
    }

    /** Returns the bundles of a node, with a provider of slf4j, as a framework without any needs them. */
    List<Path> bundles() {
        final Path folder = existing(Path.of("dist/target/felix/bundle"), Path.of("felix/bundle"));
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.toString().endsWith(".jar")).sorted().toList();
        } catch (final IOException e) {
            throw new UncheckedIOException("bundles cannot be listed: " + folder, e);
        }
    }

    private Path existing(final Path inClone, final Path inArchive) {
        return Stream.of(inClone, inArchive).map(home::resolve).filter(Files::exists).findFirst()
            .orElseThrow(() -> new IllegalStateException("no Tutti at " + HOME + "=" + home + ": neither " + inClone
                + ", which ./tutti --version builds in a clone, nor " + inArchive + " of an unpacked archive"));
    }
}
