package tutti.runtime.intercept;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.intercept.InterceptedRank;

class InterceptorReportTest {
    private static List<String> pieces(final int bytes, final int most) {
        return new InterceptorReport("intercept.x", "text/plain", new byte[bytes]).pieces(most).stream().map(p -> p.bytes().length + " " + p.isLast())
            .toList();
    }

    @Test
    void shouldHaveOneLastPiece() {
        assertEquals(List.of("0 true"), pieces(0, 4));
        assertEquals(List.of("4 true"), pieces(4, 4));
        assertEquals(List.of("4 false", "1 true"), pieces(5, 4));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "text", "text/", "Text/plain", "text/plain; charset=utf-8", "text/plain\r\nX: y"})
    void shouldRefuseWhatIsNoMediaType(final String type) {
        assertThrows(IllegalArgumentException.class, () -> new InterceptorReport("intercept.x", type, new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> new InterceptorReport.Piece("intercept.x", type, true, new byte[0]));
    }

    @Test
    void shouldRefuseAReportThatIsTooLong() {
        final byte[] content = new byte[InterceptedRank.MAX_REPORT + 1];
        assertEquals("report too long: bytes=16777217, max=16777216",
            assertThrows(IllegalArgumentException.class, () -> new InterceptorReport("intercept.x", "text/plain", content)).getMessage());
    }
}
