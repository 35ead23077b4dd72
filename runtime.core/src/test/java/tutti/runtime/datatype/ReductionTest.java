package tutti.runtime.datatype;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Tests every predefined operation on every predefined type against the model, which works element by element. */
class ReductionTest {
    private static final long[] COUNTS = {0, 1, 2, 7, 100, 2049};

    @TestFactory
    Stream<DynamicTest> shouldReduceAsTheModelInAnyMemory() {
        final List<DynamicTest> tests = new ArrayList<>();
        for (final Op op : Kinds.OPS) {
            for (final Datatype type : Kinds.BASIC) {
                if (Model.isLegal(op, type)) {
                    tests.add(dynamicTest(op + " " + type, () -> checkAll(op, type)));
                }
            }
        }
        return tests.stream();
    }

    private static void checkAll(final Op op, final Datatype type) {
        final BoundReduction reduction = op.bind(type);
        for (final long count : COUNTS) {
            final int bytes = (int) (count * type.size());
            final byte[] in = values(type, count, 1);
            final byte[] inout = values(type, count, 2);
            final byte[] expected = Model.apply(op, type, in, inout);
            for (final MemorySegment a : Kinds.memories(bytes + 32)) {
                for (final MemorySegment b : Kinds.memories(bytes + 32)) {
                    check(reduction, in, a, 0, inout, b, 0, count, expected);
                    check(reduction, in, a, 16, inout, b, 16, count, expected);
                    check(reduction, in, a, 8, inout, b, 24, count, expected);
                    check(reduction, in, a, 3, inout, b, 3, count, expected);
                    check(reduction, in, a.asSlice(5), 2, inout, b.asSlice(1), 0, count, expected);
                    check(reduction, in, a.asSlice(8), 8, inout, b.asSlice(16), 0, count, expected);
                }
            }
        }
    }

    private static void check(final BoundReduction reduction, final byte[] in, final MemorySegment a, final long i, final byte[] inout,
        final MemorySegment b, final long j, final long count, final byte[] expected) {
        b.fill((byte) 0x55);
        MemorySegment.copy(MemorySegment.ofArray(in), 0, a, i, in.length);
        MemorySegment.copy(MemorySegment.ofArray(inout), 0, b, j, inout.length);
        reduction.apply(a.asReadOnly(), i, b, j, count);
        check(a, i, b, j, in, expected);
        MemorySegment.copy(MemorySegment.ofArray(inout), 0, b, j, inout.length);
        reduction.apply(a, i, b, j, count);
        check(a, i, b, j, in, expected);
    }

    private static void check(final MemorySegment a, final long i, final MemorySegment b, final long j, final byte[] in, final byte[] expected) {
        assertEquals(-1, a.asSlice(i, in.length).mismatch(MemorySegment.ofArray(in)), "in must not change");
        assertEquals(-1, b.asSlice(j, expected.length).mismatch(MemorySegment.ofArray(expected)), "result");
        for (long k = 0; k < b.byteSize(); k = k == j - 1 ? j + expected.length : k + 1) {
            if (k < j || k >= j + expected.length) {
                assertEquals(0x55, b.get(ValueLayout.JAVA_BYTE, k), "byte outside of the range");
            }
        }
    }

    /** Returns few different values, so that some are equal, with signs, zeros and NaN. */
    private static byte[] values(final Datatype type, final long count, final long seed) {
        final Random random = new Random(seed);
        final ByteBuffer to = ByteBuffer.allocate((int) (count * type.size())).order(ByteOrder.nativeOrder());
        for (long i = 0; i < count; i++) {
            switch (type.elementKind()) {
                case BYTE -> to.put((byte) (random.nextInt(8) * 37));
                case BOOLEAN -> to.put((byte) random.nextInt(2));
                case CHAR, SHORT -> to.putShort((short) (random.nextInt(8) * 9001));
                case INT -> to.putInt(random.nextInt(8) * 700_000_001);
                case LONG -> to.putLong(random.nextInt(8) * 3_000_000_000_000_000_001L);
                case FLOAT -> to.putFloat((float) real(random));
                case DOUBLE -> to.putDouble(real(random));
                case FLOAT_COMPLEX -> to.putFloat(random.nextInt(9) - 4).putFloat(random.nextInt(9) - 4);
                case DOUBLE_COMPLEX -> to.putDouble(random.nextInt(9) - 4).putDouble(random.nextInt(9) - 4);
                case INT2 -> to.putInt(random.nextInt(5) - 2).putInt(random.nextInt(5));
                case SHORT_INT -> to.putShort((short) (random.nextInt(5) - 2)).putInt(random.nextInt(5));
                case LONG_INT -> to.putLong((random.nextInt(5) - 2) * 5_000_000_000L).putInt(random.nextInt(5));
                case FLOAT_INT -> to.putFloat((float) real(random)).putInt(random.nextInt(5));
                case DOUBLE_INT -> to.putDouble(real(random)).putInt(random.nextInt(5));
                case NONE -> throw new AssertionError(type);
            }
        }
        return to.array();
    }

