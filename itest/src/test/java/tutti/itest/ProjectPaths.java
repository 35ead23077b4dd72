package tutti.itest;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.opentest4j.AssertionFailedError;

/** Paths of the project and of the distribution. */
final class ProjectPaths {
    static final Path DIR = Path.of(System.getProperty("tutti.home", "..")).toAbsolutePath().normalize();
    static final Path BUNDLES = DIR.resolve("dist/target/tutti/bundle");
    static final Path MODULES = DIR.resolve("dist/target/tutti/modules");
    static final Path OPTIONAL = DIR.resolve("dist/target/tutti/optional");
    static final Path BOOT = DIR.resolve("dist/target/tutti/boot");

    /** Collective modules that every container starts with. */
    static final List<String> DEFAULT_COLLECTIVES = List.of("basic", "dissem", "recexch", "ring", "smp", "tree");
    /** The modules of the distribution, interceptors too. */
    static final List<String> DEFAULT_MODULES =
        List.of("basic", "dissem", "intercept.chaos", "intercept.profile", "intercept.trace", "recexch", "ring", "smp",
            "tree");

    private ProjectPaths() {}

    /** Returns the class path of the test programs of package mpi, which make assertions. */
    static String testPrograms() {
        return Stream.concat(Stream.of(DIR.resolve("mpi.api/target/test-classes")),
            Stream.of(Assertions.class, AssertionFailedError.class).map(ProjectPaths::jarOf)).map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator));
    }

    /** Returns the jar of a class of the tests' class path. */
    static Path jarOf(final Class<?> type) {
        return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
    }

    /** Returns the bundles that a container starts. */
    static List<Path> bundles() throws IOException {
        return jars(BUNDLES);
    }

    /** Returns the bundles that a container starts on request. */
    static List<Path> optional() throws IOException {
        return jars(OPTIONAL);
    }

    /** Returns the jars of the folders from which the command's class path is taken. */
    static List<Path> jars() throws IOException {
        return Stream.concat(jars(BOOT).stream(), bundles().stream()).toList();
    }

    private static List<Path> jars(final Path folder) throws IOException {
        try (Stream<Path> jars = Files.list(folder)) {
            return jars.filter(p -> p.toString().endsWith(".jar")).sorted().toList();
        }
    }
}
