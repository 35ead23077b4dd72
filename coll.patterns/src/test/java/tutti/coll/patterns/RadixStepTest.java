package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class RadixStepTest {
    @Test
    void shouldHaveDistancesByDigitsOfTheRadix() {
        assertEquals(List.of(1, 2, 3, 6, 9), distances(3, 10));
        assertEquals(List.of(1, 2, 4), distances(2, 8));
        assertEquals(List.of(1, 2, 3), distances(100, 4));
        assertEquals(List.of(), distances(2, 1));
    }

    private static List<Integer> distances(final int radix, final int size) {
        return RadixStep.all(radix, size).stream().map(RadixStep::distance).toList();
    }

    @Test
    void shouldCoverEveryOtherRankOnce() {
        for (int size = 1; size <= 100; size++) {
            for (int radix = 2; radix <= size + 1; radix++) {
                final BitSet covered = new BitSet();
                covered.set(0);
                for (final RadixStep step : RadixStep.all(radix, size)) {
                    assertEquals(step.distance(), covered.nextClearBit(0));
                    covered.set(step.distance(), step.distance() + step.ranks());
                }
                assertEquals(size, covered.cardinality());
            }
        }
    }

    @Test
    void shouldNotOverflowWithTheLargestRadixAndManyRanks() {
        assertEquals(1 << 30, RadixStep.all(2, Integer.MAX_VALUE).getLast().distance());
        assertEquals(9, RadixStep.all(Integer.MAX_VALUE, 10).size());
    }

    @Test
    void shouldCountNearerSteps() {
        final List<RadixStep> steps = RadixStep.all(3, 10);
        assertEquals(0, RadixStep.countNearer(steps, 1));
        assertEquals(3, RadixStep.countNearer(steps, 6));
        assertEquals(5, RadixStep.countNearer(steps, 10));
    }
}
