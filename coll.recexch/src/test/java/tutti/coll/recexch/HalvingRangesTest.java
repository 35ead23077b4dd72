package tutti.coll.recexch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.patterns.RecursiveExchange;

class HalvingRangesTest {
    private static final int MAX_RANKS = 70;

    private static void forAll(final Consumer<HalvingRanges> check) {
        for (int size = 1; size <= MAX_RANKS; size++) {
            for (final int radix : new int[] {2, 3, 4, 8}) {
                final RecursiveExchange exchange = RecursiveExchange.of(size, radix, RecursiveExchange.ANY_RANK);
                check.accept(HalvingRanges.even(exchange, exchange.vrankCount(), 1));
                check.accept(HalvingRanges.even(exchange.reversed(), exchange.vrankCount(), 1));
            }
        }
    }

    private static int[] activeRanks(final RecursiveExchange exchange) {
        return IntStream.range(0, exchange.vrankCount()).map(exchange::rankAt).toArray();
    }

    /** Returns the range that a rank holds of data with one byte per segment. */
    private static BufferRange held(final HalvingRanges ranges, final int rank, final int round) {
        return ranges.held(Buffer.RECV.at(0, ranges.exchange().vrankCount()), rank, round);
    }

    @Test
    void shouldKeepOnePartPerRankOfAGroup() {
        forAll(h -> {
            for (final int rank : activeRanks(h.exchange())) {
                for (int round = 0; round < h.exchange().rounds(); round++) {
                    final BufferRange whole = held(h, rank, round);
                    final int[] group = h.exchange().group(rank, round);
                    final long part = whole.bytes() / group.length;
                    for (int d = 0; d < group.length; d++) {
                        assertEquals(group[d], h.keeper(rank, round, group[d]));
                        assertEquals(whole, held(h, group[d], round));
                        assertEquals(whole.slice(d * part, part), held(h, group[d], round + 1));
                        assertEquals(held(h, group[d], round + 1), h.kept(whole, group[d], round));
                    }
                }
            }
        });
    }

    @Test
    void shouldEndWithOneSegmentAtEachRank() {
        forAll(h -> {
            final BitSet ends = new BitSet();
            for (final int rank : activeRanks(h.exchange())) {
                assertEquals(Buffer.RECV.at(0, h.exchange().vrankCount()), held(h, rank, 0));
                assertEquals(Buffer.RECV.at(h.segment(rank), 1), held(h, rank, h.exchange().rounds()));
                ends.set(h.segment(rank));
                assertEquals(rank, h.holder(h.segment(rank)));
            }
            assertEquals(h.exchange().vrankCount(), ends.cardinality());
        });
    }

    @Test
    void shouldReverseDigitsFromNearToFar() {
        assertEquals(List.of(0, 4, 2, 6, 1, 5, 3, 7), ends(RecursiveExchange.of(8, 2, RecursiveExchange.ANY_RANK)));
        assertEquals(List.of(0, 2, 4, 1, 3, 5), ends(RecursiveExchange.of(6, 3, RecursiveExchange.ANY_RANK)));
    }

    @Test
    void shouldKeepTheOrderOfRanksFromFarToNear() {
        assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7), ends(RecursiveExchange.of(8, 2, RecursiveExchange.ANY_RANK).reversed()));
        assertEquals(List.of(0, 1, 2, 3, 4, 5), ends(RecursiveExchange.of(6, 3, RecursiveExchange.ANY_RANK).reversed()));
    }

    private static List<Integer> ends(final RecursiveExchange exchange) {
        final HalvingRanges ranges = HalvingRanges.even(exchange, 1, 1);
        return IntStream.range(0, exchange.size()).map(ranges::segment).boxed().toList();
    }

    @Test
    void shouldPartFromTheRootInOneRound() {
        forAll(h -> {
            final int[] ranks = activeRanks(h.exchange());
            for (int i = 0; i < ranks.length; i += 3) {
                final int root = ranks[i];
                for (final int rank : ranks) {
                    final int round = h.partingRound(rank, root);
                    assertEquals(rank == root, round < 0);
                    if (round >= 0) {
                        assertTrue(h.partingRound(h.keeper(rank, round, root), root) < round);
                    }
                }
            }
        });
    }

    @Test
    void shouldDivideEvenlyIntoWholeElements() {
        final RecursiveExchange exchange = RecursiveExchange.of(5, 2, RecursiveExchange.ANY_RANK);
        for (int count = 0; count < 20; count++) {
            final long[] starts = HalvingRanges.even(exchange, count * 8L, 8).starts();
            assertEquals(0, starts[0]);
            assertEquals(count * 8L, starts[4]);
            for (int s = 0; s < 4; s++) {
                final long elements = (starts[s + 1] - starts[s]) / 8;
                assertEquals(0, (starts[s + 1] - starts[s]) % 8);
                assertTrue(elements == count / 4 || elements == count / 4 + 1);
            }
        }
    }

    @Test
    void shouldDivideBetweenTheBlocksOfVirtualRanks() {
        final RecursiveExchange exchange = RecursiveExchange.of(5, 2, RecursiveExchange.ANY_RANK).reversed();
        final HalvingRanges ranges = HalvingRanges.ofBlocks(exchange, Blocks.packed(3, 0, 5, 7, 1));
        assertArrayEquals(new long[] {0, 3, 8, 15, 16}, ranges.starts());
        assertEquals(Buffer.RECV.at(8, 8), ranges.held(Buffer.RECV.at(0, 16), 4, 1));
        assertEquals(Buffer.SEND.at(115, 1), ranges.kept(Buffer.SEND.at(108, 8), 4, 1));
        assertEquals(Buffer.SEND.at(107, 1), ranges.within(Buffer.SEND.at(100, 8), 1, 4, 2));
    }
}
