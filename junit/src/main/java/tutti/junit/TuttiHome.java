package tutti.junit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The distribution whose nodes run tests: that of {@code tutti.home} or {@code TUTTI_HOME}, or the one in this jar, which is unpacked once into the
 * user's folder for caches. There it is deleted when it was not used for a month.
 */
final class TuttiHome {
    private static final String PROPERTY = "tutti.home";
    private static final String VARIABLE = "TUTTI_HOME";
    private static final String CACHES = "XDG_CACHE_HOME";
    /** Folder of a node in this jar. */
    private static final String PACKED = "META-INF/tutti-node/";
    private static final String PREFIX = "node-";
    private static final Duration UNUSED = Duration.ofDays(30);
    private static final int JDK = 25;
    private static final int KEY = 16;
    private static @Nullable Path packed;

    private TuttiHome() {}

    /**
     * Returns the {@code tutti} command.
     *
     * @throws IllegalStateException when there is no distribution, or this JVM is too old; the message says what to do
     */
    static Path command() {
        if (Runtime.version().feature() < JDK) {
            throw new IllegalStateException("ranks need JDK " + JDK + ", the tests run on " + Runtime.version() + " of "
                + System.getProperty("java.home") + ": select it by a toolchain");
        }
        final String named = System.getProperty(PROPERTY, System.getenv(VARIABLE));
        if (named == null || named.isBlank()) {
            return unpacked().resolve("bin/tutti");
        }
        final Path home = Path.of(named).toAbsolutePath().normalize();
        return Stream.of("dist/target/tutti/bin/tutti", "bin/tutti").map(home::resolve).filter(Files::exists).findFirst()
            .orElseThrow(() -> new IllegalStateException("no Tutti at " + PROPERTY + "=" + home + ": neither a clone that was built, nor an "
                + "unpacked archive"));
    }

    /** Returns the file or folder from which this class was loaded. */
    static Path ownCode() {
        return code(TuttiHome.class);
    }

    /** Returns the file or folder from which a class was loaded. */
    static Path code(final Class<?> type) {
        final CodeSource source = Objects.requireNonNull(type.getProtectionDomain().getCodeSource(), () -> "class is in no file: " + type);
        try {
            return Path.of(source.getLocation().toURI());
        } catch (final URISyntaxException e) {
            throw new IllegalStateException("class is in no file: " + type + ", location=" + source.getLocation(), e);
        }
    }

    private static synchronized Path unpacked() {
        if (packed == null) {
            try {
                packed = unpack(ownCode());
            } catch (final IOException e) {
                throw new UncheckedIOException("node of " + ownCode() + " cannot be unpacked; set " + PROPERTY
                    + " to the folder of a clone of Tutti that was built, or of an unpacked archive", e);
            }
        }
        return packed;
    }

    private static Path unpack(final Path jar) throws IOException {
        if (!Files.isRegularFile(jar) || !isPacked(jar)) {
            throw new IllegalStateException("no node is packed in " + jar + ": take the jar of the distribution's Maven repository, or set system "
                + "property " + PROPERTY + " to the folder of a clone of Tutti that was built, or of an unpacked archive");
        }
        final Path caches = caches();
        final Path home = caches.resolve(PREFIX + digest(jar));
        if (!Files.exists(home)) {
            final Path made = Files.createTempDirectory(caches, "new");
            copy(jar, made);
            moveOrDelete(made, home);
        }
        Files.setLastModifiedTime(home, FileTime.from(Instant.now()));
        deleteUnused(caches, home);
        return home;
    }

    private static boolean isPacked(final Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.getEntry(PACKED + "bin/tutti") != null;
        }
    }

    private static Path caches() throws IOException {
        final String named = System.getenv(CACHES);
        final Path folder = named == null || named.isBlank() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(named);
        return Files.createDirectories(folder.resolve("tutti"));
    }

    private static String digest(final Path jar) throws IOException {
        try (InputStream in = Files.newInputStream(jar)) {
            final MessageDigest digest = MessageDigest.getInstance("SHA-256");
            final byte[] buffer = new byte[1 << 16];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
            }
            return HexFormat.of().formatHex(digest.digest()).substring(0, KEY);
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static void copy(final Path jar, final Path folder) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            for (final JarEntry entry : file.stream().filter(e -> e.getName().startsWith(PACKED) && !e.isDirectory()).toList()) {
                final Path to = folder.resolve(entry.getName().substring(PACKED.length())).normalize();
                if (!to.startsWith(folder)) {
                    throw new IOException("entry is outside of its folder: " + entry.getName());
                }
                Files.createDirectories(Objects.requireNonNull(to.getParent(), "folder of an entry"));
                try (InputStream in = file.getInputStream(entry)) {
                    Files.copy(in, to);
                }
            }
        }
        if (!folder.resolve("bin/tutti").toFile().setExecutable(true)) {
            throw new IOException("cannot be made executable: " + folder.resolve("bin/tutti"));
        }
    }

    /** Moves a folder to its name, unless another process was faster. */
    private static void moveOrDelete(final Path made, final Path home) throws IOException {
        try {
            Files.move(made, home);
        } catch (final FileSystemException e) {
            delete(made);
            if (!Files.exists(home)) {
                throw e;
            }
        }
    }

    private static void deleteUnused(final Path caches, final Path used) throws IOException {
        final List<Path> homes;
        try (Stream<Path> files = Files.list(caches)) {
            homes = files.filter(f -> f.getFileName().toString().startsWith(PREFIX) && !f.equals(used)).toList();
        }
        for (final Path home : homes) {
            if (Files.getLastModifiedTime(home).toInstant().isBefore(Instant.now().minus(UNUSED))) {
                delete(home);
            }
        }
    }

    /** Deletes a folder with all files that can be deleted. */
    static void delete(final Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(f -> {
                if (!f.delete()) {
                    f.deleteOnExit();
                }
            });
        }
    }
}
