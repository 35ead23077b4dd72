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
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Measures the kernels of predefined reductions on kinds of memory, with a plain loop over arrays to compare them to. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class ReductionBenchmark {

    /** Number of doubles. */
    @Param({"1", "128", "131072"})
    public int count;

    private final BoundReduction sum = Op.SUM.bind(Datatype.DOUBLE);
    private final BoundReduction max = Op.MAX.bind(Datatype.DOUBLE);
    private double[] in;
    private double[] inout;
    private MemorySegment inArray;
    private MemorySegment inoutArray;
    private MemorySegment inBytes;
    private MemorySegment inoutBytes;
    private MemorySegment inNative;
    private MemorySegment inoutNative;

    @Setup
    public void allocate() {
        in = new double[count];
        inout = new double[count];
        inArray = MemorySegment.ofArray(in);
        inoutArray = MemorySegment.ofArray(inout);
        inBytes = MemorySegment.ofArray(new byte[8 * count]);
        inoutBytes = MemorySegment.ofArray(new byte[8 * count]);
        inNative = Arena.ofAuto().allocate(8L * count, 8);
        inoutNative = Arena.ofAuto().allocate(8L * count, 8);
    }

    @Benchmark
    public double[] plainLoop() {
        for (int i = 0; i < in.length; i++) {
            inout[i] += in[i];
        }
        return inout;
    }

    @Benchmark
    public void sumOfArrays() {
        sum.apply(inArray, 0, inoutArray, 0, count);
    }

    @Benchmark
    public void maxOfArrays() {
        max.apply(inArray, 0, inoutArray, 0, count);
    }

    @Benchmark
    public void sumOfByteArrays() {
        sum.apply(inBytes, 0, inoutBytes, 0, count);
    }

    @Benchmark
    public void sumOfNative() {
        sum.apply(inNative, 0, inoutNative, 0, count);
    }

    @Benchmark
    public void sumOfNativeIntoArray() {
        sum.apply(inNative, 0, inoutArray, 0, count);
    }
}
