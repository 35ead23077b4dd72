package tutti.runtime.datatype;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Measures packing and unpacking of derived types, with a plain loop over arrays to compare them to. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class PackingBenchmark {

    private static final int SIZE = 1000;

    private final Datatype column = Datatype.vector(SIZE, 1, SIZE, Datatype.DOUBLE);
    private final double[] matrix = new double[SIZE * SIZE];
    private final double[] loopTarget = new double[SIZE];
    private final MemorySegment array = MemorySegment.ofArray(matrix);
    private final MemorySegment direct = Arena.ofAuto().allocate(8L * SIZE * SIZE, 8);
    private final MemorySegment packed = MemorySegment.ofArray(new byte[16 * SIZE]);

    @Benchmark
    public double[] plainLoop() {
        for (int i = 0; i < SIZE; i++) {
            loopTarget[i] = matrix[i * SIZE];
        }
        return loopTarget;
    }

    @Benchmark
    public void packColumnOfArray() {
        column.pack(array, 0, 1, packed, 0);
    }

    @Benchmark
    public void packColumnOfNative() {
        column.pack(direct, 0, 1, packed, 0);
    }

    @Benchmark
    public void unpackColumnIntoArray() {
        column.unpack(packed, 0, 1, array, 0);
    }

    @Benchmark
    public void unpackColumnIntoNative() {
        column.unpack(packed, 0, 1, direct, 0);
    }

    @Benchmark
    public void packPairs() {
        Datatype.DOUBLE_INT.pack(direct, 0, SIZE, packed, 0);
    }
}
