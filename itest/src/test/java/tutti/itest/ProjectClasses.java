package tutti.itest;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The classes of the project's jars in the distribution, read once for all tests. */
final class ProjectClasses {
    private static final JavaClasses ALL;

    static {
        try {
            final List<JarFile> jars = new ArrayList<>();
            for (final Path path : jars()) {
                jars.add(new JarFile(path.toFile()));
            }
            // a bundle may hold classes of others
            ALL = new ClassFileImporter().withImportOption(l -> l.contains("!/tutti/") || l.contains("!/mpi/")).importJars(jars);
            for (final JarFile jar : jars) {
                jar.close();
            }
        } catch (final IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private ProjectClasses() {}

    /** Returns the project's jars. */
    static List<Path> jars() throws IOException {
        return Stream.of(ProjectPaths.jars(), ProjectPaths.optional()).flatMap(List::stream)
            .filter(p -> p.getFileName().toString().startsWith("tutti."))
            .toList();
    }

    /** Returns the classes of all jars. */
    static JavaClasses all() {
        return ALL;
    }

    /** Returns the name of the jar of a class. */
    static String jarOf(final JavaClass type) {
        return type.getSource().orElseThrow().getUri().toString().replaceFirst("!.*", "").replaceFirst(".*/", "");
    }
}
