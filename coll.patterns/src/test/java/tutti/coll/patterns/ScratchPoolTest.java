package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.tck.RecordingPlan;

class ScratchPoolTest {
    private final RecordingPlan plan = new RecordingPlan(0, 2, new Call.Bcast(8, 0));

    @Test
    void shouldReuseReleasedMemoryOfTheSameLength() {
        final ScratchPool pool = new ScratchPool(plan, 0);
        final BufferRange first = pool.take(8);
        pool.release(first);
        assertNotEquals(first, pool.take(4));
        assertEquals(first, pool.take(8));
        assertNotEquals(first, pool.take(8));
    }

    @Test
    void shouldKeepSpareRangesAndReuseTheOldest() {
        final ScratchPool pool = new ScratchPool(plan, 1);
        final BufferRange first = pool.take(8);
        pool.release(first);
        final BufferRange second = pool.take(8);
        assertNotEquals(first, second);
        pool.release(second);
        assertEquals(first, pool.take(8));
    }

    @Test
    void shouldIgnoreMemoryOfTheCaller() {
        final ScratchPool pool = new ScratchPool(plan, 0);
        pool.release(Buffer.RECV.at(0, 8));
        assertEquals(Buffer.SCRATCH, pool.take(8).buffer());
    }
}
