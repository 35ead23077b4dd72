package tutti.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tutti.coll.Operation;
import tutti.runtime.policy.LongRange;

/** {@code tutti explain}: runs a job that queries the selection, so the answer is that of a job with the same options. */
@Command(name = "explain", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Shows which module and algorithm serve a collective operation in a job with these options, and why others do not.",
        "With --plan, --dot, --svg or --png, shows the tasks of a call of the operation."})
final class ExplainCommand implements Callable<Integer> {
    /** Program in bundle {@code mpi.api}, which every node has. */
    private static final String PROGRAM = "tutti.mpi.programs.Explain";
    private static final String JSON = "--json";
    private static final String BYTES = "--bytes";
    private static final String GROUPS = "--groups";
    private static final String GROUP = "--group";
    private static final Pattern RANKS = Pattern.compile("\\d{1,9}(\\.\\.\\d{1,9})?(,\\d{1,9}(\\.\\.\\d{1,9})?)*");
    private static final long PLANNED_BYTES = 1024;

    @Mixin
    private JobOptions job;

    @Option(names = JSON, description = "print JSON")
    private boolean json;

    @Option(names = BYTES, paramLabel = "B", description = {"size of the call: 8, 64K, 1M; by default the selection for all sizes, or a plan for 1K;",
        "for gather, scatter, allgather, alltoall and reduce_scatter the size of all ranks' blocks together"})
    private String bytes;

    @Option(names = GROUPS, paramLabel = "A+B", converter = GroupSizes.Converter.class,
        description = "explain an intercommunicator of the first A ranks and B other ones, in place of MPI.COMM_WORLD; -n is A+B by default")
    private GroupSizes groups;
    @Option(names = GROUP, paramLabel = "RANKS", description = {"explain a communicator of these ranks of COMM_WORLD: 0..3,7; by default",
        "COMM_WORLD. It is served by modules that the nodes of these ranks hold"})
    private String group;

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
        for (final String name : operations) {
            job.refuse(Operation.values().stream().noneMatch(o -> o.id().equals(name)), "no such operation: " + name + ", known: "
                + Operation.values().stream().map(Operation::id).collect(Collectors.joining(", ")));
        }
        job.refuse(group != null && !RANKS.matcher(group).matches(), "invalid ranks: " + GROUP + " " + group + ", expected 0..3,7");
        plan.check(job, operations);
        job.refuse(group != null && plan.isWanted(), GROUP + " cannot be combined with plans: they are those of COMM_WORLD");
        if (plan.isWanted()) {
            return plan.show(job, operations.getFirst(), bytes == null ? PLANNED_BYTES : bytes(), json);
        }
        final List<String> args = new ArrayList<>(operations);
        if (bytes != null) {
            args.add(BYTES);
            args.add(Long.toString(bytes()));
        }
        if (groups != null) {
            args.add(GROUPS);
            args.add(Integer.toString(groups.first()));
        }
        if (group != null) {
            args.add(GROUP);
            args.add(group);
        }
        if (json) {
            args.add(JSON);
        }
        return job.run(new JobOptions.JobRequest("explain", args, 0, new RankOptions(), RunCluster.Tuning.START, null, null, null),
            () -> Program.builtIn(PROGRAM));
    }

    private long bytes() {
        LongRange size = null;
        try {
            size = LongRange.of(bytes);
        } catch (final IllegalArgumentException e) {
            job.refuse(true, "invalid size: " + BYTES + " " + bytes + ", expected 8, 64K, 1M or 2G");
        }
        job.refuse(size.min() != size.max(), "invalid size: " + BYTES + " " + bytes + ", expected 8, 64K, 1M or 2G");
        return size.min();
    }
}
