package tutti.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.monitor.ClusterRequests;

/** {@code tutti ps}: lists the jobs of a cluster, those that have ended too, or what the ranks of one do. */
@Command(name = "ps", mixinStandardHelpOptions = true, description = "Lists the jobs of a cluster, or what the ranks of a job do.")
final class PsCommand implements Runnable {
    @Mixin
    private ListingOptions listing;

    @Parameters(paramLabel = "JOB", arity = "0..1", description = "with --ranks: the job's id, as tutti ps shows it")
    private @Nullable String job;

    @Option(names = "--ranks", description = "print what each rank of the job does: whether it computes or waits, in which call, for whom, how long, "
        + "at which line of the program; and messages that nobody has received")
    private boolean ranks;

    @Option(names = "--all", description = "list jobs that have ended too, as many as their nodes keep: when they began, how long they ran, their "
        + "exit status and the reason")
    private boolean all;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        if (all && job != null) {
            throw new ParameterException(spec.commandLine(), "--all and a job exclude each other");
        }
        if (ranks != (job != null)) {
            throw new ParameterException(spec.commandLine(), ranks ? "missing job: tutti ps JOB --ranks; list jobs with: tutti ps"
                : "a job is given without --ranks: " + job);
        }
        if (all) {
            listing.printAnswer(ClusterRequests::jobs, ClusterListing::history);
            return;
        }
        final String inspected = job;
        if (inspected != null) {
            listing.printAnswer(daemon -> daemon.ranks(inspected), activity -> activity.text() + "\n");
            return;
        }
        listing.print(reports -> reports.stream().flatMap(r -> r.jobs().stream()).toList(), ClusterListing::jobs);
    }
}
