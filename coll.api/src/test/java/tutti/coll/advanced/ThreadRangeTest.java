package tutti.coll.advanced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ThreadRangeTest {
    @Test
    void shouldContainItsEndsAndTheLevelsBetween() {
        final ThreadRange range = new ThreadRange(ThreadLevel.FUNNELED, ThreadLevel.SERIALIZED);
        assertFalse(range.contains(ThreadLevel.SINGLE));
        assertTrue(range.contains(ThreadLevel.FUNNELED));
        assertTrue(range.contains(ThreadLevel.SERIALIZED));
        assertFalse(range.contains(ThreadLevel.MULTIPLE));
    }

    @Test
    void shouldContainEveryLevelInAll() {
        for (final ThreadLevel level : ThreadLevel.values()) {
            assertTrue(ThreadRange.ALL.contains(level));
        }
    }

    @Test
    void shouldRefuseAnEmptyRange() {
        assertEquals("thread range is empty: min=MULTIPLE, max=SINGLE",
            assertThrows(IllegalArgumentException.class, () -> new ThreadRange(ThreadLevel.MULTIPLE, ThreadLevel.SINGLE)).getMessage());
    }
}
