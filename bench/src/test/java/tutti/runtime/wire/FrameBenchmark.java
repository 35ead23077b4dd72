package tutti.runtime.wire;

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

/** Measures the header of a frame between nodes: it is written and all its fields are read. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class FrameBenchmark {

    private final byte[] header = new byte[Frame.HEADER];
    private final MemorySegment memory = MemorySegment.ofArray(header);
    private int tag;

    @Benchmark
    public long writeAndRead() {
        Frame.write(header, Frame.EAGER, 1, 2, 3, ++tag, 8, 5);
        return Frame.kind(memory, 0) + Frame.destination(memory, 0) + Frame.context(memory, 0) + Frame.source(memory, 0) + Frame.tag(memory, 0)
            + Frame.bytes(memory, 0) + Frame.id(memory, 0) + Frame.call(memory, 0);
    }
}
