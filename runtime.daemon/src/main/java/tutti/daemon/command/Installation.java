package tutti.daemon.command;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import tutti.daemon.protocol.ExitStatus;

/** Where the jars of Tutti are: the system property {@code tutti.dist} names the folder with {@code boot}, {@code bundle} and {@code optional}. */
final class Installation {
    private Installation() { }

    static Path bundles() {
        final String dist = System.getProperty("tutti.dist");
        if (dist == null || !Files.isDirectory(Path.of(dist, "bundle"))) {
            throw new CommandFailure(ExitStatus.USAGE, "distribution not found: tutti.dist=" + dist + ", start with the tutti script");
        }
        return Path.of(dist, "bundle");
    }

    /** Bundles that a container starts only when it is told to, by their symbolic names. */
    static List<Path> optional(final String... names) {
        final Path folder = bundles().resolveSibling("optional");
        return Stream.of(names).map(n -> folder.resolve(n + ".jar")).toList();
    }

    /** The archive of classes that a node starts sooner with; the script makes it, and a JVM does without one that is missing or old. */
    static Path archive() {
        return bundles().resolveSibling("node.jsa");
    }

    /** The table of rules for jobs that bring none of their own. */
    static Path rules() {
        return bundles().resolveSibling("conf").resolve("rules.json");
    }

    /** What programs are compiled against. */
    static List<Path> api() {
        try (Stream<Path> jars = Files.list(bundles())) {
            return jars.filter(p -> p.getFileName().toString().startsWith("tutti.mpi.api")).toList();
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, "distribution cannot be read: " + e, e);
        }
    }

    /** The Java that runs this. */
    static String java() {
        return ProcessHandle.current().info().command().orElse(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    }
}
