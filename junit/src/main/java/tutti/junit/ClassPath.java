package tutti.junit;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mpi.MPI;

/** The class path of this JVM, as that of a job: without what nodes have. */
final class ClassPath {
    private static final String RANK = "tutti/junit/rank/";
    private static final List<String> PROPERTIES = List.of("surefire.test.class.path", "java.class.path", "jdk.module.path");

    private ClassPath() {}

    /** Returns the folders and jars of this JVM, as the value of option {@code --cp}. */
    static String ofProgram() {
        final Set<Path> found = new LinkedHashSet<>();
        for (final String property : PROPERTIES) {
            for (final String element : System.getProperty(property, "").split(File.pathSeparator)) {
                if (!element.isEmpty()) {
                    add(Path.of(element).toAbsolutePath().normalize(), found);
                }
            }
        }
        // package mpi is that of the nodes; this jar may have a node in it
        found.remove(TuttiHome.code(MPI.class));
        found.remove(TuttiHome.ownCode());
        return found.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** Adds a folder, or a jar with those that its manifest names: development environments pass long class paths so. */
    private static void add(final Path element, final Set<Path> found) {
        if (Files.isDirectory(element)) {
            found.add(element);
        } else if (Files.isRegularFile(element) && element.toString().endsWith(".jar") && found.add(element)) {
            try (JarFile jar = new JarFile(element.toFile())) {
                final Manifest manifest = jar.getManifest();
                final String named = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
                if (named != null) {
                    for (final String other : named.strip().split("\\s+")) {
                        final URI address = element.toUri().resolve(other);
                        if ("file".equals(address.getScheme())) {
                            add(Path.of(address).normalize(), found);
                        }
                    }
                }
            } catch (final IOException e) {
                throw new UncheckedIOException("element of the class path cannot be read: " + element, e);
            }
        }
    }

    /** Writes a jar with the classes that run tests on ranks. */
    static void writeRankClasses(final Path jar) throws IOException {
        final Path code = TuttiHome.ownCode();
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            if (Files.isDirectory(code)) {
                try (Stream<Path> classes = Files.list(code.resolve(RANK))) {
                    for (final Path file : classes.sorted().toList()) {
                        write(out, RANK + file.getFileName(), Files.readAllBytes(file));
                    }
                }
                return;
            }
            try (JarFile own = new JarFile(code.toFile())) {
                for (final JarEntry entry : own.stream().filter(e -> e.getName().startsWith(RANK) && e.getName().endsWith(".class")).toList()) {
                    write(out, entry.getName(), own.getInputStream(entry).readAllBytes());
                }
            }
        }
    }

    private static void write(final JarOutputStream jar, final String name, final byte[] bytes) throws IOException {
        jar.putNextEntry(new JarEntry(name));
        final OutputStream out = jar;
        out.write(bytes);
        jar.closeEntry();
    }
}
