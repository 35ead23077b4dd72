package tutti.coll.recexch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecursiveExchangeTest {
    private static final int MOST_RANKS = 66;

    private static void forAll(final Consumer<RecursiveExchange> check) {
        for (int size = 1; size <= MOST_RANKS; size++) {
            for (final int radix : new int[] {2, 3, 4, 5, 8, 1000, Integer.MAX_VALUE}) {
                check.accept(RecursiveExchange.of(size, radix, RecursiveExchange.ANYBODY));
                check.accept(RecursiveExchange.of(size, radix, size / 3));
            }
        }
    }

    @Test
    void shouldLetMoreThanHalfOfTheRanksTakePart() {
        forAll(e -> {
            assertEquals(e.size(), e.core() + e.extra());
            assertTrue(e.extra() >= 0 && 2 * e.extra() < e.size());
        });
        assertEquals(List.of(1, 2, 2, 4, 4, 4, 4, 8, 8), IntStream.rangeClosed(1, 9).map(p -> RecursiveExchange.of(p, 2, -1).core()).boxed()
            .toList());
        assertEquals(List.of(1, 2, 3, 3, 3, 6, 6, 6, 9), IntStream.rangeClosed(1, 9).map(p -> RecursiveExchange.of(p, 3, -1).core()).boxed()
            .toList());
        assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8, 8), IntStream.rangeClosed(1, 9).map(p -> RecursiveExchange.of(p, 8, -1).core()).boxed()
            .toList());
    }

    @Test
    void shouldMeetInRoundsOfTheRadixAndOneOfTheRest() {
        forAll(e -> {
            int product = 1;
            for (int round = 0; round < e.rounds(); round++) {
                assertEquals(product, e.span(round));
                assertTrue(e.radix(round) >= 2);
                product *= e.radix(round);
            }
            assertEquals(e.core(), product);
        });
        final RecursiveExchange e = RecursiveExchange.of(13, 3, RecursiveExchange.ANYBODY);
        assertEquals(List.of(9, 2, 3, 3), List.of(e.core(), e.rounds(), e.radix(0), e.radix(1)));
        final RecursiveExchange rest = RecursiveExchange.of(20, 3, RecursiveExchange.ANYBODY);
        assertEquals(List.of(18, 3, 3, 3, 2), List.of(rest.core(), rest.rounds(), rest.radix(0), rest.radix(1), rest.radix(2)));
    }

    @Test
    void shouldKeepTheOrderOfRanksInPlaces() {
        forAll(e -> {
            int next = 0;
            for (int place = 0; place < e.core(); place++) {
                assertEquals(next, e.firstRank(place));
                assertEquals(place, e.placeOf(e.rankAt(place)));
                assertTrue(e.rankAt(place) >= next && e.rankAt(place) < e.firstRank(place + 1));
                for (; next < e.firstRank(place + 1); next++) {
                             assertEquals(place, e.placeOf(next));
                             assertEquals(e.firstRank(place + 1) - e.firstRank(place) == 2, e.isPaired(next));
                }
            }
            assertEquals(e.size(), next);
        });
    }

    @Test
    void shouldLetOneOfEachPairRestAndNeverTheOneThatIsWanted() {
        forAll(e -> {
            final int[] resting = IntStream.range(0, e.size()).filter(e::rests).toArray();
            assertEquals(e.extra(), resting.length);
            for (final int r : resting) {
                assertTrue(e.isPaired(r) && !e.rests(e.other(r)));
                assertEquals(e.placeOf(r), e.placeOf(e.other(r)));
            }
        });
        for (int size = 1; size <= MOST_RANKS; size++) {
            for (int awake = 0; awake < size; awake++) {
                assertTrue(!RecursiveExchange.of(size, 2, awake).rests(awake));
            }
        }
    }

    @Test
    void shouldMeetThoseThatDifferInOneDigit() {
        forAll(e -> {
            for (int round = 0; round < e.rounds(); round++) {
                final BitSet seen = new BitSet();
                for (int place = 0; place < e.core(); place++) {
                             final int[] met = e.met(place, round);
                             assertEquals(place, met[e.digit(place, round)]);
                             assertEquals(e.radix(round), met.length);
                             for (int d = 0; d < met.length; d++) {
                        assertArrayEquals(met, e.met(met[d], round));
                        assertEquals(met[0] + d * e.span(round), met[d]);
                             }
                             Arrays.stream(met).forEach(seen::set);
                }
                assertEquals(e.core(), seen.cardinality());
            }
        });
    }

    @Test
    void shouldTellWhereBracketsAreCanonical() {
        for (int size = 1; size <= MOST_RANKS; size++) {
            final boolean onesThenZeros = Integer.bitCount(size + Integer.lowestOneBit(size)) == 1;
            assertEquals(onesThenZeros, RecursiveExchange.of(size, 2, RecursiveExchange.ANYBODY).isCanonical());
            assertTrue(RecursiveExchange.of(size, 1000, RecursiveExchange.ANYBODY).isCanonical());
        }
        assertEquals(List.of(1, 2, 3, 5), canonical(3, 70));
        assertEquals(List.of(1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 28, 30, 31, 32, 48, 64), canonical(4, 70));
    }

    private static List<Integer> canonical(final int radix, final int most) {
        return IntStream.rangeClosed(1, most).filter(p -> RecursiveExchange.of(p, radix, RecursiveExchange.ANYBODY).isCanonical()).boxed().toList();
    }
}
