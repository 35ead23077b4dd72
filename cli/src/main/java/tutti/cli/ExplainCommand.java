package tutti.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tutti.daemon.monitor.ExplainProgram;

/** {@code tutti explain}: runs a job that queries the selection, so the answer is that of a job with the same options. */
@Command(name = "explain", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Shows which module and algorithm serve a collective operation in a job with these options, and why others do not.",
        "With --plan, --dot, --svg or --png, shows the tasks of a call of the operation."})
final class ExplainCommand implements Callable<Integer> {
    private static final String JSON = "--json";
    private static final String BYTES = "--bytes";
    private static final String GROUPS = "--groups";
    private static final String GROUP = "--group";
    private static final long PLANNED_BYTES = 1024;

    @Mixin
    private JobOptions job;

    @Option(names = JSON, description = "print JSON")
    private boolean json;

    @Option(names = BYTES, paramLabel = "B", description = {"size of the call: 8, 64K, 1M; by default the selection for all sizes, or a plan for 1K;",
        "for gather, scatter, allgather, alltoall and reduce_scatter the size of all ranks' blocks together"})
    private @Nullable String bytes;

    @Option(names = GROUPS, paramLabel = "A+B", converter = GroupSizes.Converter.class,
        description = "explain an intercommunicator of the first A ranks and B other ones, in place of MPI.COMM_WORLD; -n is A+B by default")
    private @Nullable GroupSizes groups;
    @Option(names = GROUP, paramLabel = "RANKS", description = {"explain a communicator of these ranks of COMM_WORLD: 0..3,7; by default",
        "COMM_WORLD. It is served by modules that the nodes of these ranks hold"})
    private @Nullable String group;

    @Mixin
    private PlanOptions plan;

    @Parameters(paramLabel = "OPERATION", description = "for example allreduce; by default all")
    private List<String> operations = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        if (groups != null) {
            job.setDefaultRanks(groups.ranks());
            job.refuse(plan.isWanted(), "no plan can be shown with " + GROUPS + ": plans are those of intracommunicators");
        }
        job.check(false);
        job.refuse(groups != null && groups.ranks() != job.ranks(), GROUPS + " " + groups + " needs as many ranks: -n " + job.ranks());
        final ExplainProgram program = program();
        plan.check(job, operations);
        job.refuse(group != null && plan.isWanted(), GROUP + " cannot be combined with plans: they are those of COMM_WORLD");
        if (plan.isWanted()) {
            return plan.show(job, operations.getFirst(), program.bytes() == null ? PLANNED_BYTES : program.bytes(), json);
        }
        return job.run(new JobOptions.JobRequest("explain", 0, new RankOptions(), RunCluster.Tuning.START, List.of(), null, null, null),
            () -> Program.builtIn(ExplainProgram.CLASS, program.arguments()));
    }

    private ExplainProgram program() {
        try {
            return new ExplainProgram(operations, bytes == null ? null : ExplainProgram.bytes(bytes), groups == null ? 0 : groups.first(), group,
                json);
        } catch (final IllegalArgumentException e) {
            throw job.refusal(e.getMessage());
        }
    }
}
