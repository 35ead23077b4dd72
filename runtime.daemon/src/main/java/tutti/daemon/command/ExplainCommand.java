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
import tutti.daemon.reading.Bytes;

/** {@code tutti explain}: runs a job that asks, so the answer is that of a job with the same options. */
@Command(name = "explain", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Says which module and algorithm serve a collective operation, and why not the others: what a job with these options gets.",
        "With --plan, --dot or --svg shows the tasks of a call of it."})
final class ExplainCommand implements Callable<Integer> {
    /** Bundle {@code mpi.api} has it, on every node. */
    private static final String PROGRAM = "tutti.mpi.programs.Explain";
    private static final String JSON = "--json";
    private static final long DEFAULT_BYTES = 1024;

    @Mixin
    private JobOptions job;

    @Option(names = JSON, description = "print JSON")
    private boolean json;

    @Option(names = "--bytes", paramLabel = "B", description = {"of the call that is planned, 64K or 1M for one; by default 1K:",
        "of the data of each rank, and of gather, scatter, allgather, alltoall and reduce_scatter in all their forms of one block"})
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
        job.refuse(!plan.isWanted() && bytes != null, "--bytes is for a plan: add --plan, --dot or --svg");
        if (plan.isWanted()) {
            return plan.show(job, operations.getFirst(), bytes(), json);
        }
        final List<String> args = new ArrayList<>(operations);
        if (json) {
            args.add(JSON);
        }
        return job.run(new JobOptions.Task("explain", args, 0, false, EmbeddedCluster.Tuning.START, null, null),
            () -> Program.builtIn(PROGRAM));
    }

    private long bytes() {
        try {
            return bytes == null ? DEFAULT_BYTES : Bytes.parse(bytes);
        } catch (final IllegalArgumentException e) {
            job.refuse(true, e.getMessage() + ": --bytes " + bytes);
            throw e;
        }
    }
}
