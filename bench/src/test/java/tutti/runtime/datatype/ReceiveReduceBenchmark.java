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

/**
 * Measures what a task that receives and reduces in one step would save: the frames of a message are copied to scratch memory, which is then reduced,
 * as
 * plans do today, or each frame is reduced where it arrived. The frames pass through one buffer, as those of a link do.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ReceiveReduceBenchmark {
    /** The length of a frame of TCP in bytes. */
    private static final int FRAME = 48 * 1024;

    /** Length of the message in bytes. */
    @Param({"1024", "65536", "1048576", "16777216"})
    public int bytes;

    private final BoundReduction sum = Op.SUM.bind(Datatype.DOUBLE);
    private MemorySegment frame;
    private MemorySegment scratch;
    private MemorySegment into;

    @Setup
    public void allocate() {
        frame = Arena.ofAuto().allocate(FRAME, 8);
        scratch = sum.newMemory(bytes);
        into = sum.newMemory(bytes);
    }

    /** The message is received into scratch memory; then it is reduced. */
    @Benchmark
    public void receiveThenReduce() {
        for (int at = 0; at < bytes; at += FRAME) {
            MemorySegment.copy(frame, 0, scratch, at, Math.min(FRAME, bytes - at));
        }
        sum.apply(scratch, 0, into, 0, bytes / 8);
    }

    /** As before, but the message has segments of a frame, each reduced as soon as it has arrived: what a plan with segments does. */
    @Benchmark
    public void receiveThenReduceBySegments() {
        for (int at = 0; at < bytes; at += FRAME) {
            final int length = Math.min(FRAME, bytes - at);
            MemorySegment.copy(frame, 0, scratch, 0, length);
            sum.apply(scratch, 0, into, at, length / 8);
        }
    }

    /** Each frame is reduced where it arrived. */
    @Benchmark
    public void receiveReduce() {
        for (int at = 0; at < bytes; at += FRAME) {
            sum.apply(frame, 0, into, at, Math.min(FRAME, bytes - at) / 8);
        }
    }
}
