package tutti.runtime.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.access.MemoryWords.Release;
import tutti.runtime.model.MpiFailure;

/** Tests words of memory as two JVMs of a host share them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MemoryWordsTest {
    private static final int RANKS = 5;

    private final MemorySegment memory = MemorySegment.ofArray(new long[(int) (MemoryWords.bytes(RANKS) / Long.BYTES)]);
    private final AtomicBoolean isEnded = new AtomicBoolean();
    private final MemoryWords owner = MemoryWords.ofHost(memory, RANKS, isEnded::get);
    private final MemoryWords other = MemoryWords.ofHost(memory, RANKS, isEnded::get);
    private final WindowLocks locks = new WindowLocks(owner);
    private final List<String> granted = new ArrayList<>();

    @Test
    void shouldShowEachJvmTheLocksOfTheOther() {
        assertTrue(other.tryHold(1, false));
        assertTrue(owner.tryHold(4, false));
        assertFalse(owner.tryHold(2, true));
        assertEquals(new WindowLocks.Held(List.of(1, 4), false, List.of()), locks.held());
        assertEquals(Release.RELEASED, other.release(1));
        assertEquals(Release.RELEASED, owner.release(4));
        assertEquals(Release.NOT_HELD, owner.release(4));
        assertTrue(other.tryHold(3, true));
        assertFalse(owner.tryHold(0, false));
        assertEquals(new WindowLocks.Held(List.of(3), true, List.of()), locks.held());
    }

    @Test
    void shouldGrantLocksInOrderAsSoonAsOneRankWaits() {
        assertTrue(other.tryHold(1, false));
        locks.request(0, true, () -> granted.add("exclusive 0"));
        locks.request(2, false, () -> granted.add("shared 2"));
        assertFalse(other.tryHold(3, false), "ranks that wait come first");
        locks.request(3, false, () -> granted.add("shared 3"));
        assertEquals(List.of(), granted);
        assertEquals(Release.AWAITED, other.release(1));
        locks.grantNext();
        assertEquals(List.of("exclusive 0"), granted);
        assertEquals(new WindowLocks.Held(List.of(0), true, List.of(2, 3)), locks.held());
        assertTrue(locks.release(0));
        assertEquals(List.of("exclusive 0", "shared 2", "shared 3"), granted);
        assertTrue(other.tryHold(4, false), "nobody waits any more");
    }

    @Test
    void shouldGiveASignalOrSayThatAMessageIsExpected() {
        assertTrue(owner.trySignal(2, 1));
        assertFalse(other.tryTake(2, 0));
        assertFalse(other.tryExpect(2, 1), "it was given meanwhile");
        assertTrue(other.tryTake(2, 1));
        assertFalse(other.tryTake(2, 1));
        assertTrue(other.tryExpect(2, 1));
        assertFalse(owner.trySignal(2, 1));
        other.received(2, 1);
        assertTrue(owner.trySignal(2, 1));
    }

    @Test
    void shouldWaitForTheOtherJvmUntilTheJobEnds() throws Exception {
        other.beginCombining();
        final CountDownLatch combined = new CountDownLatch(1);
        final Thread waiting = Thread.ofPlatform().start(() -> {
            owner.beginCombining();
            owner.endCombining();
            combined.countDown();
        });
        other.endCombining();
        assertTrue(combined.await(60, TimeUnit.SECONDS));
        waiting.join();
        other.beginCombining();
        isEnded.set(true);
        assertThrows(MpiFailure.class, owner::beginCombining);
        other.endCombining();
        owner.beginCombining();
        owner.endCombining();
    }

    @Test
    void shouldRefuseRanksThatTheWindowDoesNotHave() {
        assertThrows(IllegalArgumentException.class, () -> owner.tryHold(RANKS, true));
        assertThrows(IllegalArgumentException.class, () -> owner.release(-1));
    }
}
