package tutti.runtime.datatype;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Measures reductions and strided packing against a plain loop over arrays: run {@code main}. Prints medians in microseconds, the ratio to
 * the plain loop, and bytes allocated per call. All kinds of memory and several operations run in one JVM, as they do in use.
 */
final class ReductionSpeed {
    private static final int ROUNDS = 41;

    private record Operands(String name, MemorySegment in, MemorySegment inout) {
    }

    private ReductionSpeed() {
    }

    public static void main(final String[] args) {
        final BoundReduction sum = Op.SUM.bind(Datatype.DOUBLE);
        final BoundReduction max = Op.MAX.bind(Datatype.DOUBLE);
        for (int round = 0; round < 2; round++) {
            for (final int n : new int[] {1, 128, 1024, 131_072}) {
                final List<Operands> operands = operands(n);
                final double[] a = (double[]) operands.get(0).in.heapBase().orElseThrow();
                final double[] b = (double[]) operands.get(0).inout.heapBase().orElseThrow();
                final double plain = median(n, () -> plain(a, b));
                System.out.printf("%d doubles: plain loop %.3f us%n", n, plain);
                for (final Operands o : operands) {
                    report("SUM " + o.name, plain, n, () -> sum.apply(o.in, 0, o.inout, 0, n));
                    report("MAX " + o.name, plain, n, () -> max.apply(o.in, 0, o.inout, 0, n));
                }
            }
        }
        columns();
    }

    private static List<Operands> operands(final int n) {
        final MemorySegment array = MemorySegment.ofArray(new double[n]);
        final MemorySegment bytes = MemorySegment.ofArray(new byte[8 * n]);
        final MemorySegment direct = Arena.ofAuto().allocate(8L * n, 8);
        return List.of(new Operands("double[] double[]", array, MemorySegment.ofArray(new double[n])),
            new Operands("native native", direct, Arena.ofAuto().allocate(8L * n, 8)),
            new Operands("byte[] byte[]", bytes, MemorySegment.ofArray(new byte[8 * n])),
            new Operands("native double[]", direct, array), new Operands("double[] native", array, direct),
            new Operands("byte[] native", bytes, direct));
    }

    /** A column of a matrix of 1,000 x 1,000 doubles. */
    private static void columns() {
        final Datatype column = Datatype.vector(1000, 1, 1000, Datatype.DOUBLE);
        final Datatype pairs = Datatype.DOUBLE_INT;
        final double[] matrix = new double[1_000_000];
        final double[] packed = new double[1000];
        final double plain = median(1000, () -> {
            for (int i = 0; i < 1000; i++) {
                packed[i] = matrix[i * 1000];
            }
        });
        System.out.printf("column of 1000 doubles: plain loop %.3f us%n", plain);
        final MemorySegment from = MemorySegment.ofArray(matrix);
        final MemorySegment direct = Arena.ofAuto().allocate(8_000_000, 8);
        final MemorySegment to = MemorySegment.ofArray(new byte[1_000_000]);
        report("pack from double[]", plain, 1000, () -> column.pack(from, 0, 1, to, 0));
        report("pack from native", plain, 1000, () -> column.pack(direct, 0, 1, to, 0));
        report("unpack to native", plain, 1000, () -> column.unpack(to, 0, 1, direct, 0));
        report("unpack to double[]", plain, 1000, () -> column.unpack(to, 0, 1, from, 0));
        report("1000 DOUBLE_INT", plain, 1000, () -> pairs.pack(direct, 0, 1000, to, 0));
    }

    private static void plain(final double[] in, final double[] inout) {
        for (int i = 0; i < in.length; i++) {
            inout[i] += in[i];
        }
    }

    private static void report(final String what, final double plain, final int n, final Runnable call) {
        final double time = median(n, call);
        final long before = allocated();
        for (int i = 0; i < 1000; i++) {
            call.run();
        }
        System.out.printf("  %-22s %9.3f us  x%.2f  %d B/call%n", what, time, time / plain, (allocated() - before) / 1000);
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    private static double median(final int n, final Runnable call) {
        final int calls = Math.max(20, 2_000_000 / (n + 50));
        final double[] times = new double[ROUNDS];
        for (int r = 0; r < ROUNDS; r++) {
            final long start = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                call.run();
            }
            times[r] = (System.nanoTime() - start) / 1e3 / calls;
        }
        java.util.Arrays.sort(times);
        return times[ROUNDS / 2];
    }
}
