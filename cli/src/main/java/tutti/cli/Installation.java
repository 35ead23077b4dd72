package tutti.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import tutti.daemon.node.ExitStatus;

/** Files of the distribution: the system property {@code tutti.dist} names the folder with {@code boot}, {@code bundle} and {@code optional}. */
final class Installation {
    private Installation() {}

    /** Returns the version, which the build writes into the manifest of the jar. */
    static String version() {
        return Objects.requireNonNullElse(Installation.class.getPackage().getImplementationVersion(), "(not from a jar)");
    }

    static Path bundles() {
        final String dist = System.getProperty("tutti.dist");
        if (dist == null || !Files.isDirectory(Path.of(dist, "bundle"))) {
            throw new CommandFailure(ExitStatus.USAGE, "distribution not found: tutti.dist=" + dist + ", start with the tutti script");
        }
        return Path.of(dist, "bundle");
    }

    /** Returns bundles that a container starts only on request, by their symbolic names. */
    static List<Path> optional(final String... names) {
        final Path folder = bundles().resolveSibling("optional");
        return Stream.of(names).map(n -> folder.resolve(n + ".jar")).toList();
    }

    /** Returns the class data archive that speeds up the start of a node. The script creates it; a JVM ignores a missing or outdated one. */
    static Path archive() {
        return bundles().resolveSibling("node.jsa");
    }

    /** Returns the rule table for jobs that do not specify one. */
    static Path rules() {
        return bundles().resolveSibling("conf").resolve("rules.json");
    }

    /** Returns the jars that programs are compiled against. */
    static List<Path> api() {
        try (Stream<Path> jars = Files.list(bundles())) {
            return jars.filter(p -> p.getFileName().toString().startsWith("tutti.mpi.api")).toList();
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, "distribution cannot be read: " + e, e);
        }
    }

    /** Returns the path of the Java launcher that runs this process. */
    static String java() {
        return ProcessHandle.current().info().command().orElse(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    }
}
