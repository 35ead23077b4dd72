package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Contexts that ranks allot without asking each other. */
class ContextsTest {

    @Test
    void shouldBeUniqueInTheJobAndApartFromTheFirstCommunicators() {
        final Set<Integer> seen = new HashSet<>(Set.of(Contexts.WORLD, Contexts.SELF));
        for (int rank = 0; rank < 3; rank++) {
            final Contexts contexts = new Contexts(3, rank);
            for (int i = 0; i < 100; i++) {
                final int context = contexts.allot();
                assertEquals(0, context % Contexts.STRIDE);
                assertTrue(seen.add(context), "context " + context);
            }
        }
    }

    @Test
    void shouldGiveTheLowestFreeOneAndPassOverThoseOfOthers() {
        final Contexts contexts = new Contexts(4, 1);
        final int first = contexts.allot();
        final int second = contexts.allot();
        contexts.allot();
        contexts.free(second);
        contexts.free(first);
        contexts.free(new Contexts(4, 2).allot());
        contexts.free(Contexts.NONE);
        assertEquals(1, contexts.inUse());
        assertEquals(first, contexts.allot());
        assertEquals(second, contexts.allot());
    }

    @Test
    void shouldEndWhenNumbersAreUsedUp() {
        final int ranks = Integer.MAX_VALUE / Contexts.STRIDE / 2 - 1;
        for (final int rank : new int[] {0, ranks - 1}) {
            final Contexts contexts = new Contexts(ranks, rank);
            int last = 0;
            for (int next = contexts.allot(); next != Contexts.NONE; next = contexts.allot()) {
                assertTrue(next > last, next + " after " + last);
                last = next;
            }
            assertTrue(last + Contexts.STRIDE - 1 > 0);
            assertTrue(contexts.inUse() >= 1);
            assertEquals(Contexts.NONE, contexts.allot());
        }
    }
}
