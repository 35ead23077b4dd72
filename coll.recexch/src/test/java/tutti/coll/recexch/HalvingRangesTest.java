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

class HalvingRangesTest {
    private static final int MOST_RANKS = 70;

    private static void forAll(final Consumer<HalvingRanges> check) {
        for (int size = 1; size <= MOST_RANKS; size++) {
            for (final int radix : new int[] {2, 3, 4, 8}) {
                final RecursiveExchange exchange = RecursiveExchange.of(size, radix, RecursiveExchange.ANYBODY);
                check.accept(new HalvingRanges(exchange, true));
                check.accept(new HalvingRanges(exchange, false));
            }
        }
    }

    @Test
    void shouldKeepOnePartForEachThatMeets() {
        forAll(h -> {
            for (int place = 0; place < h.exchange().core(); place++) {
                for (int step = 0; step < h.steps(); step++) {
                    final int[] met = h.met(place, step);
                    assertEquals(h.radix(step) * h.width(step + 1), h.width(step));
                    for (int d = 0; d < met.length; d++) {
                        assertEquals(met[d], h.keeper(place, step, d));
                        assertEquals(h.first(place, step), h.first(met[d], step));
                        assertEquals(h.first(place, step) + d * h.width(step + 1), h.first(met[d], step + 1));
                    }
                }
            }
        });
    }

    @Test
    void shouldEndWithOneSegmentAtEachPlace() {
        forAll(h -> {
            final int core = h.exchange().core();
            final BitSet ends = new BitSet();
            assertEquals(core, h.width(0));
            assertEquals(1, h.width(h.steps()));
            for (int place = 0; place < core; place++) {
                assertEquals(0, h.first(place, 0));
                final int segment = h.first(place, h.steps());
                ends.set(segment);
                assertEquals(place, h.holder(segment));
                assertTrue(h.nearToFar() || segment == place);
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
        final HalvingRanges halves = new HalvingRanges(RecursiveExchange.of(size, radix, RecursiveExchange.ANYBODY), true);
        return IntStream.range(0, size).map(p -> halves.first(p, halves.steps())).boxed().toList();
    }

    @Test
    void shouldPartFromTheRootsSideOnce() {
        forAll(h -> {
            final int core = h.exchange().core();
            for (int root = 0; root < core; root += 3) {
                for (int place = 0; place < core; place++) {
                    final int parting = h.parting(place, root);
                    assertEquals(place == root, parting < 0);
                    if (parting >= 0) {
                        final int nearer = h.keeper(place, parting, h.digit(root, parting));
                        assertTrue(h.parting(nearer, root) < parting);
                    }
                }
            }
        });
    }

    @Test
    void shouldCutEvenlyIntoWholeElements() {
        final HalvingRanges halves = new HalvingRanges(RecursiveExchange.of(5, 2, RecursiveExchange.ANYBODY), true);
        for (int count = 0; count < 20; count++) {
            final SegmentLayout parts = SegmentLayout.even(halves, count, 8);
            assertEquals(0, parts.start(0));
            assertEquals(count * 8L, parts.start(4));
            for (int s = 0; s < 4; s++) {
                final long elements = (parts.start(s + 1) - parts.start(s)) / 8;
                assertEquals(0, (parts.start(s + 1) - parts.start(s)) % 8);
                assertTrue(elements == count / 4 || elements == count / 4 + 1);
            }
        }
    }

    @Test
    void shouldCutBetweenTheBlocksOfPlaces() {
        final HalvingRanges halves = new HalvingRanges(RecursiveExchange.of(5, 2, RecursiveExchange.ANYBODY), false);
        final SegmentLayout parts = SegmentLayout.ofBlocks(halves, Blocks.packed(3, 0, 5, 7, 1));
        assertEquals(List.of(0L, 3L, 8L, 15L, 16L), IntStream.rangeClosed(0, 4).mapToObj(parts::start).toList());
        assertEquals(Buffer.RECV.at(8, 8), parts.held(Buffer.RECV.at(0, 16), 3, 1));
        assertEquals(Buffer.SEND.at(115, 1), parts.kept(Buffer.SEND.at(108, 8), 3, 1));
    }
}
