package tutti.runtime.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.wire.TransferChoice.Way;

class TransferChoiceTest {
    private static final int BYTES = 100_000;

    private final TransferChoice choice = new TransferChoice();

    /** Receives messages of a length, whose times are in nanoseconds in the order of the ways; returns how many came each way. */
    private Map<Way, Integer> receive(final int messages, final long bytes, final long... nanos) {
        final Map<Way, Integer> counts = new EnumMap<>(Way.class);
        for (int i = 0; i < messages; i++) {
            final Way way = choice.next(bytes, nanos.length == 3);
            choice.took(way, bytes, nanos[way.ordinal()]);
            counts.merge(way, 1, Integer::sum);
        }
        return counts;
    }

    @Test
    void shouldTryEachWayFirst() {
        assertEquals(Map.of(Way.READ, 4, Way.FRAMES, 4, Way.BOTH, 4), receive(12, BYTES, 1_000, 2_000, 1_000_000));
    }

    @Test
    void shouldTryTheOthersMoreOftenAtFirst() {
        receive(12, BYTES, 10_000, 20_000, 30_000);
        assertEquals(63, receive(1_012, BYTES, 10_000, 20_000, 30_000).entrySet().stream().filter(e -> e.getKey() != Way.READ)
            .mapToInt(Map.Entry::getValue).sum());
    }

    @Test
    void shouldNotLetTheSenderWriteWhereItCannot() {
        assertEquals(Map.of(Way.READ, 4, Way.FRAMES, 4), receive(8, BYTES, 1_000, 2_000));
        receive(1_016, BYTES, 1_000, 2_000);
        assertEquals(Map.of(Way.READ, 630, Way.FRAMES, 10), receive(640, BYTES, 1_000, 2_000));
    }

    @ParameterizedTest
    @EnumSource
    void shouldTakeTheFastestWayAndTryTheOthersNowAndThen(final Way fastest) {
        final long[] nanos = {30_000, 20_000, 25_000};
        nanos[fastest.ordinal()] = 10_000;
        receive(1_024, BYTES, nanos);
        final Map<Way, Integer> counts = receive(640, BYTES, nanos);
        for (final Way way : Way.values()) {
            assertEquals(way == fastest ? 630 : 5, counts.get(way), counts::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {32_769, BYTES, 1 << 20, 64 << 20, Long.MAX_VALUE / 1_000_000})
    void shouldDecideForAnyLength(final long bytes) {
        receive(1_024, bytes, 1 + bytes / 20, 2 + bytes / 10);
        assertEquals(630, receive(640, bytes, 1 + bytes / 20, 2 + bytes / 10).get(Way.READ));
    }

    @Test
    void shouldDecideForEachClassOfLengthsAlone() {
        receive(1_024, BYTES, 5_000, 10_000);
        receive(1_024, 16 << 20, 3_000_000, 2_000_000);
        assertEquals(63, receive(64, BYTES, 5_000, 10_000).get(Way.READ));
        assertEquals(63, receive(64, 16 << 20, 3_000_000, 2_000_000).get(Way.FRAMES));
    }

    @Test
    void shouldTryAWayAgainThatBecomesPossibleLater() {
        receive(1_024, BYTES, 5_000, 10_000);
        assertTrue(receive(64, BYTES, 5_000, 10_000, 2_000).get(Way.BOTH) >= 62);
    }

    @Test
    void shouldFollowALoadThatChangesAndForgiveOneLongTime() {
        receive(1_024, BYTES, 5_000, 10_000);
        choice.took(Way.READ, BYTES, 50_000_000);
        assertEquals(63, receive(64, BYTES, 5_000, 10_000).get(Way.READ));
        receive(1_000, BYTES, 40_000, 10_000);
        assertTrue(receive(64, BYTES, 40_000, 10_000).get(Way.FRAMES) >= 63);
        receive(1_000, BYTES, 4_000, 10_000);
        assertEquals(63, receive(64, BYTES, 4_000, 10_000).get(Way.READ));
    }
}