    private static double real(final Random random) {
        final double[] some = {0.0, -0.0, 1.5, -1.5, 3, -7, Double.NaN, Double.POSITIVE_INFINITY};
        return some[random.nextInt(some.length)];
    }

    @Test
    void shouldTakeTheLowerIndexOfEqualValues() {
        final byte[] in = ByteBuffer.allocate(12).order(ByteOrder.nativeOrder()).putDouble(4).putInt(1).array();
        final byte[] inout = ByteBuffer.allocate(12).order(ByteOrder.nativeOrder()).putDouble(4).putInt(3).array();
        Op.MAXLOC.bind(Datatype.DOUBLE_INT).apply(MemorySegment.ofArray(in), 0, MemorySegment.ofArray(inout), 0, 1);
        assertArrayEquals(in, inout);
    }

    @Test
    void shouldReduceMoreThanOnePieceOfNativeMemory() {
        final int n = 100_003;
        final MemorySegment a = Arena.ofAuto().allocate(8L * n);
        final double[] b = new double[n];
        final double[] expected = new double[n];
        for (int i = 0; i < n; i++) {
            a.set(ValueLayout.JAVA_DOUBLE, 8L * i, i);
            b[i] = 2 * i;
            expected[i] = 3 * i;
        }
        Op.SUM.bind(Datatype.DOUBLE).apply(a, 0, MemorySegment.ofArray(b), 0, n);
        assertArrayEquals(expected, b);
    }

    @Test
    @Timeout(120)
    void shouldShareStagingMemoryAmongManyThreads() throws Exception {
        final BoundReduction sum = Op.SUM.bind(Datatype.LONG);
        try (ExecutorService threads = Executors.newFixedThreadPool(20)) {
            final List<Future<long[]>> results = new ArrayList<>();
            for (int t = 0; t < 20; t++) {
                final MemorySegment in = Arena.ofAuto().allocate(8 * 3000);
                for (int i = 0; i < 3000; i++) {
                    in.set(ValueLayout.JAVA_LONG, 8L * i, t * 10_000L + i);
                }
                results.add(threads.submit(() -> {
                    final MemorySegment inout = Arena.ofAuto().allocate(8 * 3000);
                    for (int k = 0; k < 200; k++) {
                        sum.apply(in, 0, inout, 0, 3000);
                    }
                    return inout.toArray(ValueLayout.JAVA_LONG);
                }));
            }
            for (int t = 0; t < 20; t++) {
                final long first = t * 10_000L;
                assertArrayEquals(LongStream.range(0, 3000).map(i -> 200 * (first + i)).toArray(), results.get(t).get());
            }
        }
    }

    @Test
    void shouldRefuseRangesOutsideOfTheMemory() {
        final BoundReduction sum = Op.SUM.bind(Datatype.INT);
        final MemorySegment large = MemorySegment.ofArray(new int[10]);
        final MemorySegment small = large.asSlice(0, 16);
        assertThrows(IndexOutOfBoundsException.class, () -> sum.apply(small, 0, large, 0, 5));
        assertThrows(IndexOutOfBoundsException.class, () -> sum.apply(large, 0, small, 4, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> sum.apply(large, 0, large, 0, -1));
        assertThrows(ArithmeticException.class, () -> sum.apply(large, 0, large, 0, Long.MAX_VALUE));
    }
}
