package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.node.HostPort;

class ReadyLineTest {
    @Test
    void shouldReadWhatItPrints() {
        final ReadyLine line = new ReadyLine("n0", new HostPort("::1", 7001));
        assertEquals("ready n0 [::1]:7001", line.toString());
        assertEquals(Optional.of(line), ReadyLine.parse(line.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ready", "ready ", "ready n0", "warning: n0 127.0.0.1:1"})
    void shouldIgnoreOtherLines(final String line) {
        assertEquals(Optional.empty(), ReadyLine.parse(line));
    }
}
