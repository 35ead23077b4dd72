package tutti.runtime.canary;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Blocks;
import tutti.coll.Reduction;
import tutti.runtime.canary.ResultComparison.Compared;
import tutti.runtime.canary.ResultComparison.Outcome;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

class ResultComparisonTest {
    private static final Op USER = Op.user("first", false, (in, inout, count, type) -> {
        // leaves the second operand
    });

    private static Outcome compare(final Reduction reduction, final int operands, final double[] expected, final double... got) {
        return new ResultComparison(reduction, operands).compare(MemorySegment.ofArray(expected), MemorySegment.ofArray(got),
            Blocks.uniform(1, 8L * got.length)).outcome();
    }

    private static Compared compareSums(final int operands, final double expected, final double got, final double magnitude) {
        return new ResultComparison(Op.SUM.bind(Datatype.DOUBLE), operands).compareSums(MemorySegment.ofArray(new double[] {1, expected}),
            MemorySegment.ofArray(new double[] {1, got}), MemorySegment.ofArray(new double[] {1, magnitude}), Blocks.uniform(1, 16));
    }

    @Test
    void shouldFindTheFirstByteThatDiffersInABlock() {
        final byte[] expected = new byte[20];
        final byte[] got = new byte[20];
        got[9] = 1;
        got[13] = 1;
        final ResultComparison comparison = new ResultComparison(null, 3);
        assertEquals(new Compared(Outcome.DIFFERENT, 13), comparison.compare(MemorySegment.ofArray(expected), MemorySegment.ofArray(got),
            Blocks.of(new long[] {4, 4}, new long[] {4, 12})));
    }

    @Test
    void shouldCompareIntegersBitByBit() {
        assertEquals(Outcome.DIFFERENT, compare(Op.SUM.bind(Datatype.LONG), 5, new double[] {1, 2}, 1, Math.nextUp(2.0)));
        assertEquals(Outcome.DIFFERENT, compare(USER.bind(Datatype.INT), 5, new double[] {1, 2}, 1, Math.nextUp(2.0)));
    }

    @Test
    void shouldNotJudgeUserDefinedOperationsThatRound() {
        assertEquals(Outcome.UNVERIFIED, compare(USER.bind(Datatype.DOUBLE), 5, new double[] {1, 2}, 1, Math.nextUp(2.0)));
        assertEquals(Outcome.EQUAL, compare(USER.bind(Datatype.DOUBLE), 5, new double[] {1, 2}, 1, 2));
    }

    @Test
    void shouldTakeMaximaForExactButForNotANumber() {
        assertEquals(Outcome.DIFFERENT, compare(Op.MAX.bind(Datatype.DOUBLE), 5, new double[] {1, 2}, 1, Math.nextUp(2.0)));
        final double other = Double.longBitsToDouble(0x7ff8_0000_0000_0001L);
        assertEquals(Outcome.EQUAL, compare(Op.MAX.bind(Datatype.DOUBLE), 5, new double[] {1, Double.NaN}, 1, other));
    }

    @Test
    void shouldAllowProductsTheirRoundings() {
        final double product = 3;
        // four roundings, of two orders
        assertEquals(Outcome.EQUAL, compare(Op.PROD.bind(Datatype.DOUBLE), 5, new double[] {product}, product * (1 + 3 * Math.ulp(1.0))));
        assertEquals(Outcome.DIFFERENT, compare(Op.PROD.bind(Datatype.DOUBLE), 5, new double[] {product}, product * (1 + 6 * Math.ulp(1.0))));
        assertEquals(Outcome.UNVERIFIED, compare(Op.PROD.bind(Datatype.DOUBLE), 5, new double[] {product}, Double.POSITIVE_INFINITY));
        assertEquals(Outcome.EQUAL, compare(Op.PROD.bind(Datatype.DOUBLE_COMPLEX), 5, new double[] {product, 0}, product, 20 * Math.ulp(1.0)));
        assertEquals(Outcome.DIFFERENT, compare(Op.PROD.bind(Datatype.DOUBLE_COMPLEX), 5, new double[] {product, 0}, product, 1e-9));
    }

    @Test
    void shouldAllowSumsTheirRoundings() {
        assertEquals(Outcome.ROUNDED, compare(Op.SUM.bind(Datatype.DOUBLE), 5, new double[] {1, 0}, 1, 1e-16));
        // the sum of 1e3, 1e-13 and -1e3 in two orders
        assertEquals(new Compared(Outcome.EQUAL, -1), compareSums(3, 1e-13, 1.1368683772161603E-13, 2e3));
        assertEquals(new Compared(Outcome.DIFFERENT, 8), compareSums(3, 1, 1 + 1e-11, 2e3));
        assertEquals(new Compared(Outcome.DIFFERENT, 8), compareSums(3, 1, Double.NaN, 2e3));
        assertEquals(new Compared(Outcome.UNVERIFIED, 8), compareSums(3, 1, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY));
    }

    /** Adds up the same numbers in random orders, in pairs and one by one, with cancellation. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 16, 100})
    void shouldAllowAnyOrder(final int operands) {
        final Random random = new Random(operands);
        for (int i = 0; i < 2000; i++) {
            final double[] all = random.doubles(operands, -1, 1).map(x -> x * Math.pow(10, random.nextInt(12))).toArray();
            double rising = 0;
            double falling = 0;
            double magnitudes = 0;
            for (int k = 0; k < operands; k++) {
                rising += all[k];
                falling += all[operands - 1 - k];
                magnitudes += Math.abs(all[k]);
            }
            assertEquals(Outcome.EQUAL, compareSums(operands, rising, falling, magnitudes).outcome());
            assertEquals(Outcome.EQUAL, compareSums(operands, rising, pairwise(all, 0, operands), magnitudes).outcome());
        }
    }

    private static double pairwise(final double[] all, final int from, final int to) {
        final int middle = (from + to) / 2;
        return to - from == 1 ? all[from] : pairwise(all, from, middle) + pairwise(all, middle, to);
    }
}
