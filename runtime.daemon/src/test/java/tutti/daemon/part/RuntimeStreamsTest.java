package tutti.daemon.part;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuntimeStreamsTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PrintStream process = new PrintStream(out, true, StandardCharsets.UTF_8);
    private final List<String> lines = new ArrayList<>();
    private final RuntimeStreams streams = new RuntimeStreams(process, new PrintStream(err, true, StandardCharsets.UTF_8));

    @Test
    void shouldPrintToTheProcessUntilItsStreamsAreThoseOfARank() {
        final PrintStream stream = streams.over(process);
        stream.print("before\nand");
        streams.separate(lines::add);
        stream.print("fir");
        stream.print("st\nsecond ü\nthird");
        assertEquals("before\nand", out.toString(StandardCharsets.UTF_8));
        assertEquals(List.of("first", "second ü"), lines);
    }

    @Test
    void shouldPrintWhatARankPrintsOnlyWhereTheStreamsAreThoseOfARank() {
        assertFalse(streams.print(false, new byte[] {'x'}));
        streams.separate(lines::add);
        assertTrue(streams.print(false, new byte[] {'a', '\n'}) && streams.print(true, new byte[] {'b'}));
        assertEquals("a\n", out.toString(StandardCharsets.UTF_8));
        assertEquals("b", err.toString(StandardCharsets.UTF_8));
    }
}
