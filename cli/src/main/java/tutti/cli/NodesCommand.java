package tutti.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.listing.NodeRow;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeReport;

/** {@code tutti nodes}: lists the nodes of a cluster, which it may wait for. */
@Command(name = "nodes", mixinStandardHelpOptions = true, sortOptions = false, description = "Lists the nodes of a cluster.")
final class NodesCommand implements Runnable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    @Mixin
    private ListingOptions listing;

    @Option(names = "--wait", paramLabel = "N", description = "wait until N nodes are members; also for the daemon of --connect")
    private int wanted;

    @Option(names = "--timeout", paramLabel = "SECONDS", defaultValue = "60",
        description = "how long --wait waits, by default ${DEFAULT-VALUE}; the exit status is then 124")
    private double seconds;

    /** What the last look at the cluster found, in one line. */
    private volatile String found = "none";

    @Override
    public void run() {
        if (wanted == 0) {
            listing.print(listing.reports(), NodeRow::of, ClusterListing::nodes);
            return;
        }
        final long until = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        try (WaitMessages _ = new WaitMessages(() -> "waits for " + wanted + " nodes: " + found)) {
            while (!isComplete()) {
                if (System.nanoTime() - until >= 0) {
                    throw new CommandFailure(ExitStatus.TIMEOUT,
                        "there are not " + wanted + " nodes after " + Duration.ofMillis((long) (1000 * seconds))
                            .toSeconds() + " s: " + found);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Prints the nodes when there are as many as wanted; returns whether that is so. */
    private boolean isComplete() {
        try {
            final List<NodeReport> reports = listing.reports();
            if (reports.size() < wanted) {
                found = reports.stream().map(r -> r.node().name()).collect(Collectors.joining(", "));
                return false;
            }
            listing.print(reports, NodeRow::of, ClusterListing::nodes);
            return true;
        } catch (final CommandFailure e) {
            if (e.status() != ExitStatus.NO_CLUSTER) {
                throw e;
            }
            found = String.valueOf(e.getMessage());
            return false;
        }
    }
}
