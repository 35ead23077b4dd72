package tutti.runtime.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import tutti.coll.advanced.AdvancedPlan;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

class SegmentSlotsTest {
    private static final int SLOTS = 4;
    private static final long CALL = 77;

    private final RankSlots owner = new RankSlots(SLOTS);
    private final RankSlots reader = new RankSlots(SLOTS);
    private final SegmentSlots slots = owner.segment(0);

    private MemorySegment reserve(final long number, final long bytes) {
        return slots.reserve(number, new SharedReservation(CALL, bytes, null, reader));
    }

    @Test
    void shouldDistinguishPostsOfDifferentCalls() {
        assertFalse(SegmentSlots.sameCall(slots.mark(0), SegmentSlots.mark(0, 0)));
        slots.begin(5, CALL, 2);
        assertEquals(SegmentSlots.mark(5, 0), slots.mark(5));
        assertEquals(CALL, slots.call(5));
        assertEquals(2, slots.posts(5));
        slots.post(5, false);
        assertEquals(SegmentSlots.mark(5, 1), slots.mark(5));
        assertTrue(slots.mark(5) - SegmentSlots.mark(5, 2) < 0);
        slots.post(5, true);
        assertTrue(SegmentSlots.sameCall(slots.mark(5), SegmentSlots.mark(5, 2)));
        assertTrue(slots.mark(5) - SegmentSlots.mark(5, 2) >= 0);
        assertTrue(SegmentSlots.isInvalid(slots.mark(5)));
        assertFalse(SegmentSlots.sameCall(slots.mark(6), SegmentSlots.mark(6, 0)));
        assertFalse(SegmentSlots.sameCall(slots.mark(5 + SLOTS), SegmentSlots.mark(5 + SLOTS, 0)));
    }

    @Test
    void shouldMakeAllPostsOfACallThatIsAbandoned() {
        slots.begin(9, CALL, 3);
        slots.post(9, false);
        slots.abandon(9);
        assertTrue(SegmentSlots.sameCall(slots.mark(9), SegmentSlots.mark(9, 3)));
        assertTrue(slots.mark(9) - SegmentSlots.mark(9, 3) >= 0);
        assertTrue(SegmentSlots.isInvalid(slots.mark(9)));
    }

    @Test
    void shouldKeepSlotsWhenAPlanHasMoreSegments() {
        assertNull(owner.segment(1));
        owner.addSegments(3);
        assertSame(slots, owner.segment(0));
        assertNotSame(owner.segment(1), owner.segment(2));
    }

    @Test
    void shouldKeepSharedMemoryUntilItsReaderHasEndedTheCall() {
        final MemorySegment memory = reserve(1, 8);
        memory.set(ValueLayout.JAVA_LONG, 0, 42);
        slots.begin(1, CALL, 1);
        slots.post(1, false);
        slots.begin(1 + SLOTS, CALL + 1, 1);
        assertFalse(slots.isFree(1 + SLOTS));
        assertTrue(slots.isFree(2));
        assertTrue(slots.isReserved(1));
        assertFalse(slots.isReserved(1 + SLOTS));
        assertEquals(CALL, slots.reservedCall(1));
        assertEquals(8, slots.sharedBytes(1));
        assertEquals(42, slots.sharedMemory(1).get(ValueLayout.JAVA_LONG, 0));
        reader.end(1);
        assertTrue(slots.isFree(1 + SLOTS));
        assertSame(memory, reserve(1 + SLOTS, 8));
        assertFalse(slots.isReserved(1));
    }

    @Test
    void shouldReuseBlocksOfOneTypeThatAreLongEnough() {
        final SharedReservation doubles = new SharedReservation(CALL, 80, Op.SUM.bind(Datatype.DOUBLE));
        final MemorySegment block = slots.reserve(0, doubles);
        assertEquals(double[].class, block.heapBase().orElseThrow().getClass());
        assertSame(block, slots.reserve(SLOTS, doubles));
        assertTrue(slots.reserve(0, new SharedReservation(CALL, AdvancedPlan.MAX_SHARED, null)).byteSize() >= AdvancedPlan.MAX_SHARED);
        assertEquals(AdvancedPlan.MAX_SHARED, slots.sharedBytes(0));
    }

    @Test
    void shouldMarkSharedDataAsInvalidWithThePost() {
        slots.begin(1, CALL, 1);
        reserve(1, 8);
        assertFalse(slots.hasInvalidData(1));
        slots.post(1, true);
        assertTrue(slots.hasInvalidData(1));
        assertEquals(8, slots.sharedBytes(1));
        reader.end(1);
        reserve(1 + SLOTS, 8);
        assertFalse(slots.hasInvalidData(1 + SLOTS));
    }
}
