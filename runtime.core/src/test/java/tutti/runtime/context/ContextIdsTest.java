package tutti.runtime.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tutti.runtime.model.MpiFailure;

/** Tests context ids that ranks allot without communication. */
class ContextIdsTest {

    @Test
    void shouldBeUniqueInTheJobAndApartFromTheFirstCommunicators() {
        final Set<Long> seen = new HashSet<>(Set.of((long) ContextIds.WORLD, (long) ContextIds.SELF));
        for (int rank = 0; rank < 3; rank++) {
            final ContextIds contexts = new ContextIds(0, 3, rank);
            for (int i = 0; i < 100; i++) {
                final long context = contexts.allot();
                assertEquals(0, context % ContextIds.STRIDE);
                assertTrue(seen.add(context), "context " + context);
            }
        }
    }

    @Test
    void shouldUseSlotsInTurnAndPassOverContextIdsOfOthers() {
        final ContextIds contexts = new ContextIds(0, 4, 1);
        final long first = contexts.allot();
        final long second = contexts.allot();
        final long third = contexts.allot();
        contexts.free(second);
        contexts.free(first);
        contexts.free(new ContextIds(0, 4, 2).allot());
        contexts.free(ContextIds.NONE);
        assertEquals(1, contexts.inUse());
        final Set<Long> seen = new HashSet<>(Set.of(third));
        long next = contexts.allot();
        while (next != first) {
            assertTrue(seen.add(next), "used again after " + seen.size());
            contexts.free(next);
            next = contexts.allot();
        }
        assertTrue(seen.size() > 1000, "only " + seen.size() + " before the first one");
        assertEquals(second, contexts.allot());
        assertEquals(3, contexts.inUse());
    }

    @Test
    void shouldAllotTheLowestFreeSlotWhenMoreAreInUseThanAreUsedInTurn() {
        final ContextIds contexts = new ContextIds(0, 1, 0);
        final long[] all = new long[3000];
        Arrays.setAll(all, i -> contexts.allot());
        contexts.free(all[2500]);
        contexts.free(all[1500]);
        assertEquals(all[1500], contexts.allot());
        assertEquals(all[2500], contexts.allot());
        assertEquals(3000, contexts.inUse());
    }

    @Test
    void shouldEndWhenNumbersAreUsedUp() {
        final int ranks = Integer.MAX_VALUE / ContextIds.STRIDE / 2 - 1;
        for (final int rank : new int[] {0, ranks - 1}) {
            final ContextIds contexts = new ContextIds(0, ranks, rank);
            long last = 0;
            for (long next = contexts.allot(); next != ContextIds.NONE; next = contexts.allot()) {
                assertTrue(next > last, next + " after " + last);
                last = next;
            }
            assertTrue(last + ContextIds.STRIDE - 1 <= Integer.MAX_VALUE);
            assertTrue(contexts.inUse() >= 1);
            assertEquals(ContextIds.NONE, contexts.allot());
            assertEquals("too many communicators: free the ones that are not needed",
                assertThrows(MpiFailure.class, () -> ContextIds.check(contexts.allot())).getMessage());
        }
    }
}
