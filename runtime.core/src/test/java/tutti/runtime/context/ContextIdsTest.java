package tutti.runtime.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests context ids that ranks allot without communication. */
class ContextIdsTest {

    @Test
    void shouldBeUniqueInTheJobAndApartFromTheFirstCommunicators() {
        final Set<Integer> seen = new HashSet<>(Set.of(ContextIds.WORLD, ContextIds.SELF));
        for (int rank = 0; rank < 3; rank++) {
            final ContextIds contexts = new ContextIds(3, rank);
            for (int i = 0; i < 100; i++) {
                final int context = contexts.allot();
                assertEquals(0, context % ContextIds.STRIDE);
                assertTrue(seen.add(context), "context " + context);
            }
        }
    }

    @Test
    void shouldGiveTheLowestFreeOneAndPassOverThoseOfOthers() {
        final ContextIds contexts = new ContextIds(4, 1);
        final int first = contexts.allot();
        final int second = contexts.allot();
        contexts.allot();
        contexts.free(second);
        contexts.free(first);
        contexts.free(new ContextIds(4, 2).allot());
        contexts.free(ContextIds.NONE);
        assertEquals(1, contexts.inUse());
        assertEquals(first, contexts.allot());
        assertEquals(second, contexts.allot());
    }

    @Test
    void shouldEndWhenNumbersAreUsedUp() {
        final int ranks = Integer.MAX_VALUE / ContextIds.STRIDE / 2 - 1;
        for (final int rank : new int[] {0, ranks - 1}) {
            final ContextIds contexts = new ContextIds(ranks, rank);
            int last = 0;
            for (int next = contexts.allot(); next != ContextIds.NONE; next = contexts.allot()) {
                assertTrue(next > last, next + " after " + last);
                last = next;
            }
            assertTrue(last + ContextIds.STRIDE - 1 > 0);
            assertTrue(contexts.inUse() >= 1);
            assertEquals(ContextIds.NONE, contexts.allot());
        }
    }
}
