package tutti.daemon.command;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Directives in comments of a source file, as JBang reads them: {@code //SOURCES} names more source files, {@code //DEPS} libraries. */
public final class ScriptDirectives {
    private static final String SOURCES = "//SOURCES";
    private static final String DEPENDENCIES = "//DEPS";
    private static final String OWN = "tutti:";

    private ScriptDirectives() {}

    /**
     * Returns the source files that a source file names, and those that these name, without itself.
     *
     * @throws IOException when one is not found; the message names it and the file that names it
     */
    static Collection<Path> sources(final Path source) throws IOException {
        final Set<Path> found = new LinkedHashSet<>();
        final Path first = source.toAbsolutePath().normalize();
        found.add(first);
        addSources(first, found);
        found.remove(first);
        return found;
    }

    private static void addSources(final Path source, final Set<Path> found) throws IOException {
        final Path folder = Objects.requireNonNull(source.getParent(), "folder of a source file");
        for (final String name : words(source, SOURCES)) {
            final List<Path> named = files(folder, name);
            if (named.isEmpty()) {
                throw new IOException("source file not found: " + name + "; " + SOURCES + " of " + source + " names it, looked for in " + folder);
            }
            for (final Path file : named) {
                if (found.add(file)) {
                    addSources(file, found);
                }
            }
        }
    }

    private static List<Path> files(final Path folder, final String name) throws IOException {
        if (!name.contains("*")) {
            final Path file = folder.resolve(name).normalize();
            return Files.isRegularFile(file) ? List.of(file) : List.of();
        }
        // the folder before the first asterisk
        final int slash = name.lastIndexOf('/', name.indexOf('*'));
        final Path base = slash < 0 ? folder : folder.resolve(name.substring(0, slash)).normalize();
        if (!Files.isDirectory(base)) {
            return List.of();
        }
        final PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + name.substring(slash + 1));
        return FolderFiles.of(base).stream().filter(f -> matcher.matches(base.relativize(f))).toList();
    }

    /** Returns the libraries that a source file and those that it names ask for, without those of Tutti, which nodes have. */
    public static List<String> dependencies(final Path source) throws IOException {
        final List<String> found = new ArrayList<>(words(source, DEPENDENCIES));
        for (final Path file : sources(source)) {
            found.addAll(words(file, DEPENDENCIES));
        }
        return found.stream().filter(d -> !d.startsWith(OWN)).distinct().toList();
    }

    private static List<String> words(final Path source, final String directive) throws IOException {
        final List<String> words = new ArrayList<>();
        for (final String line : Files.readAllLines(source)) {
            if (line.startsWith(directive + " ")) {
                // a comment may follow
                words.addAll(List.of(line.substring(directive.length()).replaceFirst("\\s//.*", "").strip().split("[\\s,;]+")));
            }
        }
        return words;
    }
}
