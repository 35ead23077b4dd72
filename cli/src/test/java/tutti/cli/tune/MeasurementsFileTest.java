package tutti.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasurementsFileTest {
    private static final MeasurementsFile.Environment ENVIRONMENT = new MeasurementsFile.Environment(List.of("basic 0.1.0"), 2, "25");
    private static final Measurement FIRST = new Measurement(new TuneSetting("bcast", 2, 1, 8), "basic/binomial", 1.5);
    private static final Measurement SECOND = new Measurement(new TuneSetting("bcast", 2, 1, 64), "basic/binomial", 2.5);

    @TempDir
    private Path dir;

    @Test
    void shouldResumeWithTheStoredMeasurements() throws Exception {
        final Path file = dir.resolve("points");
        MeasurementsFile.open(file, ENVIRONMENT).add(FIRST);
        final MeasurementsFile again = MeasurementsFile.open(file, ENVIRONMENT);
        assertEquals(1, again.count(FIRST.setting(), FIRST.algorithm()));
        assertEquals(0, again.count(SECOND.setting(), SECOND.algorithm()));
        again.add(SECOND);
        assertEquals(List.of(FIRST, SECOND), MeasurementsFile.open(file, ENVIRONMENT).measurements());
    }

    @Test
    void shouldIgnoreAnIncompleteLastLine() throws Exception {
        final Path file = dir.resolve("points");
        MeasurementsFile.open(file, ENVIRONMENT).add(FIRST);
        Files.writeString(file, "{\"setting\": {\"oper", StandardOpenOption.APPEND);
        MeasurementsFile.open(file, ENVIRONMENT).add(SECOND);
        assertEquals(List.of(FIRST, SECOND), MeasurementsFile.open(file, ENVIRONMENT).measurements());
    }

    @Test
    void shouldRefuseMeasurementsOfAnotherEnvironmentAndOtherFiles() throws Exception {
        final Path file = dir.resolve("points");
        MeasurementsFile.open(file, ENVIRONMENT).add(FIRST);
        final MeasurementsFile.Environment other = new MeasurementsFile.Environment(List.of("basic 0.2.0"), 2, "25");
        assertTrue(assertThrows(IOException.class, () -> MeasurementsFile.open(file, other)).getMessage()
            .contains("was measured in another environment: delete the file, or use --fresh; file=Environment[modules=[basic 0.1.0]"));
        Files.writeString(file, "hello\n");
        assertTrue(assertThrows(IOException.class, () -> MeasurementsFile.open(file, ENVIRONMENT)).getMessage()
            .contains("is not a file of measurements"));
    }
}
