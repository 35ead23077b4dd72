package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import aQute.bnd.differ.Baseline;
import aQute.bnd.differ.DiffPluginImpl;
import aQute.bnd.osgi.Instructions;
import aQute.bnd.osgi.Jar;
import aQute.bnd.osgi.Processor;
import aQute.bnd.service.diff.Delta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that the packages that others build against have a new version when they differ from the last release, whose jars are in
 * {@code cnf/baseline}.
 */
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class ApiBaselineTest {
    private static final Path RELEASED = ProjectPaths.DIR.resolve("cnf/baseline");

    static List<Path> releasedJars() throws IOException {
        try (Stream<Path> jars = Files.list(RELEASED)) {
            return jars.filter(j -> j.toString().endsWith(".jar")).sorted().toList();
        }
    }

    private static Jar built(final Path released) throws IOException {
        return new Jar(ProjectPaths.BUNDLES.resolve(released.getFileName().toString().replaceFirst("-[0-9.]+[.]jar$", ".jar")).toFile());
    }

    /** Returns a sentence for each package that needs another version. */
    private static List<String> differences(final Jar built, final Path released) throws Exception {
        try (Processor processor = new Processor(); Jar older = new Jar(released.toFile())) {
            // bnd lets versions below 1 change at will; here they change with every difference
            return new Baseline(processor, new DiffPluginImpl()).baseline(built, older, new Instructions("*")).stream()
                .filter(i -> i.packageDiff.getDelta() != Delta.UNCHANGED && i.newerVersion.equals(i.olderVersion))
                .map(i -> i.packageName + " differs from the release (" + i.packageDiff.getDelta() + ") and has its version: " + i.olderVersion
                    + "; set another one in package-info.java")
                .sorted().toList();
        }
    }

    @Test
    void shouldHaveAReleaseToCompareWith() throws IOException {
        final String names = releasedJars().toString();
        assertTrue(
            Stream.of("coll.api", "coll.plan", "coll.tck", "mpi.api", "runtime.transport.api").allMatch(n -> names.contains("tutti." + n + "-")),
            names);
    }

    @ParameterizedTest
    @MethodSource("releasedJars")
    void shouldGiveAChangedPackageANewVersion(final Path released) throws Exception {
        try (Jar built = built(released)) {
            assertEquals(List.of(), differences(built, released));
        }
    }

    @ParameterizedTest
    @MethodSource("releasedJars")
    void shouldNoticeATypeThatIsGone(final Path released) throws Exception {
        try (Jar built = built(released)) {
            final String gone = built.getResources().keySet().stream().filter(r -> r.matches("(mpi/Comm|tutti/coll/Plan|tutti/coll/plan/TaskKind"
                + "|tutti/coll/tck/ModuleVerifier|tutti/runtime/transport/Link)[.]class")).findFirst().orElseThrow();
            built.remove(gone);
            final List<String> differences = differences(built, released);
            assertTrue(differences.toString().contains(gone.substring(0, gone.lastIndexOf('/')).replace('/', '.') + " differs from the release"),
                differences::toString);
        }
    }
}
