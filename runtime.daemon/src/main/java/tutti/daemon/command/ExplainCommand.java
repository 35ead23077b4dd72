package tutti.daemon.command;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tutti.coll.Operation;
import tutti.runtime.select.LongRange;

/** {@code tutti explain}: runs a job that asks, so the answer is that of a job with the same options. */
@Command(name = "explain", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Says which module and algorithm serve a collective operation, and why not the others: what a job with these options gets.",
        "With --plan, --dot or --svg shows the tasks of a call of it."})
final class ExplainCommand implements Callable<Integer> {
    /** Bundle {@code mpi.api} has it, on every node. */
    private static final String PROGRAM = "tutti.mpi.programs.Explain";
    private static final String JSON = "--json";
    private static final String BYTES = "--bytes";
    private static final long PLANNED_BYTES = 1024;

    @Mixin
    private JobOptions job;

    @Option(names = JSON, description = "print JSON")
    private boolean json;

    @Option(names = BYTES, paramLabel = "B", description = {"for calls of that size: 8, 64K, 1M; by default who serves which sizes is said,",
        "and 1K is planned; of gather, scatter, allgather, alltoall and reduce_scatter the blocks of all ranks together"})
    private String bytes;

    @Mixin
    private PlanOptions plan;

    @Parameters(paramLabel = "OPERATION", description = "allreduce for one; by default all")
    private List<String> operations = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        job.check(false);
        for (final String name : operations) {
            job.refuse(Operation.values().stream().noneMatch(o -> o.id().equals(name)), "no such operation: " + name + ", known: "
                + Operation.values().stream().map(Operation::id).collect(Collectors.joining(", ")));
        }
        plan.check(job, operations);
        if (plan.isWanted()) {
            return plan.show(job, operations.getFirst(), bytes == null ? PLANNED_BYTES : bytes(), json);
        }
        final List<String> args = new ArrayList<>(operations);
        if (bytes != null) {
            args.add(BYTES);
            args.add(Long.toString(bytes()));
        }
        if (json) {
            args.add(JSON);
        }
        return job.run(new JobOptions.JobRequest("explain", args, 0, false, EmbeddedCluster.Tuning.START, null, null),
            () -> Program.builtIn(PROGRAM));
    }

    private long bytes() {
        LongRange size = null;
        try {
            size = LongRange.of(bytes);
        } catch (final IllegalArgumentException e) {
            job.refuse(true, "no size: " + BYTES + " " + bytes + ", expected 8, 64K, 1M or 2G");
        }
        job.refuse(size.min() != size.max(), "no size: " + BYTES + " " + bytes + ", expected 8, 64K, 1M or 2G");
        return size.min();
    }
}
