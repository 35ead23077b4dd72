package tutti.daemon.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.process.owner.RankProgram;

/**
 * Builder of the class path of a program from what the {@code java} command takes: jars with those that their manifests name, folders, wildcards and
 * source files. All are jars then, which can be sent to nodes; folders and compiled sources are packed into a folder of the caller. For one thread.
 */
public final class ProgramJars {
    private static final Attributes.Name OPENS = new Attributes.Name("Add-Opens");
    private static final Attributes.Name EXPORTS = new Attributes.Name("Add-Exports");
    private static final Attributes.Name AGENT = new Attributes.Name("Launcher-Agent-Class");

    private static final String AGENT_OPTION = "-javaagent:";

    private final Path folder;
    private final List<Path> files = new ArrayList<>();
    /** Jars and folders that were added. */
    private final Set<Path> known = new HashSet<>();
    private int packed;

    /**
     * Main class of a program.
     *
     * @param name    its name
     * @param options options of its command line, and of the manifest of its jar
     * @param ignored attributes of the manifest of its jar that have no meaning in a JVM that ranks share
     */
    public record Main(String name, RankProgram.Options options, List<String> ignored) {}

    /**
     * Creates a builder.
     *
     * @param folder folder for jars that are made; it is created when it is needed
     */
    public ProgramJars(final Path folder) {
        this.folder = folder;
    }

    /** Returns the jars, in class path order. */
    public List<Path> files() {
        return files;
    }

    /**
     * Compiles a source file with those that it uses, and adds its classes.
     *
     * @param classPath class path of the compilation
     * @throws IOException when it does not compile; the message has the errors
     */
    public Main addSource(final Path source, final List<Path> classPath, final JavaCommandLine line) throws IOException {
        final Path classes = Files.createDirectories(newFolder().resolve(source.getFileName().toString().replaceFirst("\\.java$", "")));
        final String main = SourceCompiler.compile(source, classPath, line.compile(), classes);
        pack(classes);
        return new Main(main, line.options(), List.of());
    }

    /**
     * Adds a jar and what its manifest names, and returns its main class.
     *
     * @throws IOException when the manifest names no main class
     */
    public Main addExecutable(final Path jar, final JavaCommandLine line) throws IOException {
        final Attributes manifest = manifest(jar);
        final String name = manifest.getValue(Attributes.Name.MAIN_CLASS);
        if (name == null) {
            throw new IOException("no Main-Class in the manifest of " + jar + ": name the class and give the jar with --cp");
        }
        add(jar);
        final RankProgram.Options own = line.options();
        final List<String> opens = new ArrayList<>(own.opens());
        opens.addAll(words(manifest, OPENS));
        final List<String> exports = new ArrayList<>(own.exports());
        exports.addAll(words(manifest, EXPORTS));
        return new Main(name.strip(), new RankProgram.Options(own.properties(), own.assertions(), opens, exports, own.modules(), own.preview()),
            manifest.containsKey(AGENT) ? List.of(AGENT + " " + manifest.getValue(AGENT)) : List.of());
    }

    /**
     * Returns a main class that was added, for ranks that have a JVM of their own each: with the options of the JVM of its command line, and with
     * agents, whose jars are added.
     *
     * @param find finds the file of a path
     * @throws IOException when the jar of an agent is missing
     */
    public Main withOwnJvm(final Main main, final JavaCommandLine line, final UnaryOperator<Path> find) throws IOException {
        final List<String> options = new ArrayList<>();
        final List<RankProgram.Agent> agents = new ArrayList<>();
        for (final String option : line.jvmOptions()) {
            if (option.startsWith(AGENT_OPTION)) {
                final String[] words = option.substring(AGENT_OPTION.length()).split("=", 2);
                final Path jar = find.apply(Path.of(words[0]));
                if (!Files.isRegularFile(jar)) {
                    // Cause: the jar of a `-javaagent` option is missing, or is a folder. Remedy: correct the path.
                    throw new IOException("no such file: " + option);
                }
                add(jar);
                agents.add(new RankProgram.Agent(index(jar), words.length == 1 ? null : words[1], false));
            } else {
                options.add(option);
            }
        }
        if (!main.ignored().isEmpty()) {
            agents.add(new RankProgram.Agent(index(find.apply(Path.of(line.program()))), null, true));
        }
        return new Main(main.name(), main.options().withJvm(options, agents), List.of());
    }

