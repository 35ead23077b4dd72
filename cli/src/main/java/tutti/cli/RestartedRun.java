package tutti.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;

/**
 * Run of a job that continues from its last checkpoint when a node is lost, or from the beginning if it has none. The command then talks to another
 * node, if its own is the lost one.
 */
final class RestartedRun {
    /** Parameter of the command: how often the job is continued. */
    static final String PARAMETER = "restart";

    /** How long the command looks for a node when none lives: somebody may start one again. */
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_MILLIS = 200;

    /** Runs a job once. */
    @FunctionalInterface
    interface Attempt {
        /**
         * Runs the job to its end.
         *
         * @param client   connection to a node
         * @param nodes    names of the nodes on which ranks are placed; empty for all
         * @param restart  checkpoint from which the job continues; null for none
         * @param accepted receives the id of the job
         * @return its exit status
         */
        int run(Client client, List<String> nodes, @Nullable String restart, Consumer<String> accepted) throws IOException, InterruptedException;
    }

    private final Client first;
    private final int restarts;
    private final List<String> targets;
    private @Nullable String restart;
    /** The series of the job's checkpoints: the id of the first job; null before it is accepted. */
    private @Nullable String series;

    /**
     * Creates a run.
     *
     * @param restarts how often the job is continued
     * @param targets  names of the nodes on which ranks are placed; empty for all
     * @param restart  checkpoint from which the job continues at first; null for none
     */
    RestartedRun(final Client first, final int restarts, final List<String> targets, final @Nullable String restart) {
        this.first = first;
        this.restarts = restarts;
        this.targets = targets;
        this.restart = restart;
        this.series = restart == null ? null : restart.split("/", 2)[0];
    }

    /** Runs the job; returns its exit status. */
    int run(final Attempt attempt) throws IOException, InterruptedException {
        if (restarts == 0) {
            return attempt.run(first, targets, restart, job -> {
                // nobody continues it
            });
        }
        final List<NodeInfo> known = members(first);
        List<String> nodes = targets;
        Client client = first;
        int done = 0;
        try {
            while (true) {
                final int status = attempt(attempt, client, nodes);
                if (status != ExitStatus.NO_CLUSTER || done == restarts) {
                    return status;
                }
                done++;
                if (client != first) {
                    client.close();
                }
                client = reconnect(known);
                final List<String> alive = members(client).stream().map(NodeInfo::name).toList();
                nodes = targets.stream().filter(alive::contains).toList();
                restart = hasCheckpoint(client) ? series : null;
                System.err
                    .println("tutti: restart " + done + " of " + restarts + ": " + (restart == null ? "the job has no checkpoint and begins anew"
                        : "the job continues from the last checkpoint of " + series) + ", nodes=" + String.join(",", alive));
            }
        } finally {
            if (client != first) {
                client.close();
            }
        }
    }

    private int attempt(final Attempt attempt, final Client client, final List<String> nodes) throws IOException, InterruptedException {
        try {
            return attempt.run(client, nodes, restart, job -> series = series == null ? job : series);
        } catch (final CommandFailure e) {
            if (e.status() != ExitStatus.NO_CLUSTER || series == null) {
                throw e;
            }
            System.err.println("tutti: " + e.getMessage());
            return e.status();
        }
    }

    private static List<NodeInfo> members(final Client client) {
        return client.ask(ClusterRequests::nodes).stream().map(r -> r.node()).toList();
    }

    /**
     * Connects to a node all of whose members answer, so that none of them is a lost one that it has not noticed yet. Waits as long as a node of the
     * cluster lives.
     */
    private Client reconnect(final List<NodeInfo> known) throws InterruptedException {
        final Map<String, String> failures = new ConcurrentSkipListMap<>();
        try (WaitMessages _ = new WaitMessages(() -> "job waits for a node that continues it: " + failures)) {
            long lived = System.nanoTime();
            while (System.nanoTime() - lived < LIMIT_NANOS) {
                for (final NodeInfo node : known) {
                    try {
                        final Client client = connect(node);
                        lived = System.nanoTime();
                        final String failure = failure(client);
                        if (failure == null) {
                            return client;
                        }
                        client.close();
                        failures.put(node.name(), failure);
                    } catch (final CommandFailure e) {
                        failures.put(node.name(), String.valueOf(e.getMessage()));
                    }
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
        throw new CommandFailure(ExitStatus.NO_CLUSTER, "the job cannot be continued, since no node of the cluster lives: " + failures);
    }

    private Client connect(final NodeInfo node) {
        return Client.connect(new Contact(node.address(), first.contact().secret()));
    }

    /** Returns why the node of a client cannot start the job now; null if it can. */
    private @Nullable String failure(final Client client) {
        try {
            return members(client).stream().filter(m -> !answers(m)).findFirst()
                .map(m -> "it has not noticed yet that " + m.name() + " is lost").orElse(null);
        } catch (final CommandFailure e) {
            return e.getMessage();
        }
    }

    private boolean answers(final NodeInfo node) {
        try {
            connect(node).close();
            return true;
        } catch (final CommandFailure e) {
            return false;
        }
    }

    private boolean hasCheckpoint(final Client client) {
        return client.ask(ClusterRequests::checkpoints).stream().anyMatch(c -> c.complete() && c.series().equals(series));
    }
}
