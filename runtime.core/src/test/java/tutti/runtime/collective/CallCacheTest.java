package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;
import tutti.coll.Blocks;
import tutti.coll.Call;

/** Tests that {@link CallCache} returns the call that it returned before, until something of it differs. */
class CallCacheTest {
    private final CallCache cache = new CallCache(3);

    @Test
    void shouldReturnTheSameCallAndBlocksForTheSameArguments() {
        final Blocks blocks = cache.uniform(8);
        assertSame(blocks, cache.uniform(8));
        assertSame(cache.bcast(8, 2), cache.bcast(8, 2));
        assertSame(cache.allgather(8, blocks, false), cache.allgather(8, blocks, false));
        assertSame(cache.alltoall(blocks, blocks, false), cache.alltoall(blocks, blocks, false));
        assertSame(cache.gather(8, blocks, 1, false), cache.gather(8, blocks, 1, false));
    }

    @Test
    void shouldReturnAnotherCallWhenAnArgumentDiffers() {
        final Blocks blocks = cache.uniform(8);
        final Call.Bcast bcast = cache.bcast(8, 2);
        assertNotSame(bcast, cache.bcast(16, 2));
        assertEquals(1, cache.bcast(16, 1).root());
        final Call.Allgather allgather = cache.allgather(8, blocks, false);
        assertNotSame(allgather, cache.allgather(8, blocks, true));
        assertNotSame(allgather, cache.allgather(8, cache.uniform(16), false));
    }

    @Test
    void shouldHaveABlockForEachRank() {
        final Blocks blocks = cache.uniform(8);
        assertEquals(24, blocks.bytes(0) + blocks.bytes(1) + blocks.bytes(2));
        assertEquals(16, blocks.offset(2));
    }
}
