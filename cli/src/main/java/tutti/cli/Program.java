package tutti.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import tutti.daemon.channel.SourceCompiler;
import tutti.daemon.node.ExitStatus;

/**
 * Program to run, as jars that can be sent to nodes. Folders and compiled sources are packed into temporary jars, deleted by {@link #close}.
 */
final class Program implements AutoCloseable {
    private final List<Path> files = new ArrayList<>();
    private final List<Path> temporary = new ArrayList<>();
    private String mainClass;

    private Program() {}

    /**
     * Creates a program from a source file, a jar or a class name.
     *
     * @param classPath value of {@code --cp}, or null
     * @param api       jars on the compile-time class path of every program
     */
    static Program of(final String name, final String classPath, final List<Path> api) {
        final Program program = new Program();
        try {
            final List<Path> elements = given(classPath);
            if (name.endsWith(".java")) {
                program.source(Path.of(name), elements, api);
            } else if (name.endsWith(".jar")) {
                program.jar(Path.of(name));
            } else if (classPath == null) {
                throw new CommandFailure(ExitStatus.USAGE, "no such program: " + name + ", expected a .java file, a .jar, or a class with --cp");
            } else {
                program.mainClass = name;
            }
            for (final Path p : elements) {
                program.add(p);
            }
            return program;
        } catch (final IOException e) {
            program.close();
            throw new CommandFailure(ExitStatus.USAGE, "program cannot be read: " + name + ": " + e, e);
        } catch (final RuntimeException e) {
            program.close();
            throw e;
        }
    }

    /** Returns a program that the nodes have: no file is sent. */
    static Program builtIn(final String mainClass) {
        final Program program = new Program();
        program.mainClass = mainClass;
        return program;
    }

    private static List<Path> given(final String classPath) {
        final List<Path> paths = new ArrayList<>();
        if (classPath != null) {
            for (final String element : classPath.split(java.io.File.pathSeparator)) {
                if (!element.isEmpty()) {
                    paths.add(existing(Path.of(element), "class path element"));
                }
            }
        }
        return paths;
    }

    private static Path existing(final Path path, final String what) {
        if (!Files.isReadable(path)) {
            throw new CommandFailure(ExitStatus.USAGE, CommandFailure.notFound(what, path));
        }
        return path;
    }

    private static SourceCompiler.Compiled compile(final Path source, final List<Path> classPath) {
        try {
            return SourceCompiler.compile(source, classPath);
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, e.getMessage(), e);
        }
    }

    private void source(final Path source, final List<Path> elements, final List<Path> api) throws IOException {
        existing(source, "program");
        if (elements.isEmpty()) {
            refuseLibraries(source);
        }
        final List<Path> classPath = new ArrayList<>(api);
        classPath.addAll(elements);
        final SourceCompiler.Compiled compiled = compile(source, classPath);
        mainClass = compiled.mainClass();
        final Path jar = temporary();
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (final Map.Entry<String, byte[]> c : compiled.classes().entrySet()) {
                entry(out, c.getKey().replace('.', '/') + ".class", c.getValue());
            }
        }
        files.add(jar);
    }

    /** Refuses a source file that asks JBang for libraries: nothing fetches them here. */
    private static void refuseLibraries(final Path source) {
        final List<String> libraries;
        try {
            libraries = SourceCompiler.dependencies(source);
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, e.getMessage(), e);
        }
        if (!libraries.isEmpty()) {
            throw new CommandFailure(ExitStatus.USAGE, "libraries are not fetched: " + source + " has //DEPS " + String.join(" ", libraries)
                + "; name their jars: tutti run --cp \"$(jbang info classpath " + source + ")\" " + source);
        }
    }

    private void jar(final Path jar) throws IOException {
        existing(jar, "program");
        try (JarFile file = new JarFile(jar.toFile())) {
            final Manifest manifest = file.getManifest();
            mainClass = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
        }
        if (mainClass == null) {
            throw new CommandFailure(ExitStatus.USAGE, "no Main-Class in the manifest of " + jar + ": name the class and give the jar with --cp");
        }
        addWithClassPath(jar);
    }

    /** Adds a jar with the jars that its manifest names, as the {@code java} launcher has them on the class path. */
    private void addWithClassPath(final Path jar) throws IOException {
        final Path absolute = jar.toAbsolutePath().normalize();
        if (files.stream().anyMatch(f -> f.toAbsolutePath().normalize().equals(absolute))) {
            return;
        }
        files.add(jar);
        final String named;
        try (JarFile file = new JarFile(jar.toFile())) {
            final Manifest manifest = file.getManifest();
            named = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
        }
        if (named == null || named.isBlank()) {
            return;
        }
        for (final String element : named.strip().split("\\s+")) {
            final URI address = absolute.toUri().resolve(element);
            // as for the launcher: what is not there is left out
            if ("file".equals(address.getScheme()) && Files.isDirectory(Path.of(address))) {
                add(Path.of(address));
            } else if ("file".equals(address.getScheme()) && Files.isRegularFile(Path.of(address))) {
                addWithClassPath(Path.of(address));
            }
        }
    }

    private void add(final Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            files.add(path);
            return;
        }
        final Path jar = temporary();
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar)); Stream<Path> all = Files.walk(path)) {
            for (final Path p : all.filter(Files::isRegularFile).sorted().toList()) {
                entry(out, path.relativize(p).toString().replace('\\', '/'), Files.readAllBytes(p));
            }
        }
        files.add(jar);
    }

    private Path temporary() throws IOException {
        final Path jar = Files.createTempFile("tutti-program", ".jar");
        // in case a signal ends the command
        jar.toFile().deleteOnExit();
        temporary.add(jar);
        return jar;
    }

    private static void entry(final JarOutputStream out, final String name, final byte[] bytes) throws IOException {
        final JarEntry entry = new JarEntry(name);
        entry.setTime(0);
        out.putNextEntry(entry);
        final OutputStream to = out;
        to.write(bytes);
        out.closeEntry();
    }

    /** Returns the jars, in class path order. */
    List<Path> files() {
        return files;
    }

    /** Returns the name of the class with the main method. */
    String mainClass() {
        return mainClass;
    }

    @Override
    public void close() {
        for (final Path p : temporary) {
            try {
                Files.deleteIfExists(p);
            } catch (final IOException e) {
                p.toFile().deleteOnExit();
            }
        }
    }
}
