package tutti.runtime.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadChoiceTest {
    private static final int BYTES = 100_000;

    private final ReadChoice choice = new ReadChoice();

    /** Receives messages of a length; returns how many were read. */
    private int receive(final int messages, final long bytes, final long nanosOfRead, final long nanosOfFrames) {
        int reads = 0;
        for (int i = 0; i < messages; i++) {
            final boolean isRead = choice.isRead(bytes);
            choice.took(isRead, bytes, isRead ? nanosOfRead : nanosOfFrames);
            reads += isRead ? 1 : 0;
        }
        return reads;
    }

    @Test
    void shouldTryBothWaysFirst() {
        assertEquals(4, receive(8, BYTES, 1, 1_000));
    }

    @ParameterizedTest
    @ValueSource(longs = {32_769, BYTES, 1 << 20, 64 << 20, Long.MAX_VALUE / 1_000_000})
    void shouldReadWhatIsFasterToReadAndTryTheOtherWayNowAndThen(final long bytes) {
        receive(64, bytes, 1 + bytes / 20, 2 + bytes / 10);
        assertEquals(630, receive(640, bytes, 1 + bytes / 20, 2 + bytes / 10));
    }

    @Test
    void shouldTakeFramesWhereTheyAreFaster() {
        receive(64, BYTES, 20_000, 10_000);
        assertEquals(10, receive(640, BYTES, 20_000, 10_000));
    }

    @Test
    void shouldDecideForEachClassOfLengthsAlone() {
        receive(64, BYTES, 5_000, 10_000);
        receive(64, 16 << 20, 3_000_000, 2_000_000);
        assertEquals(63, receive(64, BYTES, 5_000, 10_000));
        assertEquals(1, receive(64, 16 << 20, 3_000_000, 2_000_000));
    }

    @Test
    void shouldFollowALoadThatChangesAndForgiveOneLongTime() {
        receive(64, BYTES, 5_000, 10_000);
        choice.took(true, BYTES, 50_000_000);
        assertEquals(63, receive(64, BYTES, 5_000, 10_000));
        receive(1_000, BYTES, 40_000, 10_000);
        assertTrue(receive(64, BYTES, 40_000, 10_000) <= 1);
        receive(1_000, BYTES, 4_000, 10_000);
        assertEquals(63, receive(64, BYTES, 4_000, 10_000));
    }
}
