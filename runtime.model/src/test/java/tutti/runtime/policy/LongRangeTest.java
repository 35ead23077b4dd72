package tutti.runtime.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LongRangeTest {
    @ParameterizedTest
    @CsvSource({"2..8, 2, 8, 2..8", "2.., 2, 9223372036854775807, 2..", "..64K, 0, 65536, ..64K", "7, 7, 7, 7", "0.., 0, 9223372036854775807, 0..",
        "1M..1G, 1048576, 1073741824, 1M..1G", "..0, 0, 0, 0", "65537.., 65537, 9223372036854775807, 65537..", "1024K, 1048576, 1048576, 1M"})
    void shouldReadAndWrite(final String text, final long min, final long max, final String written) {
        assertEquals(new LongRange(min, max), LongRange.of(text));
        assertEquals(written, LongRange.of(text).toString());
        assertEquals(LongRange.of(text), LongRange.of(written));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "..", "8..2", "-1", "1-2", "1...2", "1 ..2", "K", "1k", "1KB", "99999999999G", "1234567890123456789", "1..2..3"})
    void shouldRefuseInvalidText(final String text) {
        assertThrows(IllegalArgumentException.class, () -> LongRange.of(text));
    }

    @Test
    void shouldIncludeBothEnds() {
        final LongRange range = new LongRange(2, 8);
        assertTrue(range.contains(2) && range.contains(8));
        assertFalse(range.contains(1) || range.contains(9));
        assertTrue(range.covers(range) && range.covers(new LongRange(3, 8)));
        assertFalse(range.covers(new LongRange(1, 8)) || range.covers(new LongRange(2, 9)));
    }
}
