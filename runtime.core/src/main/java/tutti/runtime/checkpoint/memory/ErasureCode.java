package tutti.runtime.checkpoint.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A Reed-Solomon code: checks are linear combinations of data, over the field of 256 elements, and any of the data follow from the others and as many
 * checks. Its matrix is that of Cauchy (Blömer et al., 1995) with a first row and a first column of ones: so one check is the XOR of the data, and
 * all checks of one datum are copies of it.
 */
final class ErasureCode {
    /** Most data and checks together. */
    static final int MOST = 255;
    private static final int FIELD = 256;
    /** x^8 + x^4 + x^3 + x^2 + 1, of which x is a generator. */
    private static final int POLYNOMIAL = 0x11d;
    private static final int[] EXP = new int[2 * FIELD];
    private static final int[] LOG = new int[FIELD];
    private static final int BLOCK = 1024;
    private static final long LOW_BITS = 0x0101010101010101L;

    private final int data;
    /** Coefficient of each datum in each check. */
    private final int[][] rows;

    static {
        int value = 1;
        for (int i = 0; i < FIELD - 1; i++) {
            EXP[i] = value;
            EXP[i + FIELD - 1] = value;
            LOG[value] = i;
            value <<= 1;
            if (value >= FIELD) {
                value ^= POLYNOMIAL;
            }
        }
    }

    /** Creates the code of so many data and checks. */
    ErasureCode(final int data, final int checks) {
        this.data = data;
        rows = new int[checks][data];
        for (int j = 0; j < checks; j++) {
            for (int d = 0; d < data; d++) {
                // 1 / (x_j + y_d) of different x and y, times what makes the first row and column ones
                rows[j][d] = divide(times(cauchy(j, d, checks), cauchy(0, 0, checks)), times(cauchy(0, d, checks), cauchy(j, 0, checks)));
            }
        }
    }

    private static int cauchy(final int check, final int datum, final int checks) {
        return divide(1, check ^ checks + datum);
    }

    private static int times(final int a, final int b) {
        return a == 0 || b == 0 ? 0 : EXP[LOG[a] + LOG[b]];
    }

    private static int divide(final int a, final int b) {
        return a == 0 ? 0 : EXP[LOG[a] + FIELD - 1 - LOG[b]];
    }

    /** Returns the coefficient of a datum in a check. */
    int coefficient(final int check, final int datum) {
        return rows[check][datum];
    }

    /**
     * Returns how a datum that is lost follows from others.
     *
     * @param lost   the data that are lost
     * @param using  as many checks
     * @param wanted index in {@code lost}
     * @return the coefficient of each datum, and then of each check; 0 for those that are not used
     */
    int[] recover(final int[] lost, final int[] using, final int wanted) {
        final int[] ofChecks = inverse(lost, using)[wanted];
        final int[] all = new int[data + rows.length];
        for (int i = 0; i < using.length; i++) {
            all[data + using[i]] = ofChecks[i];
            for (int d = 0; d < data; d++) {
                all[d] ^= times(ofChecks[i], rows[using[i]][d]);
            }
        }
        for (final int d : lost) {
            all[d] = 0;
        }
        return all;
    }

    /** Returns the inverse of the part of the matrix with these data and checks, by Gauss and Jordan. */
    private int[][] inverse(final int[] lost, final int[] using) {
        final int n = lost.length;
        final int[][] m = new int[n][2 * n];
        for (int i = 0; i < n; i++) {
            for (int d = 0; d < n; d++) {
                m[i][d] = rows[using[i]][lost[d]];
            }
            m[i][n + i] = 1;
        }
        for (int c = 0; c < n; c++) {
            int pivot = c;
            while (m[pivot][c] == 0) {
                pivot++;
            }
            final int[] row = m[pivot];
            m[pivot] = m[c];
            m[c] = row;
            final int by = row[c];
            for (int i = 0; i < 2 * n; i++) {
                row[i] = divide(row[i], by);
            }
            for (int r = 0; r < n; r++) {
                final int factor = m[r][c];
                if (r != c && factor != 0) {
                    for (int i = 0; i < 2 * n; i++) {
                        m[r][i] ^= times(factor, row[i]);
                    }
                }
            }
        }
        final int[][] inverse = new int[n][n];
        for (int i = 0; i < n; i++) {
            System.arraycopy(m[i], n, inverse[i], 0, n);
        }
        return inverse;
    }

    /** Adds a multiple of bytes to others of the same number. */
    static void add(final MemorySegment to, final MemorySegment from, final int coefficient) {
        final long bytes = from.byteSize();
        final long[] source = new long[BLOCK];
        final long[] target = new long[BLOCK];
        for (long at = 0; at < bytes; at += BLOCK * Long.BYTES) {
            final long length = Math.min(BLOCK * Long.BYTES, bytes - at);
            MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, MemorySegment.ofArray(source), ValueLayout.JAVA_BYTE, 0, length);
            MemorySegment.copy(to, ValueLayout.JAVA_BYTE, at, MemorySegment.ofArray(target), ValueLayout.JAVA_BYTE, 0, length);
            for (int rest = coefficient; rest != 0; rest >>= 1) {
                if ((rest & 1) != 0) {
                    addBlock(target, source);
                }
                if (rest > 1) {
                    doubleBlock(source);
                }
            }
            MemorySegment.copy(MemorySegment.ofArray(target), ValueLayout.JAVA_BYTE, 0, to, ValueLayout.JAVA_BYTE, at, length);
        }
    }

    private static void addBlock(final long[] target, final long[] source) {
        for (int i = 0; i < BLOCK; i++) {
            target[i] ^= source[i];
        }
    }

    /** Multiplies each byte by x. */
    private static void doubleBlock(final long[] block) {
        for (int i = 0; i < BLOCK; i++) {
            final long value = block[i];
            final long high = value >>> 7 & LOW_BITS;
            block[i] = (value & ~(LOW_BITS << 7)) << 1 ^ high ^ high << 2 ^ high << 3 ^ high << 4;
        }
    }
}
