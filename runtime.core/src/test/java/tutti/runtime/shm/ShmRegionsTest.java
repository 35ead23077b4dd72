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
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Mailbox;

class ShmRegionsTest {
    private static final BufferRange NOTHING = Buffer.SCRATCH.at(0, 0);

    private final ShmRegions boards = new ShmRegions();
    private final RankSlots row = new RankSlots(4);

    @Test
    void shouldKeepABoardUntilAllWhoAreHereHaveLeft() {
        final ShmRegion region = boards.of(16, 5, 2);
        assertSame(region, boards.of(16, 5, 2));
        assertNotSame(region, boards.of(24, 5, 2));
        boards.leave(16, 5, 2);
        assertSame(region, boards.of(16, 5, 2));
        boards.leave(16, 5, 2);
        assertNotSame(region, boards.of(16, 5, 2));
        assertEquals(2, boards.count());
    }

    @Test
    void shouldCountThoseWhoLeftBeforeAnybodyAsked() {
        boards.leave(16, 5, 3);
        boards.leave(16, 5, 3);
        boards.of(16, 5, 3);
        assertEquals(1, boards.count());
        boards.leave(16, 5, 3);
        assertEquals(0, boards.count());
    }

    @Test
    void shouldKeepNothingOfARankThatIsAlone() {
        assertFalse(boards.of(8, 1, 1).hasOthers());
        boards.leave(8, 1, 1);
        assertEquals(0, boards.count());
    }

    @Test
    void shouldKeepASeriesUntilAllWhoAreHereHaveLeft() {
        final ShmRegion region = boards.of(16, 5, 2);
        final PersistentSlots series = region.series(7);
        assertSame(series.lane(17, 2), series.lane(17, 2));
        series.leave();
        assertSame(series, region.series(7));
        series.leave();
        assertEquals(0, region.series());
        assertNotSame(series, region.series(7));
    }

    private static ShmSlot window(final int posts) {
        final ShmSlot[] all = new ShmSlot[1];
        all[0] = new ShmSlot(new PlanSegment(0, 0, posts, NOTHING, NOTHING, NOTHING), 3, all);
        return all[0];
    }

    @Test
    void shouldTellPostsOfACallFromThoseOfOthers() {
        final ShmSlot slot = window(2);
        assertFalse(ShmSlot.sameCall(slot.mark(), ShmSlot.mark(0, 0)));
        slot.begin(5, MemorySegment.NULL, null, null);
        assertEquals(ShmSlot.mark(5, 0), slot.mark());
        slot.post(false);
        assertEquals(ShmSlot.mark(5, 1), slot.mark());
        assertTrue(slot.mark() - ShmSlot.mark(5, 2) < 0);
        slot.post(true);
        assertTrue(ShmSlot.sameCall(slot.mark(), ShmSlot.mark(5, 2)));
        assertTrue(slot.mark() - ShmSlot.mark(5, 2) >= 0);
        assertTrue(ShmSlot.isSpoiled(slot.mark()));
        assertSame(MemorySegment.NULL, slot.memory(Buffer.SEND));
        slot.end();
        assertNull(slot.memory(Buffer.SEND));
        assertFalse(ShmSlot.sameCall(slot.mark(), ShmSlot.mark(6, 0)));
    }

    @Test
    void shouldMakeAllPostsOfACallThatIsAbandoned() {
        final ShmSlot slot = window(3);
        slot.begin(9, null, null, null);
        slot.post(false);
        slot.abandon();
        assertTrue(slot.mark() - ShmSlot.mark(9, 3) >= 0);
        assertTrue(ShmSlot.sameCall(slot.mark(), ShmSlot.mark(9, 3)));
        assertTrue(ShmSlot.isSpoiled(slot.mark()));
    }

    @Test
    void shouldKnowWhatIsInASlotAndWhatWasThere() {
        final ShmSlot slot = window(0);
        assertNull(row.window(6));
        row.show(6, slot);
        assertSame(slot, row.window(6));
        assertSame(slot, row.window(10));
        assertFalse(row.hasEnded(2));
        row.end(6);
        assertTrue(row.hasEnded(2));
        assertTrue(row.hasEnded(6));
        assertFalse(row.hasEnded(10));
        assertEquals(0, row.noted(6));
        row.note(6, 44);
        assertEquals(44, row.noted(6));
        assertEquals(0, row.noted(2));
    }

    @Test
    void shouldWakeWhoLeftAWatchWithTheCall() {
        final List<Integer> woken = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            row.register(i / 2, new Woken(woken, i, true));
        }
        row.posted(2);
        assertEquals(List.of(), woken);
        row.posted(0);
        assertEquals(List.of(1, 0), woken);
        row.posted(0);
        row.posted(1);
        assertEquals(List.of(1, 0, 2), woken);
    }

    @Test
    void shouldDropWatchesThatAreNotNeededAnyMore() {
        final List<Integer> woken = new ArrayList<>();
        final SlotWatch needless = new Woken(woken, 0, false);
        final SlotWatch needed = new Woken(woken, 1, true);
        assertFalse(needless.isOut());
        row.register(0, needless);
        row.register(0, needed);
        assertTrue(needless.isOut() && needed.isOut());
        row.posted(0);
        assertFalse(needless.isOut() || needed.isOut());
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
        protected void back() {
            woken.add(id);
        }

        @Override
        protected void broke(final MpiFailure why) {
            throw why;
        }
    }
}
