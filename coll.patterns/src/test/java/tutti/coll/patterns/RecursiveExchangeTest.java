package tutti.coll.patterns;

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
    private static final int MAX_RANKS = 66;

    private static void forAll(final Consumer<RecursiveExchange> check) {
        for (int size = 1; size <= MAX_RANKS; size++) {
            for (final int radix : new int[] {2, 3, 4, 5, 8, 1000, Integer.MAX_VALUE}) {
                check.accept(RecursiveExchange.of(size, radix, RecursiveExchange.ANY_RANK));
                check.accept(RecursiveExchange.of(size, radix, size / 3));
            }
        }
    }

    @Test
    void shouldLetMoreThanHalfOfTheRanksTakePart() {
        forAll(e -> {
            assertEquals(e.size(), e.vrankCount() + e.pairCount());
            assertTrue(e.pairCount() >= 0 && 2 * e.pairCount() < e.size());
        });
        assertEquals(List.of(1, 2, 2, 4, 4, 4, 4, 8, 8), IntStream.rangeClosed(1, 9).map(p -> RecursiveExchange.of(p, 2, -1).vrankCount()).boxed()
            .toList());
        assertEquals(List.of(1, 2, 3, 3, 3, 6, 6, 6, 9), IntStream.rangeClosed(1, 9).map(p -> RecursiveExchange.of(p, 3, -1).vrankCount()).boxed()
            .toList());
        assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8, 8), IntStream.rangeClosed(1, 9).map(p -> RecursiveExchange.of(p, 8, -1).vrankCount()).boxed()
            .toList());
    }

    @Test
    void shouldHaveRoundsOfTheRadixAndOneOfTheRest() {
        forAll(e -> {
            int product = 1;
            for (int round = 0; round < e.rounds(); round++) {
                assertEquals(product, e.span(round));
                assertTrue(e.radix(round) >= 2);
                product *= e.radix(round);
            }
            assertEquals(e.vrankCount(), product);
        });
        final RecursiveExchange e = RecursiveExchange.of(13, 3, RecursiveExchange.ANY_RANK);
        assertEquals(List.of(9, 2, 3, 3), List.of(e.vrankCount(), e.rounds(), e.radix(0), e.radix(1)));
        final RecursiveExchange rest = RecursiveExchange.of(20, 3, RecursiveExchange.ANY_RANK);
        assertEquals(List.of(18, 3, 3, 3, 2), List.of(rest.vrankCount(), rest.rounds(), rest.radix(0), rest.radix(1), rest.radix(2)));
    }

    @Test
    void shouldKeepTheOrderOfRanksInVirtualRanks() {
        forAll(e -> {
            int next = 0;
            for (int vrank = 0; vrank < e.vrankCount(); vrank++) {
                assertEquals(next, e.firstRank(vrank));
                assertEquals(vrank, e.vrankOf(e.rankAt(vrank)));
                assertTrue(e.rankAt(vrank) >= next && e.rankAt(vrank) < e.firstRank(vrank + 1));
                for (; next < e.firstRank(vrank + 1); next++) {
                    assertEquals(vrank, e.vrankOf(next));
                    assertEquals(e.firstRank(vrank + 1) - e.firstRank(vrank) == 2, e.isPaired(next));
                }
            }
            assertEquals(e.size(), next);
        });
    }

    @Test
    void shouldLeaveOneOfEachPairInactiveButNotTheGivenRank() {
        forAll(e -> {
            final int[] inactive = IntStream.range(0, e.size()).filter(e::isInactive).toArray();
            assertEquals(e.pairCount(), inactive.length);
            for (final int r : inactive) {
                assertTrue(e.isPaired(r) && !e.isInactive(e.pairPartner(r)));
                assertArrayEquals(new int[] {Math.min(r, e.pairPartner(r)), Math.max(r, e.pairPartner(r))}, e.pair(r));
                assertEquals(e.vrankOf(r), e.vrankOf(e.pairPartner(r)));
            }
        });
        for (int size = 1; size <= MAX_RANKS; size++) {
            for (int active = 0; active < size; active++) {
                assertTrue(!RecursiveExchange.of(size, 2, active).isInactive(active));
            }
        }
    }

    @Test
    void shouldGroupActiveRanksWhoseVirtualRanksDifferInOneDigit() {
        forAll(e -> {
            for (int round = 0; round < e.rounds(); round++) {
                final BitSet seen = new BitSet();
                for (int vrank = 0; vrank < e.vrankCount(); vrank++) {
                    final int rank = e.rankAt(vrank);
                    final int[] group = e.group(rank, round);
                    assertEquals(rank, group[e.digit(vrank, round)]);
                    assertEquals(e.radix(round), group.length);
                    assertEquals(rank == group[group.length - 1], e.isHighest(rank, round));
                    for (int d = 0; d < group.length; d++) {
                        assertArrayEquals(group, e.group(group[d], round));
                        assertEquals(e.vrankOf(group[0]) + d * e.span(round), e.vrankOf(group[d]));
                    }
                    Arrays.stream(group).forEach(seen::set);
                }
                assertEquals(e.vrankCount(), seen.cardinality());
            }
        });
    }

    @Test
    void shouldSendToOneAndReceiveFromOneRankAtATime() {
        forAll(e -> {
            for (int round = 0; round < e.rounds(); round++) {
                for (int vrank = 0; vrank < e.vrankCount(); vrank++) {
                    final int rank = e.rankAt(vrank);
                    final int[] receivers = e.receivers(rank, round);
                    final int[] others = Arrays.stream(e.group(rank, round)).filter(r -> r != rank).toArray();
                    assertArrayEquals(others, Arrays.stream(receivers).sorted().toArray());
                    for (int i = 0; i < receivers.length; i++) {
                        assertEquals(rank, e.senders(receivers[i], round)[i]);
                    }
                }
            }
        });
        final RecursiveExchange e = RecursiveExchange.of(4, 4, RecursiveExchange.ANY_RANK);
        assertArrayEquals(new int[] {2, 3, 0}, e.receivers(1, 0));
        assertArrayEquals(new int[] {0, 3, 2}, e.senders(1, 0));
    }

    @Test
    void shouldHaveTheSameRoundsInReverse() {
        forAll(e -> {
            final RecursiveExchange reversed = e.reversed();
            assertEquals(e.rounds(), reversed.rounds());
            for (int round = 0; round < e.rounds(); round++) {
                final int other = e.rounds() - 1 - round;
                assertEquals(e.span(round), reversed.span(other));
                assertArrayEquals(e.group(e.rankAt(0), round), reversed.group(e.rankAt(0), other));
            }
        });
    }

    @Test
    void shouldTellWhereBracketsAreCanonical() {
        for (int size = 1; size <= MAX_RANKS; size++) {
            final boolean onesThenZeros = Integer.bitCount(size + Integer.lowestOneBit(size)) == 1;
            assertEquals(onesThenZeros, RecursiveExchange.of(size, 2, RecursiveExchange.ANY_RANK).isCanonical());
            assertTrue(RecursiveExchange.of(size, 1000, RecursiveExchange.ANY_RANK).isCanonical());
        }
        assertEquals(List.of(1, 2, 3, 5), canonical(3, 70));
        assertEquals(List.of(1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 28, 30, 31, 32, 48, 64), canonical(4, 70));
    }

    private static List<Integer> canonical(final int radix, final int most) {
        return IntStream.rangeClosed(1, most).filter(p -> RecursiveExchange.of(p, radix, RecursiveExchange.ANY_RANK).isCanonical()).boxed().toList();
    }
}
