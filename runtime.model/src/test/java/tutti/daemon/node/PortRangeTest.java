package tutti.daemon.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.BindException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the ports of which a node takes a free one. */
class PortRangeTest {

    private static String bind(final int port, final int free) throws BindException {
        if (port != free) {
            throw new BindException("port " + port + " is in use");
        }
        return "port " + port;
    }

    @Test
    void shouldTakeTheFirstFreePortOfARange() throws Exception {
        assertEquals("port 7102", PortRange.parse("7100-7104").open(p -> bind(p, 7102)));
        assertEquals("port 7100", PortRange.parse("7100").open(p -> bind(p, 7100)));
        assertEquals("port 0", PortRange.ANY.open(p -> bind(p, 0)));
    }

    @Test
    void shouldSayWhenNoPortIsFree() {
        assertEquals("no port is free: ports=7100-7104", assertThrows(IOException.class, () -> PortRange.parse("7100-7104").open(p -> bind(p, 1)))
            .getMessage());
        assertEquals("port 7100 is in use", assertThrows(IOException.class, () -> PortRange.parse("7100").open(p -> bind(p, 1))).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1", "7104-7100", "0-5", "1-65536", "7100-", "1-2-3"})
    void shouldRefuseWhatIsNoRange(final String text) {
        assertThrows(IllegalArgumentException.class, () -> PortRange.parse(text));
    }
}
