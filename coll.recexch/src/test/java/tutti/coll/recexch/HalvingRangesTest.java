package tutti.coll.recexch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.patterns.RecursiveExchange;

class HalvingRangesTest {
    private static final int MAX_RANKS = 70;

    private static void forAll(final Consumer<HalvingRanges> check) {
        for (int size = 1; size <= MAX_RANKS; size++) {
            for (final int radix : new int[] {2, 3, 4, 8}) {
                final RecursiveExchange exchange = RecursiveExchange.of(size, radix, RecursiveExchange.ANY_RANK);
                check.accept(new HalvingRanges(exchange, true));
                check.accept(new HalvingRanges(exchange, false));
            }
        }
    }

    @Test
    void shouldKeepOnePartPerRankOfAGroup() {
        forAll(h -> {
            for (int vrank = 0; vrank < h.exchange().vrankCount(); vrank++) {
                for (int step = 0; step < h.steps(); step++) {
                    final int[] group = h.group(vrank, step);
                    assertEquals(h.radix(step) * h.width(step + 1), h.width(step));
                    for (int d = 0; d < group.length; d++) {
                        assertEquals(group[d], h.keeper(vrank, step, d));
                        assertEquals(h.first(vrank, step), h.first(group[d], step));
                        assertEquals(h.first(vrank, step) + d * h.width(step + 1), h.first(group[d], step + 1));
                    }
                }
            }
        });
    }

    @Test
    void shouldEndWithOneSegmentAtEachVirtualRank() {
        forAll(h -> {
            final int core = h.exchange().vrankCount();
            final BitSet ends = new BitSet();
            assertEquals(core, h.width(0));
            assertEquals(1, h.width(h.steps()));
            for (int vrank = 0; vrank < core; vrank++) {
                assertEquals(0, h.first(vrank, 0));
                final int segment = h.first(vrank, h.steps());
                ends.set(segment);
                assertEquals(vrank, h.holder(segment));
                assertTrue(h.nearToFar() || segment == vrank);
            }
            assertEquals(core, ends.cardinality());
        });
    }

    @Test
    void shouldReverseDigitsFromNearToFar() {
        assertEquals(List.of(0, 4, 2, 6, 1, 5, 3, 7), ends(8, 2));
        assertEquals(List.of(0, 2, 4, 1, 3, 5), ends(6, 3));
    }

    private static List<Integer> ends(final int size, final int radix) {
        final HalvingRanges ranges = new HalvingRanges(RecursiveExchange.of(size, radix, RecursiveExchange.ANY_RANK), true);
        return IntStream.range(0, size).map(p -> ranges.first(p, ranges.steps())).boxed().toList();
    }

    @Test
    void shouldPartFromTheRootInOneStep() {
        forAll(h -> {
            final int core = h.exchange().vrankCount();
            for (int root = 0; root < core; root += 3) {
                for (int vrank = 0; vrank < core; vrank++) {
                    final int step = h.partingStep(vrank, root);
                    assertEquals(vrank == root, step < 0);
                    if (step >= 0) {
                        final int nearer = h.keeper(vrank, step, h.digit(root, step));
                        assertTrue(h.partingStep(nearer, root) < step);
                    }
                }
            }
        });
    }

    @Test
    void shouldCutEvenlyIntoWholeElements() {
        final HalvingRanges ranges = new HalvingRanges(RecursiveExchange.of(5, 2, RecursiveExchange.ANY_RANK), true);
        for (int count = 0; count < 20; count++) {
            final SegmentLayout layout = SegmentLayout.even(ranges, count, 8);
            assertEquals(0, layout.start(0));
            assertEquals(count * 8L, layout.start(4));
            for (int s = 0; s < 4; s++) {
                final long elements = (layout.start(s + 1) - layout.start(s)) / 8;
                assertEquals(0, (layout.start(s + 1) - layout.start(s)) % 8);
                assertTrue(elements == count / 4 || elements == count / 4 + 1);
            }
        }
    }

    @Test
    void shouldCutBetweenTheBlocksOfVirtualRanks() {
        final HalvingRanges ranges = new HalvingRanges(RecursiveExchange.of(5, 2, RecursiveExchange.ANY_RANK), false);
        final SegmentLayout layout = SegmentLayout.ofBlocks(ranges, Blocks.packed(3, 0, 5, 7, 1));
        assertEquals(List.of(0L, 3L, 8L, 15L, 16L), IntStream.rangeClosed(0, 4).mapToObj(layout::start).toList());
        assertEquals(Buffer.RECV.at(8, 8), layout.held(Buffer.RECV.at(0, 16), 3, 1));
        assertEquals(Buffer.SEND.at(115, 1), layout.kept(Buffer.SEND.at(108, 8), 3, 1));
    }
}
