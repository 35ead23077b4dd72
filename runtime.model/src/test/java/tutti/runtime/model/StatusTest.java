package tutti.runtime.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusTest {
    @ParameterizedTest
    @CsvSource({"0, false, 0", "0, true, 0", "7, false, 35", "7, true, -1", "9223372036854775807, false, 2147483647",
        "9223372036854775807, true, -2147483648"})
    void shouldHaveBytesWhetherOrNotItWasCancelled(final long bytes, final boolean isCancelled, final int error) {
        final Status status = new Status(3, 4, bytes, isCancelled, error);
        assertEquals(3, status.source());
        assertEquals(4, status.tag());
        assertEquals(bytes, status.bytes());
        assertEquals(isCancelled, status.cancelled());
        assertEquals(error, status.error());
    }
}
