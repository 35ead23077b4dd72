package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import tutti.runtime.lifecycle.RankLifecycle;

/** Measures executions of a cached schedule: an allreduce of 8 bytes on all ranks, whose mailboxes one thread serves. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class ExecutionBenchmark {

    /** Number of ranks. */
    @Param({"2", "8", "64"})
    public int ranks;

    private ScheduleExecution[] executions;
    private MemorySegment[] send;
    private MemorySegment[] recv;
    private long sequence;

    @Setup
    public void plan() {
        final LocalChannel[] channels = LocalChannel.connected(ranks);
        executions = new ScheduleExecution[ranks];
        send = new MemorySegment[ranks];
        recv = new MemorySegment[ranks];
        for (int r = 0; r < ranks; r++) {
            executions[r] = new ScheduleExecution(Allreduce.plan(r, ranks), channels[r], null, new RankLifecycle());
            send[r] = MemorySegment.ofArray(new long[] {r});
            recv[r] = MemorySegment.ofArray(new long[1]);
        }
    }

    @Benchmark
    public long allreduce() {
        sequence++;
        for (int r = 0; r < ranks; r++) {
            executions[r].start(send[r], recv[r], sequence, null);
        }
        return sequence;
    }

    @TearDown
    public void check() {
        for (int r = 0; r < ranks; r++) {
            final long sum = recv[r].get(ValueLayout.JAVA_LONG, 0);
            if (!executions[r].isReusable() || sum != ranks * (ranks - 1L) / 2) {
                throw new IllegalStateException("allreduce is wrong: rank=" + r + ", sum=" + sum);
            }
        }
    }
}
