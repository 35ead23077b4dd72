package tutti.daemon.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExplainProgramTest {
    @Test
    void shouldPassEachArgumentToTheProgram() {
        assertEquals(List.of(), new ExplainProgram(List.of(), null, 0, null, false).arguments());
        assertEquals(List.of("bcast", "barrier", "--bytes", "1024", "--groups", "3", "--group", "0..1,4", "--json"),
            new ExplainProgram(List.of("bcast", "barrier"), 1024L, 3, "0..1,4", true).arguments());
    }

    @ParameterizedTest
    @CsvSource({"8,8", "64K,65536", "1M,1048576", "2G,2147483648"})
    void shouldReadSizes(final String text, final long bytes) {
        assertEquals(bytes, ExplainProgram.bytes(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"8x", "", "-1", "1K..2K"})
    void shouldRefuseWhatIsNoSize(final String text) {
        assertEquals("invalid size: --bytes " + text + ", expected 8, 64K, 1M or 2G",
            assertThrows(IllegalArgumentException.class, () -> ExplainProgram.bytes(text)).getMessage());
    }

    @Test
    void shouldRefuseUnknownOperationsAndWhatIsNoListOfRanks() {
        assertEquals("no such operation: bcats; did you mean bcast?",
            assertThrows(IllegalArgumentException.class, () -> new ExplainProgram(List.of("bcats"), null, 0, null, false)).getMessage());
        assertEquals("invalid ranks: --group 0.2, expected 0..3,7",
            assertThrows(IllegalArgumentException.class, () -> new ExplainProgram(List.of(), null, 0, "0.2", false)).getMessage());
    }
}
