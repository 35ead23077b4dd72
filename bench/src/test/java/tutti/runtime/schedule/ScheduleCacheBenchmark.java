package tutti.runtime.schedule;

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
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.lifecycle.RankLifecycle;

/** Measures hits of the schedule cache, among a number of cached calls. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class ScheduleCacheBenchmark {

    /** Number of calls in the cache. */
    @Param({"1", "256"})
    public int entries;

    private final LocalChannel channel = LocalChannel.connected(1)[0];
    private final Call.Allreduce call = Allreduce.call();
    private final MemorySegment send = MemorySegment.ofArray(new long[1]);
    private final MemorySegment recv = MemorySegment.ofArray(new long[1]);
    private ScheduleCache cache;
    private long sequence;

    @Setup
    public void fill() {
        cache = new ScheduleCache(new ScheduleCache.Planner() {
            @Override
            public <C extends Call> Schedule plan(final Operation<C> operation, final C planned, final ScheduleCache.Choice choice) {
                return Allreduce.plan(0, 1);
            }

            @Override
            public ScheduleExecution newExecution(final Schedule schedule) {
                return new ScheduleExecution(schedule, channel, null, new RankLifecycle());
            }
        }, new PendingOperations());
        for (int i = 1; i < entries; i++) {
            cache.schedule(Operation.BCAST, new Call.Bcast(i, 0));
        }
        cache.schedule(Operation.ALLREDUCE, Allreduce.CALL);
    }

    /** Finds the schedule of a call. */
    @Benchmark
    public Schedule find() {
        return cache.schedule(Operation.ALLREDUCE, call);
    }

    /** Takes an execution, runs it on a single rank, and returns it. */
    @Benchmark
    public ScheduleExecution takeRunAndRelease() {
        final ScheduleExecution execution = cache.take(Operation.ALLREDUCE, call);
        execution.start(send, recv, ++sequence, null);
        cache.release(execution);
        return execution;
    }
}