    /** Returns the place of a jar that was added, maybe by another path. */
    private int index(final Path jar) {
        final List<Path> all = files.stream().map(f -> f.toAbsolutePath().normalize()).toList();
        return all.indexOf(jar.toAbsolutePath().normalize());
    }

    /**
     * Returns the files that an element of a class path stands for: itself, or the jars of a folder for {@code FOLDER/*}.
     *
     * @return null when there is no such file or folder
     */
    public static @Nullable List<Path> expand(final String element) throws IOException {
        if (!element.equals("*") && !element.endsWith("/*")) {
            final Path path = Path.of(element);
            return Files.isReadable(path) ? List.of(path) : null;
        }
        final Path parent = Path.of(element.substring(0, element.length() - 1));
        if (!Files.isDirectory(parent)) {
            return null;
        }
        try (Stream<Path> jars = Files.list(parent)) {
            return jars.filter(j -> j.toString().matches("(?s).*\\.(jar|JAR)") && Files.isRegularFile(j)).sorted().toList();
        }
    }

    /** Returns whether a folder or jar has a class. */
    public static boolean hasClass(final Path element, final String name) throws IOException {
        final String file = name.replace('.', '/') + ".class";
        if (Files.isDirectory(element)) {
            return Files.isRegularFile(element.resolve(file));
        }
        try (JarFile jar = new JarFile(element.toFile())) {
            return jar.getEntry(file) != null;
        }
    }

    /** Adds a folder, or a jar with the jars and folders that its manifest names, unless it is there. */
    public void add(final Path element) throws IOException {
        final Path absolute = element.toAbsolutePath().normalize();
        if (!known.add(absolute)) {
            return;
        }
        if (Files.isDirectory(element)) {
            pack(element);
            return;
        }
        files.add(element);
        for (final String named : words(manifest(element), Attributes.Name.CLASS_PATH)) {
            final URI address = absolute.toUri().resolve(named);
            // as for the java command: what is not there is left out
            if ("file".equals(address.getScheme()) && Files.exists(Path.of(address))) {
                add(Path.of(address));
            }
        }
    }

    private static List<String> words(final Attributes manifest, final Attributes.Name name) {
        final String value = manifest.getValue(name);
        return value == null || value.isBlank() ? List.of() : List.of(value.strip().split("\\s+"));
    }

    private static Attributes manifest(final Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            final Manifest manifest = file.getManifest();
            return manifest == null ? new Attributes() : manifest.getMainAttributes();
        }
    }

    private void pack(final Path classes) throws IOException {
        final Path name = classes.toAbsolutePath().normalize().getFileName();
        final Path jar = newFolder().resolve((name == null ? "root" : name) + ".jar");
        long bytes = 0;
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (final Path p : FolderFiles.of(classes)) {
                try (InputStream in = Files.newInputStream(p)) {
                    bytes += Files.size(p);
                    if (bytes > Protocol.MAX_PROGRAM) {
                        // Cause: a [bound](security.md#bounds-of-a-node). Remedy: smaller files, or put data where the ranks read them.
                        throw new IOException("program too large: folder=" + classes + ", max=" + Protocol.MAX_PROGRAM + " bytes");
                    }
                    final JarEntry entry = new JarEntry(classes.relativize(p).toString().replace('\\', '/'));
                    entry.setTime(0);
                    out.putNextEntry(entry);
                    in.transferTo((OutputStream) out);
                    out.closeEntry();
                } catch (final NoSuchFileException e) {
                    // deleted meanwhile: the program does without it
                }
            }
        }
        files.add(jar);
    }

    private Path newFolder() throws IOException {
        return Files.createDirectories(folder.resolve(Integer.toString(packed++)));
    }
}
