package tutti.itest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where things are. */
final class Home {
    static final Path DIR = Path.of(System.getProperty("tutti.home", "..")).toAbsolutePath().normalize();
    static final Path BUNDLES = DIR.resolve("dist/target/tutti/bundle");

    private Home() { }

    /** The jars that a container starts. */
    static List<Path> bundles() throws IOException {
        try (Stream<Path> jars = Files.list(BUNDLES)) {
            return jars.filter(p -> p.toString().endsWith(".jar")).sorted().toList();
        }
    }
}
