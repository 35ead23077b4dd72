package tutti.runtime.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests sets of ranks against {@link BitSet}. */
class RankSetTest {
    private static final int RANKS = 200;

    private static BitSet random(final SplittableRandom random) {
        final BitSet bits = new BitSet();
        final int below = 1 + random.nextInt(RANKS);
        for (int i = random.nextInt(8); i > 0; i--) {
            final int from = random.nextInt(below);
            bits.set(from, random.nextBoolean() ? from + 1 : from + random.nextInt(below));
        }
        return bits;
    }

    private static RankSet of(final BitSet bits) {
        return RankSet.of(bits.stream().toArray());
    }

    private static BitSet changed(final BitSet bits, final Consumer<BitSet> change) {
        final BitSet copy = (BitSet) bits.clone();
        change.accept(copy);
        return copy;
    }

    private static void assertSame(final BitSet expected, final RankSet actual) {
        assertEquals(of(expected), actual);
        assertEquals(of(expected).hashCode(), actual.hashCode());
        assertArrayEquals(expected.stream().toArray(), actual.toArray());
        assertEquals(expected.toString(), actual.toString());
    }

    @Test
    void shouldDoWhatBitSetDoes() {
        final SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 5_000; i++) {
            final BitSet a = random(random);
            final BitSet b = random(random);
            final int rank = random.nextInt(2 * RANKS);
            final RankSet set = of(a);
            assertSame(a, set);
            assertSame(changed(a, c -> c.or(b)), set.union(of(b)));
            assertSame(changed(a, c -> c.and(b)), set.intersection(of(b)));
            assertSame(changed(a, c -> c.andNot(b)), set.minus(of(b)));
            assertSame(changed(a, c -> c.set(rank)), set.with(rank));
            assertEquals(changed(b, c -> c.andNot(a)).isEmpty(), set.containsAll(of(b)));
            assertEquals(a.equals(b), set.equals(of(b)));
            assertEquals(a.get(rank), set.contains(rank));
            assertEquals(a.cardinality(), set.size());
            assertEquals(a.isEmpty(), set.isEmpty());
            assertEquals(a.nextClearBit(0), set.lowestMissing());
            assertEquals(a.nextClearBit(rank), set.end(rank));
            assertEquals(a.nextSetBit(rank), set.next(rank));
        }
    }

    @Test
    void shouldBeARange() {
        for (int from = 0; from < 140; from++) {
            for (int to = from; to < 200; to++) {
                final BitSet bits = new BitSet();
                bits.set(from, to);
                assertSame(bits, RankSet.range(from, to));
            }
        }
        assertEquals(RankSet.range(0, 70), RankSet.all(70));
    }

    @Test
    void shouldNotChange() {
        final int[] ranks = {1, 3};
        final RankSet set = RankSet.of(ranks);
        ranks[0] = 2;
        set.with(5);
        set.union(RankSet.all(9));
        set.toArray()[0] = 7;
        assertEquals("{1, 3}", set.toString());
        assertNotEquals(RankSet.of(ranks), set);
        assertEquals("{}", RankSet.none().toString());
    }

    @Test
    void shouldRejectNegativeRanks() {
        assertThrows(IllegalArgumentException.class, () -> RankSet.of(0, -1));
        assertThrows(IllegalArgumentException.class, () -> RankSet.all(-1));
        assertThrows(IllegalArgumentException.class, () -> RankSet.none().with(-1));
        assertThrows(IllegalArgumentException.class, () -> RankSet.none().contains(-1));
        assertThrows(IllegalArgumentException.class, () -> RankSet.range(-2, 3));
        assertFalse(RankSet.none().contains(0));
        assertTrue(RankSet.none().containsAll(RankSet.none()));
    }

    @Test
    void shouldCombineVotesInAnyOrder() {
        final SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 500; i++) {
            final Vote a = vote(random);
            final Vote b = vote(random);
            final Vote c = vote(random);
            assertEquals(a, a.and(a));
            assertEquals(a.and(b), b.and(a));
            assertEquals(a.and(b).and(c), a.and(b.and(c)));
        }
        assertEquals(new Vote(2, RankSet.of(1, 4), RankSet.of(4)),
            new Vote(3, RankSet.of(1), RankSet.of(0, 4)).and(new Vote(6, RankSet.of(4), RankSet.of(4, 5))));
    }

    private static Vote vote(final SplittableRandom random) {
        return new Vote(random.nextInt(), of(random(random)), of(random(random)));
    }
}
