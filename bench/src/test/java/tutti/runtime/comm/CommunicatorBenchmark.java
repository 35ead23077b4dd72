package tutti.runtime.comm;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import tutti.coll.advanced.ThreadLevel;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.host.JobRanks;
import tutti.runtime.job.JobSpec;

/**
 * Measures what a rank does to create a communicator and to free it, with one rank and module basic: a duplicate, which shares the selection of its
 * original, and a split, for which modules are selected.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class CommunicatorBenchmark {
    private Communicator world;

    @Setup
    public void init() {
        final JobSpec spec = new JobSpec("bench", new byte[16], List.of("n0"), List.of(0), 0, "none", List.of(), List.of());
        final JobRanks job = new JobRanks(spec, (node, reason) -> {}, (rank, status) -> {
            throw new IllegalStateException("abort: " + status);
        });
        job.setModules(Ranks.job(1, Map.of(), List.of(new BasicModule())));
        final Rank rank = job.local().getFirst();
        rank.init(ThreadLevel.MULTIPLE);
        world = rank.world();
    }

    /** Duplicates a communicator. */
    @Benchmark
    public Communicator dup() {
        final Communicator made = world.dup();
        made.free();
        return made;
    }

    /** Splits a communicator. */
    @Benchmark
    public Communicator split() {
        final Communicator made = world.split(0, 0);
        made.free();
        return made;
    }
}
