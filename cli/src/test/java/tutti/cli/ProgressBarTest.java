package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes);

    @Test
    void shouldPrintALineForEveryTenthWhereThereIsNoTerminal() {
        final ProgressBar progress = new ProgressBar(out, false, 100, 50);
        for (int i = 0; i < 50; i++) {
            progress.step("bcast");
        }
        assertEquals(5, bytes.toString().lines().count());
        assertTrue(bytes.toString().lines().toList().getLast().matches("100%  100/100  0:00 left  bcast"), bytes.toString());
    }

    @Test
    void shouldDrawABarOnATerminal() {
        final ProgressBar progress = new ProgressBar(out, true, 2, 0);
        progress.step("bcast");
        assertTrue(bytes.toString().startsWith("\r[###############...............]  50%  1/2  "), bytes.toString());
        progress.step("bcast");
        assertTrue(bytes.toString().endsWith("\n"));
    }
}
