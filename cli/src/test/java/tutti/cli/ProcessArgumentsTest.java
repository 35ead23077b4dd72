package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests of the arguments of processes. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ProcessArgumentsTest {
    /** Copies its input, which stays open until the process is ended. */
    private static Process start(final String... arguments) throws IOException {
        final Process process = new ProcessBuilder(arguments).start();
        // the first byte comes back from the program, in place of the process that starts it
        process.outputWriter().append('\n').flush();
        assertEquals('\n', process.getInputStream().read());
        return process;
    }

    @Test
    void shouldTellArgumentsLongerThanAPage() throws Exception {
        final String page = "x".repeat(20_000);
        final Process process = start("sh", "-c", "cat", "name", page);
        try {
            assertEquals(List.of("-c", "cat", "name", page), ProcessArguments.of(process.toHandle()));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @Test
    void shouldTellNoneOfAProcessThatHasEnded() throws Exception {
        final Process process = start("cat");
        process.destroyForcibly().waitFor();
        assertEquals(List.of(), ProcessArguments.of(process.toHandle()));
    }
}
