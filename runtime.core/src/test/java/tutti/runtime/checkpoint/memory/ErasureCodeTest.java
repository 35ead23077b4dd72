package tutti.runtime.checkpoint.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the code by losing every choice of data, and recovering them from every choice of checks. */
@Timeout(120)
class ErasureCodeTest {
    /** More than a block, and no multiple of a word. */
    private static final int BYTES = 8203;

    private static byte[][] checksOf(final ErasureCode code, final byte[][] data, final int checks) {
        final byte[][] all = new byte[checks][BYTES];
        for (int j = 0; j < checks; j++) {
            for (int d = 0; d < data.length; d++) {
                ErasureCode.add(MemorySegment.ofArray(all[j]), MemorySegment.ofArray(data[d]), code.coefficient(j, d));
            }
        }
        return all;
    }

    private static int[] bits(final int set) {
        return IntStream.range(0, Integer.SIZE).filter(i -> (set >> i & 1) == 1).toArray();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 3", "2, 1", "2, 2", "3, 1", "3, 2", "5, 3", "4, 4", "7, 1"})
    void shouldRecoverWhateverIsLost(final int data, final int checks) {
        final ErasureCode code = new ErasureCode(data, checks);
        final Random random = new Random(data * 100L + checks);
        final byte[][] original = new byte[data][BYTES];
        for (final byte[] d : original) {
            random.nextBytes(d);
        }
        final byte[][] kept = checksOf(code, original, checks);
        for (int lost = 1; lost < 1 << data; lost++) {
            for (int using = 1; using < 1 << checks; using++) {
                if (Integer.bitCount(lost) == Integer.bitCount(using)) {
                    recover(code, original, kept, bits(lost), bits(using));
                }
            }
        }
    }

    private static void recover(final ErasureCode code, final byte[][] original, final byte[][] kept, final int[] lost, final int[] using) {
        for (int i = 0; i < lost.length; i++) {
            final byte[] got = new byte[BYTES];
            final int[] coefficients = code.recover(lost, using, i);
            for (int c = 0; c < coefficients.length; c++) {
                ErasureCode.add(MemorySegment.ofArray(got), MemorySegment.ofArray(c < original.length ? original[c] : kept[c - original.length]),
                    coefficients[c]);
            }
            for (final int d : lost) {
                assertEquals(0, coefficients[d]);
            }
            assertArrayEquals(original[lost[i]], got);
        }
    }

    @Test
    void shouldRecoverFromRandomChoicesOfManyChecks() {
        final Random random = new Random(5);
        final int data = 50;
        final int checks = 14;
        final ErasureCode code = new ErasureCode(data, checks);
        final byte[][] original = new byte[data][BYTES];
        for (final byte[] d : original) {
            random.nextBytes(d);
        }
        final byte[][] kept = checksOf(code, original, checks);
        for (int i = 0; i < 20; i++) {
            final int count = 1 + random.nextInt(checks);
            recover(code, original, kept, random.ints(0, data).distinct().limit(count).sorted().toArray(),
                random.ints(0, checks).distinct().limit(count).sorted().toArray());
        }
    }

    @Test
    void shouldCopyOneDatumAndAddSeveralToOneCheck() {
        final ErasureCode copies = new ErasureCode(1, 5);
        IntStream.range(0, 5).forEach(j -> assertEquals(1, copies.coefficient(j, 0)));
        final ErasureCode xor = new ErasureCode(9, 1);
        IntStream.range(0, 9).forEach(d -> assertEquals(1, xor.coefficient(0, d)));
    }
}
