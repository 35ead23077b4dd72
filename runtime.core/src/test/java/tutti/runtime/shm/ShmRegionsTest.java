package tutti.runtime.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.runtime.match.Mailbox;
import tutti.runtime.model.MpiFailure;

class ShmRegionsTest {
    private static final BufferRange NOTHING = Buffer.SCRATCH.at(0, 0);

    private final ShmRegions regions = new ShmRegions();
    private final RankSlots slots = new RankSlots(4);

    @Test
    void shouldKeepARegionUntilAllLocalRanksHaveLeft() {
        final ShmRegion region = regions.of(16, 0, 5, 2);
        assertSame(region, regions.of(16, 0, 5, 2));
        assertNotSame(region, regions.of(24, 0, 5, 2));
        assertNotSame(region, regions.of(16, 3, 5, 2));
        regions.leave(16, 0, 5, 2);
        assertSame(region, regions.of(16, 0, 5, 2));
        regions.leave(16, 0, 5, 2);
        assertNotSame(region, regions.of(16, 0, 5, 2));
        assertEquals(3, regions.count());
    }

    @Test
    void shouldCountRanksThatLeaveBeforeTheFirstUse() {
        regions.leave(16, 0, 5, 3);
        regions.leave(16, 0, 5, 3);
        regions.of(16, 0, 5, 3);
        assertEquals(1, regions.count());
        regions.leave(16, 0, 5, 3);
        assertEquals(0, regions.count());
    }

    @Test
    void shouldKeepNoRegionForASingleRank() {
        assertFalse(regions.of(8, 0, 1, 1).hasOthers());
        regions.leave(8, 0, 1, 1);
        assertEquals(0, regions.count());
    }

    @Test
    void shouldKeepPersistentSlotsUntilAllLocalRanksHaveLeft() {
        final ShmRegion region = regions.of(16, 0, 5, 2);
        final PersistentSlots series = region.persistentSlots(7);
        assertSame(series.slotTable(17, 0, 2, region.calls()), series.slotTable(17, 0, 2, region.calls()));
        assertNotSame(series.slotTable(17, 0, 2, region.calls()), series.slotTable(17, 2, 2, region.calls()));
        series.leave();
        assertSame(series, region.persistentSlots(7));
        series.leave();
        assertEquals(0, region.persistentSlots());
        assertNotSame(series, region.persistentSlots(7));
    }

    private static ExposedBuffers buffers() {
        return new ExposedBuffers(new PlanSegment(0, 0, 0, NOTHING, NOTHING, NOTHING, NOTHING), new ExposedBuffers[1]);
    }

    @Test
    void shouldForgetTheMemoryOfACallThatHasEnded() {
        final ExposedBuffers buffers = buffers();
        buffers.begin(MemorySegment.NULL, null, null);
        assertSame(MemorySegment.NULL, buffers.memory(Buffer.SEND));
        buffers.end();
        assertNull(buffers.memory(Buffer.SEND));
    }

    @Test
    void shouldKnowTheCurrentAndTheEndedCallOfASlot() {
        final ExposedBuffers buffers = buffers();
        assertNull(slots.buffers(6));
        slots.expose(6, buffers);
        assertSame(buffers, slots.buffers(6));
        assertSame(buffers, slots.buffers(10));
        assertFalse(slots.hasEnded(2));
        slots.end(6);
        assertTrue(slots.hasEnded(2));
        assertTrue(slots.hasEnded(6));
        assertFalse(slots.hasEnded(10));
        assertEquals(0, slots.recordedCall(6));
        slots.recordCall(6, 44);
        assertEquals(44, slots.recordedCall(6));
        assertEquals(0, slots.recordedCall(2));
    }

    @Test
    void shouldWakeTheWatchesOfTheCall() {
        final List<Integer> woken = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            slots.register(i / 2, new Woken(woken, i, true));
        }
        slots.notifyPosted(2);
        assertEquals(List.of(), woken);
        slots.notifyPosted(0);
        assertEquals(List.of(1, 0), woken);
        slots.notifyPosted(0);
        slots.notifyPosted(1);
        assertEquals(List.of(1, 0, 2), woken);
    }

    @Test
    void shouldDropWatchesThatAreNotNeededAnyMore() {
        final List<Integer> woken = new ArrayList<>();
        final SlotWatch needless = new Woken(woken, 0, false);
        final SlotWatch needed = new Woken(woken, 1, true);
        assertFalse(needless.isRegistered());
        slots.register(0, needless);
        slots.register(0, needed);
        assertTrue(needless.isRegistered() && needed.isRegistered());
        slots.notifyPosted(0);
        assertFalse(needless.isRegistered() || needed.isRegistered());
        assertEquals(List.of(1), woken);
    }

    private static final class Woken extends SlotWatch {
        private final List<Integer> woken;
        private final int id;
        private final boolean needed;

        Woken(final List<Integer> woken, final int id, final boolean needed) {
            super(new Mailbox());
            this.woken = woken;
            this.id = id;
            this.needed = needed;
        }

        @Override
        protected boolean isNeeded() {
            return needed;
        }

        @Override
        protected void woken() {
            woken.add(id);
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            throw why;
        }
    }
}
