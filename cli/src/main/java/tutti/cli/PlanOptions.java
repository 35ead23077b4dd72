package tutti.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.MessageCodec;
import tutti.pictures.Drawing;
import tutti.pictures.schedule.PlanDot;
import tutti.pictures.schedule.PlanPicture;
import tutti.pictures.schedule.PlanText;
import tutti.runtime.introspect.RankPlan;

/** Options of {@code tutti explain} that request the plan of a call: which call, and in which formats. */
final class PlanOptions {
    /** Program in bundle {@code mpi.api}, which every node has. */
    private static final String PROGRAM = "tutti.mpi.programs.ExplainPlan";
    /** Maximum number of tasks in a listing. */
    private static final int MAX_LISTED = 100_000;
    /** Maximum number of tasks in a graph. */
    private static final int MAX_IN_GRAPH = 3_000;
    private static final String STANDARD_OUTPUT = "-";

    @Option(names = "--plan", description = "print the tasks of every rank's schedule for a call of OPERATION")
    private boolean plan;

    @Option(names = "--rank", paramLabel = "R", description = "with a plan: only the tasks of that rank")
    private @Nullable Integer rank;

    @Option(names = "--root", paramLabel = "R", description = "with a plan: the root of the call, by default 0")
    private @Nullable Integer root;

    @Option(names = "--dot", paramLabel = "FILE", description = "write the plan as a graph for Graphviz; - is standard output")
    private @Nullable String dot;

    @Option(names = "--svg", paramLabel = "FILE", description = {"write a picture of the plan; - is standard output. Where arrows would cover it,",
        "ranks of a node with similar tasks share a lane"})
    private @Nullable String svg;

    @Option(names = "--png", paramLabel = "FILE", description = "write the same picture as PNG")
    private @Nullable String png;

    @Option(names = "--lanes", paramLabel = "auto|ranks", defaultValue = "auto",
        description = "with a picture: ranks gives each rank a lane, however many arrows there are; by default ${DEFAULT-VALUE}")
    private Lanes lanes;

    /** Values of option {@code --lanes}. */
    private enum Lanes {
        AUTO, RANKS
    }

    /** Returns whether a plan is requested. */
    boolean isWanted() {
        return plan || dot != null || svg != null || png != null;
    }

    /** Checks the options before anything is started. */
    void check(final JobOptions job, final List<String> operations) {
        job.refuse(!isWanted() && (rank != null || root != null), "--rank and --root are for a plan: add --plan, --dot, --svg or --png");
        if (isWanted()) {
            job.refuse(operations.size() != 1, "a plan needs exactly one operation: operations=" + operations.size());
            job.refuse(operations.getFirst().startsWith("neighbor_"), "no plan can be shown of "
                + operations.getFirst() + ": it depends on the topology of the communicator");
            checkRank(job, "--rank", rank, job.ranks());
            checkRank(job, "--root", root, job.ranks());
            job.refuse(root != null && !Call.Rooted.class.isAssignableFrom(Operation.of(operations.getFirst()).callType()),
                operations.getFirst() + " has no root: --root " + root);
            checkFile(job, "--dot", dot);
            checkFile(job, "--svg", svg);
            checkFile(job, "--png", png);
            job.refuse(STANDARD_OUTPUT.equals(png), "standard output takes no PNG: give --png a file");
            job.refuse(Stream.of(plan ? STANDARD_OUTPUT : "", dot, svg).filter(STANDARD_OUTPUT::equals).count() > 1,
                "standard output can take one of --plan, --dot - and --svg -: give the others a file");
        }
    }

    private static void checkRank(final JobOptions job, final String option, final @Nullable Integer value, final int ranks) {
        job.refuse(value != null && (value < 0 || value >= ranks), "rank out of range: " + option + " " + value
            + (ranks == Integer.MAX_VALUE ? ", min=0" : ", range=0.." + (ranks - 1)));
    }

    private static void checkFile(final JobOptions job, final String option, final @Nullable String file) {
        job.checkOutput(option, STANDARD_OUTPUT.equals(file) ? null : file);
    }

    /** Requests the plan and shows it. */
    int show(final JobOptions job, final String operation, final long bytes, final boolean json) throws IOException, InterruptedException {
        final List<String> args = List.of(operation, Long.toString(bytes), Integer.toString(root == null ? 0 : root),
            Integer.toString(rank == null ? -1 : rank), Integer.toString(MAX_LISTED));
        final ByteArrayOutputStream output = new ByteArrayOutputStream();
        final int status = job.run(new JobOptions.JobRequest("explain", 0, new RankOptions(), RunCluster.Tuning.START, List.of(), output, null, null),
            () -> Program.builtIn(PROGRAM, args));
        if (status == ExitStatus.OK) {
            final List<RankPlan> plans = List.of(MessageCodec.read(output.toByteArray(), RankPlan[].class));
            checkRank(job, "--rank", rank, plans.getFirst().size());
            checkRank(job, "--root", root, plans.getFirst().size());
            show(plans, json);
        }
        return status;
    }

    private void show(final List<RankPlan> plans, final boolean json) throws IOException {
        if (plan) {
            System.out.print(json ? MessageCodec.pretty(plans) + "\n" : PlanText.of(plans));
        }
        if (dot != null) {
            checkSize(tasks(plans), MAX_IN_GRAPH);
            write("--dot", dot, () -> PlanDot.of(plans).getBytes(StandardCharsets.UTF_8));
        }
        if (svg != null || png != null) {
            checkSize(tasks(plans), MAX_LISTED);
            final Drawing picture = lanes == Lanes.RANKS ? PlanPicture.ofRanks(plans) : PlanPicture.of(plans);
            write("--svg", svg, () -> picture.svg().getBytes(StandardCharsets.UTF_8));
            write("--png", png, picture::png);
        }
    }

    private static long tasks(final List<RankPlan> plans) {
        return plans.stream().mapToLong(RankPlan::total).sum();
    }

    private static void checkSize(final long tasks, final int max) {
        if (tasks > max) {
            throw new CommandFailure(ExitStatus.USAGE, "plan is too large to be drawn: tasks=" + tasks + ", max=" + max
                + "; draw one rank with --rank R, or fewer with -n");
        }
    }

    /** Content of a file. */
    private interface FileContent {
        byte[] bytes() throws IOException;
    }

    private static void write(final String option, final @Nullable String file, final FileContent content) {
        if (file == null) {
            return;
        }
        try {
            if (file.equals(STANDARD_OUTPUT)) {
                System.out.print(new String(content.bytes(), StandardCharsets.UTF_8));
            } else {
                Files.write(OutputFile.withFolder(Path.of(file)), content.bytes());
            }
        } catch (final IOException e) {
            throw OutputFile.failure(ExitStatus.USAGE, option, file, e);
        }
    }
}
