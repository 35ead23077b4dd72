package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.tck.RecordingPlan;

class ScratchPoolTest {
    private final RecordingPlan plan = new RecordingPlan(0, 2, new Call.Bcast(8, 0));

    @Test
    void shouldReuseReleasedMemoryOfTheSameLength() {
        final ScratchPool pool = new ScratchPool(plan, 0);
        final ScratchPool.Slot first = pool.take(8);
        assertEquals(0, first.after().length);
        pool.release(first.memory(), 5);
        assertNotEquals(first.memory(), pool.take(4).memory());
        final ScratchPool.Slot again = pool.take(8);
        assertEquals(first.memory(), again.memory());
        assertArrayEquals(new int[] {5}, again.after());
        assertNotEquals(first.memory(), pool.take(8).memory());
    }

    @Test
    void shouldKeepSpareSlotsAndReuseTheOldest() {
        final ScratchPool pool = new ScratchPool(plan, 1);
        final ScratchPool.Slot first = pool.take(8);
        pool.release(first.memory(), 0);
        final ScratchPool.Slot second = pool.take(8);
        assertNotEquals(first.memory(), second.memory());
        pool.release(second.memory(), 1);
        assertEquals(first.memory(), pool.take(8).memory());
    }

    @Test
    void shouldIgnoreMemoryOfTheCaller() {
        final ScratchPool pool = new ScratchPool(plan, 0);
        pool.release(Buffer.RECV.at(0, 8));
        assertEquals(Buffer.SCRATCH, pool.take(8).memory().buffer());
    }
}
