package tutti.runtime.match;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class UnexpectedMessagePoolTest {
    private final UnexpectedMessagePool pool = new UnexpectedMessagePool();

    @Test
    void shouldReturnCopiesOfTheSameSizeAgainNewestFirst() {
        final UnexpectedMessage first = pool.take(1_000);
        final UnexpectedMessage second = pool.take(1_024);
        assertEquals(1_024, first.capacity());
        pool.put(first);
        pool.put(second);
        assertNotSame(second, pool.take(1_025));
        assertSame(second, pool.take(513));
        assertSame(first, pool.take(1_024));
        assertNotSame(first, pool.take(1_024));
    }

    @Test
    void shouldHoldEveryLengthInAPowerOfTwo() {
        assertEquals(64, pool.take(0).capacity());
        assertEquals(64, pool.take(64).capacity());
        assertEquals(128, pool.take(65).capacity());
        assertEquals(32_768, pool.take(32_768).capacity());
    }

    @Test
    void shouldKeepNoMoreThanTheLimit() {
        final long large = UnexpectedMessagePool.LIMIT / 2;
        final UnexpectedMessage kept = pool.take(large);
        final UnexpectedMessage dropped = pool.take(large);
        pool.put(kept);
        pool.put(dropped);
        assertSame(kept, pool.take(large));
        assertNotSame(dropped, pool.take(large));
    }
}
