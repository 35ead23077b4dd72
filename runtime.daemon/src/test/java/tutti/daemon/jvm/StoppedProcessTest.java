package tutti.daemon.jvm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoppedProcessTest {
    @TempDir
    private Path dir;

    @ParameterizedTest
    @ValueSource(strings = {"7 (java) T 1 7 7 0", "7 (a b) T 1", "7 (a) S (b) T 1", "7 () T 1", "7 (((x)) R) T 1", "7 (java) T"})
    void shouldFindAStoppedProcess(final String stat) {
        assertTrue(StoppedProcess.isStopped(stat));
    }

    @ParameterizedTest
    @ValueSource(strings = {"7 (java) S 1 7 7 0", "7 (java) t 1", "7 (java) R 1", "7 (java) D 1", "7 (java) Z 0", "7 (a) T (b) S 1", "7 (T) S 1",
        "7 (a) T) R 1", "", "T", "T 1", "7 (java)", "7 (java) ", "7"})
    void shouldFindNoStopInOtherStates(final String stat) {
        assertFalse(StoppedProcess.isStopped(stat));
    }

    private static void signal(final Process process, final String name) throws IOException, InterruptedException {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor());
    }

    /** Sends a signal and waits until it has had its effect. */
    private static void stop(final StoppedProcess looks, final Process process, final boolean stops) throws Exception {
        signal(process, stops ? "STOP" : "CONT");
        await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(1)).until(() -> looks.isStopped() == stops);
    }

    private static void assertThirdLookFinds(final StoppedProcess looks) {
        assertFalse(looks.look());
        assertFalse(looks.look());
        assertTrue(looks.look());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldFindAProcessStoppedAtTheThirdLookInARow() throws Exception {
        final Path program = Files.writeString(dir.resolve("a) T (b"), "#!/bin/sh\nread line\n");
        assertTrue(program.toFile().setExecutable(true));
        final Process process = new ProcessBuilder(program.toString()).start();
        try {
            final StoppedProcess looks = new StoppedProcess(process.pid());
            for (int i = 0; i < 5; i++) {
                assertFalse(looks.look());
            }
            stop(looks, process, true);
            assertFalse(looks.look());
            assertFalse(looks.look());
            stop(looks, process, false);
            assertFalse(looks.look());
            stop(looks, process, true);
            assertThirdLookFinds(looks);
            assertTrue(looks.look());
            stop(looks, process, false);
            assertFalse(looks.look());
            stop(looks, process, true);
            assertThirdLookFinds(looks);
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertFalse(new StoppedProcess(process.pid()).isStopped());
    }
}
