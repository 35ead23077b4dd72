package tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.command.JavaCommandLine;
import tutti.daemon.command.ProgramJars;
import tutti.daemon.command.ScriptDirectives;
import tutti.daemon.node.ExitStatus;
import tutti.runtime.process.owner.RankProgram;

/**
 * Program to run, as jars that can be sent to nodes. Folders and compiled sources are packed into a temporary folder, deleted by {@link #close}.
 *
 * @param files    jars, in class path order
 * @param main     class with the main method, and its options
 * @param args     arguments of the program
 * @param folder   temporary folder; null without
 */
record Program(List<Path> files, ProgramJars.Main main, List<String> args, @Nullable Path folder) implements AutoCloseable {

    /**
     * Creates a program from a command line of {@code java}.
     *
     * @param isStrict whether an element of the class path that is missing is refused, and not told of
     * @param api      jars on the compile-time class path of every program
     * @param ownJvms  whether each rank has a JVM of its own
     */
    static Program of(final JavaCommandLine line, final boolean isStrict, final List<Path> api, final boolean ownJvms) {
        if (line.kind() == JavaCommandLine.Kind.CLASS && line.classPath() == null) {
            throw new CommandFailure(ExitStatus.USAGE, "no such program: " + line.program()
                + ", expected a .java file, a .jar, or a class with --cp");
        }
        Path folder = null;
        try {
            folder = TempFolders.create("program");
            final Path made = folder;
            // in case a signal ends the command
            Runtime.getRuntime().addShutdownHook(new Thread(() -> TempFolders.delete(made), "tutti-program"));
            final ProgramJars jars = new ProgramJars(folder);
            final List<Path> elements = elements(line.classPath(), isStrict);
            final ProgramJars.Main main = main(line, jars, elements, api);
            for (final Path element : elements) {
                jars.add(element);
            }
            return new Program(jars.files(), ownJvms ? jars.withOwnJvm(main, line, path -> path) : main, line.args(), folder);
        } catch (final IOException e) {
            delete(folder);
            throw new CommandFailure(ExitStatus.USAGE, e.getMessage(), e);
        } catch (final RuntimeException e) {
            delete(folder);
            throw e;
        }
    }

    private static ProgramJars.Main main(final JavaCommandLine line, final ProgramJars jars, final List<Path> elements, final List<Path> api)
        throws IOException {
        switch (line.kind()) {
            case SOURCE -> {
                final Path source = existing(line.program());
                if (elements.isEmpty()) {
                    refuseLibraries(source);
                }
                final List<Path> classPath = new ArrayList<>(api);
                classPath.addAll(elements);
                return jars.addSource(source, classPath, line);
            }
            case JAR -> {
                return jars.addExecutable(existing(line.program()), line);
            }
            default -> {
                return new ProgramJars.Main(line.program(), line.options(), List.of());
            }
        }
    }

    /** Returns a program that the nodes have: no file is sent. */
    static Program builtIn(final String mainClass, final List<String> args) {
        return new Program(List.of(), new ProgramJars.Main(mainClass, RankProgram.Options.NONE, List.of()), args, null);
    }

    private static List<Path> elements(final @Nullable List<String> classPath, final boolean isStrict) throws IOException {
        final List<Path> paths = new ArrayList<>();
        for (final String element : classPath == null ? List.<String>of() : classPath) {
            final List<Path> found = element.isEmpty() ? List.of() : ProgramJars.expand(element);
            if (found != null) {
                paths.addAll(found);
                continue;
            }
            final String missing = CommandFailure.notFound("class path element", Path.of(element));
            if (isStrict) {
                throw new CommandFailure(ExitStatus.USAGE, missing);
            }
            System.err.println("tutti: " + missing);
        }
        return paths;
    }

    private static Path existing(final String program) {
        final Path path = Path.of(program);
        if (!Files.isReadable(path)) {
            throw new CommandFailure(ExitStatus.USAGE, CommandFailure.notFound("program", path));
        }
        return path;
    }

    /** Refuses a source file that asks JBang for libraries: nothing fetches them here. */
    private static void refuseLibraries(final Path source) throws IOException {
        final List<String> libraries = ScriptDirectives.dependencies(source);
        if (!libraries.isEmpty()) {
            throw new CommandFailure(ExitStatus.USAGE, "libraries are not fetched: " + source + " has //DEPS " + String.join(" ", libraries)
                + "; name their jars: tutti run --cp \"$(jbang info classpath " + source + ")\" " + source);
        }
    }

    /** Returns the name of the class with the main method. */
    String mainClass() {
        return main.name();
    }

    private static void delete(final @Nullable Path folder) {
        if (folder != null) {
            TempFolders.delete(folder);
        }
    }

    @Override
    public void close() {
        delete(folder);
    }
}
