package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs code of others on package {@code mpi}: jars as they were published, compiled against the Java bindings of Open MPI. */
@Tag("nightly")
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class ForeignProgramIT {
    private static final Path SOURCES = ProjectPaths.DIR.resolve("itest/src/test/resources/twister2");
    private static final Path JARS = ProjectPaths.DIR.resolve("itest/target/foreign");

    @TempDir
    private Path classes;

    @Test
    void shouldCarryTheMessagesOfTheChannelOfTwister2() throws Exception {
        final String foreign;
        try (Stream<Path> jars = Files.list(JARS)) {
            foreign = jars.map(Path::toString).sorted().collect(Collectors.joining(File.pathSeparator));
        }
        final String mpi = ProjectPaths.bundles().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        final List<String> line = new ArrayList<>(List.of("-proc:none", "-cp", foreign + File.pathSeparator + mpi, "-d", classes.toString()));
        try (Stream<Path> sources = Files.walk(SOURCES)) {
            sources.map(Path::toString).filter(s -> s.endsWith(".java")).forEach(line::add);
        }
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, line.toArray(String[]::new)));
        final TuttiScript.Result r = TuttiScript.run(classes, "run", "-n", "3", "--nodes", "2", "--cp", classes + File.pathSeparator + foreign,
            "ChannelRing");
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of("rank 0 of 3 has 100 messages of rank 2", "rank 1 of 3 has 100 messages of rank 0",
            "rank 2 of 3 has 100 messages of rank 1"), r.out().lines().sorted().toList(), r::toString);
    }
}
