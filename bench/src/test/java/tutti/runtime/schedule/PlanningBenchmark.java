package tutti.runtime.schedule;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.coll.ring.RingModule;
import tutti.coll.tck.SingleRankComm;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

/** Measures planning: algorithms describe calls, and the plans are frozen into schedules. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class PlanningBenchmark {
    private static final Call.Allreduce LONG = new Call.Allreduce(Op.SUM.bind(Datatype.LONG), 1 << 20, false);

    /** Number of ranks. */
    @Param({"8", "64", "1024"})
    public int ranks;

    private static <C extends Call> Algorithm<C> first(final CollModule module, final Operation<C> operation) {
        final AlgorithmTable.Entry<C> entry = SingleRankComm.tableOf(module, new SingleRankComm(8, false)).intra(operation);
        return entry.algorithm();
    }

    private final Algorithm<Call.Allreduce> ring = first(new RingModule(), Operation.ALLREDUCE);
    private final Algorithm<Call.Alltoall> bruck = first(new DissemModule(), Operation.ALLTOALL);
    private final Algorithm<Call.Alltoall> linear = first(new BasicModule(), Operation.ALLTOALL);

    private <C extends Call> Schedule plan(final Algorithm<C> algorithm, final C call) {
        final PlanBuilder plan = new PlanBuilder(call, 1, ranks, false, ranks, PlanContext.NONE);
        algorithm.plan(call, plan);
        return plan.freeze();
    }

    private Call.Alltoall blocks() {
        return new Call.Alltoall(Blocks.uniform(ranks, 8), Blocks.uniform(ranks, 8), false);
    }

    /** A few tasks. */
    @Benchmark
    public Schedule allreduce() {
        return Allreduce.plan(1, ranks);
    }

    /** Thousands of tasks on segments of blocks. */
    @Benchmark
    public Schedule ringAllreduce() {
        return plan(ring, LONG);
    }

    /** Copies between many blocks. */
    @Benchmark
    public Schedule bruckAlltoall() {
        return plan(bruck, blocks());
    }

    /** Messages of which none depends on another one. */
    @Benchmark
    public Schedule linearAlltoall() {
        return plan(linear, blocks());
    }
}
