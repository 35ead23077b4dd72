package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import tutti.runtime.module.LogLevels;

@ResourceLock(Resources.SYSTEM_ERR)
class JobLoggerTest {
    private static final LogLevels LEVELS = new LogLevels(Map.of("log.coll", "info", "log.coll.ring", "debug", "log.coll.tree", "off"));

    private static List<String> printed(final Runnable action) {
        final PrintStream err = System.err;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            action.run();
        } finally {
            System.setErr(err);
        }
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static System.Logger logger(final Level level) {
        return new JobLogger("coll.ring", level, "MPI_COMM_WORLD rank 2");
    }

    @Test
    void shouldHaveTheLevelOfTheModuleOrElseThatOfAll() {
        assertEquals(Level.DEBUG, LEVELS.ofModule("ring"));
        assertEquals(Level.INFO, LEVELS.ofModule("basic"));
        assertEquals(Level.OFF, LEVELS.ofModule("tree"));
        assertEquals(Level.WARNING, LEVELS.ofSelection());
        assertEquals(Level.WARNING, new LogLevels(Map.of()).ofModule("ring"));
    }

    @Test
    void shouldTellWhatIsNoLevel() {
        assertEquals("no level; there are all, trace, debug, info, warning, error, off", LogLevels.problem("loud"));
        assertEquals(null, LogLevels.problem("debug"));
        assertEquals("no level; there are all, trace, debug, info, warning, error, off", LogLevels.problem("DEBUG"));
    }

    @Test
    void shouldPrintNameLevelAndPlaceInFrontOfEachLine() {
        assertEquals(List.of("coll.ring info MPI_COMM_WORLD rank 2: segments of 64 bytes", "coll.ring warning MPI_COMM_WORLD rank 2: two",
            "coll.ring warning MPI_COMM_WORLD rank 2: lines"), printed(() -> {
                logger(Level.INFO).log(Level.INFO, "segments of {0} bytes", 64);
                logger(Level.INFO).log(Level.WARNING, "two\nlines");
                logger(Level.INFO).log(Level.DEBUG, "not printed");
                logger(Level.INFO).log(Level.DEBUG, () -> {
                    throw new AssertionError("not asked");
                });
            }));
    }

    @Test
    void shouldPrintNothingAtLevelOff() {
        assertFalse(logger(Level.OFF).isLoggable(Level.ERROR));
        assertFalse(logger(Level.ALL).isLoggable(Level.OFF));
        assertTrue(logger(Level.ALL).isLoggable(Level.TRACE));
    }

    @Test
    void shouldPrintTheStackOfAnException() {
        final List<String> lines = printed(() -> logger(Level.WARNING).log(Level.ERROR, "no memory", new IllegalStateException("full")));
        assertEquals(List.of("coll.ring error MPI_COMM_WORLD rank 2: no memory", "java.lang.IllegalStateException: full"), lines.subList(0, 2));
    }
}
