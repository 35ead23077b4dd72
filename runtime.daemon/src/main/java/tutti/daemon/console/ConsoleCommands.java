package tutti.daemon.console;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.control.NodeService;
import tutti.daemon.listing.CheckpointRow;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.listing.Diagnosis;
import tutti.daemon.listing.ModuleRow;
import tutti.daemon.listing.NodeInfoRow;
import tutti.daemon.listing.NodeRow;
import tutti.daemon.monitor.ExplainProgram;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Reply;

/**
 * Commands of scope {@code tutti} in a Gogo console of a node's container. They take the arguments of the commands of the same name on the command
 * line, without {@code --connect}. Gogo finds them by the service properties; this class does not depend on Gogo. Safe for any thread; commands
 * block.
 */
@Component(service = ConsoleCommands.class, property = {"osgi.command.scope=tutti", "osgi.command.function=nodes",
    "osgi.command.function=modules", "osgi.command.function=ps", "osgi.command.function=jobs", "osgi.command.function=info",
    "osgi.command.function=doctor", "osgi.command.function=cancel", "osgi.command.function=checkpoints", "osgi.command.function=explain"})
public final class ConsoleCommands {
    private static final String JSON = "--json";
    private static final String ALL = "--all";
    private static final String RANKS = "--ranks";
    private static final String REMOVE = "--remove";
    private static final ConsoleArguments.Syntax PS =
        new ConsoleArguments.Syntax("tutti:ps [--all] [--json] | tutti:ps JOB --ranks [--json]", 1, JSON, ALL, RANKS);
    private static final ConsoleArguments.Syntax CANCEL = new ConsoleArguments.Syntax("tutti:cancel JOB", 1);
    private static final ConsoleArguments.Syntax CHECKPOINTS =
        new ConsoleArguments.Syntax("tutti:checkpoints [--json] | tutti:checkpoints --remove SERIES", 0, Set.of(JSON), Set.of(REMOVE));
    private static final ConsoleArguments.Syntax EXPLAIN = new ConsoleArguments.Syntax(
        "tutti:explain [OPERATION...] [-n RANKS] [--bytes B] [--group RANKS] [-p NAME=VALUE]... [--json]", Integer.MAX_VALUE, Set.of(JSON),
        Set.of("-n", "--bytes", "--group", "-p"));

    private final NodeService node;

    /** Creates the commands of a node. */
    @Activate
    public ConsoleCommands(@Reference(name = "node") final NodeService node) {
        this.node = node;
    }

    private static boolean isJson(final String command, final String... args) {
        return new ConsoleArguments.Syntax("tutti:" + command + " [--json]", 0, JSON).read(args).has(JSON);
    }

    private static String json(final Object rows) {
        return MessageCodec.pretty(rows) + "\n";
    }

    /** Lists the nodes of the cluster. */
    public String nodes(final String... args) {
        final boolean isJson = isJson("nodes", args);
        final List<NodeReport> reports = node.reports();
        return isJson ? json(NodeRow.of(reports)) : ClusterListing.nodes(reports);
    }

    /** Lists the modules, and the nodes that have them. */
    public String modules(final String... args) {
        final boolean isJson = isJson("modules", args);
        final List<NodeReport> reports = node.reports();
        return isJson ? json(ModuleRow.of(reports)) : ClusterListing.modules(reports);
    }

    /**
     * Lists the jobs; with {@code --all} those that have ended too, with a job and {@code --ranks} what its ranks do.
     *
     * @throws IOException when the answer of another node cannot be read
     */
    public String ps(final String... args) throws IOException {
        final ConsoleArguments given = PS.read(args);
        final boolean hasJob = !given.operands().isEmpty();
        if (hasJob != given.has(RANKS) || hasJob && given.has(ALL)) {
            throw PS.wrong("a job goes with --ranks, and with --json at most");
        }
        if (hasJob) {
            final String job = given.operands().getFirst();
            final JobActivity ranks = node.ranks(job);
            if (ranks == null) {
                // Cause: it has ended, or the id is another one.
                throw new IllegalArgumentException("no such job: id=" + job + "; list them with: tutti:ps");
            }
            return given.has(JSON) ? json(ranks) : ranks.text() + "\n";
        }
        if (given.has(ALL)) {
            final List<JobRecord> all = node.histories();
            return given.has(JSON) ? json(all) : ClusterListing.history(all);
        }
        final List<NodeReport> reports = node.reports();
        return given.has(JSON) ? json(reports.stream().flatMap(r -> r.jobs().stream()).toList()) : ClusterListing.jobs(reports);
    }

    /**
     * The same as {@link #ps}.
     *
     * @throws IOException when the answer of another node cannot be read
     */
    public String jobs(final String... args) throws IOException {
        return ps(args);
    }

    /** Shows the versions, load and modules of each node. */
    public String info(final String... args) {
        final boolean isJson = isJson("info", args);
        final List<NodeInfoRow> rows = NodeInfoRow.of(node.reports());
        return isJson ? json(rows) : ClusterListing.info(rows);
    }

    /**
     * Examines the nodes.
     *
     * @throws IOException when the answer of another node cannot be read
     */
    public String doctor(final String... args) throws IOException {
        final boolean isJson = isJson("doctor", args);
        final List<NodeReport> reports = node.reports();
        final long from = System.currentTimeMillis();
        final Diagnosis diagnosis = Diagnosis.of(reports, node.examine(), from, System.currentTimeMillis());
        return isJson ? json(diagnosis.findings()) : diagnosis.text();
    }

    /** Ends a job. */
    public String cancel(final String... args) {
        final ConsoleArguments given = CANCEL.read(args);
        if (given.operands().isEmpty()) {
            throw CANCEL.wrong("missing job");
        }
        final String job = given.operands().getFirst();
        if (!node.cancel(job)) {
            throw new IllegalArgumentException("no such job: id=" + job + "; list them with: tutti:ps");
        }
        return "";
    }

    /**
     * Lists the checkpoints that the nodes keep, or removes those of a series.
     *
     * @throws IOException when the answer of another node cannot be read
     */
    public String checkpoints(final String... args) throws IOException {
        final ConsoleArguments given = CHECKPOINTS.read(args);
        final String series = given.value(REMOVE);
        if (series != null && given.has(JSON)) {
            throw CHECKPOINTS.wrong("--remove and --json exclude each other");
        }
        if (series != null) {
            final Reply reply = node.removeCheckpoints(series);
            if (reply.status() != ExitStatus.OK) {
                throw new IllegalArgumentException(reply.text());
            }
            return "";
        }
        final List<CheckpointRow> rows = CheckpointRow.of(node.checkpointsHeld());
        return given.has(JSON) ? json(rows) : ClusterListing.checkpoints(rows);
    }

    /**
     * Shows which modules a job on all nodes would have, and why it would not have the others; with operations, which module and algorithm serve them
     * in a job with these options, and why.
     *
     * @throws IOException with one line that says why the job failed that finds out
     */
    public String explain(final String... args) throws IOException, InterruptedException {
        final ConsoleArguments given = EXPLAIN.read(args);
        if (given.operands().isEmpty() && given.options().isEmpty()) {
            return ClusterListing.agreement(node.reports());
        }
        final String bytes = given.value("--bytes");
        final ExplainProgram program =
            new ExplainProgram(given.operands(), bytes == null ? null : ExplainProgram.bytes(bytes), 0, given.value("--group"), given.has(JSON));
        return new String(node.explain(program, ranks(given), parameters(given), "console"), StandardCharsets.UTF_8);
    }

    private static int ranks(final ConsoleArguments given) {
        final String text = given.value("-n");
        if (text == null) {
            return 0;
        }
        if (!text.matches("[1-9]\\d{0,6}")) {
            throw EXPLAIN.wrong("not a number of ranks: -n " + text);
        }
        return Integer.parseInt(text);
    }

    private static Map<String, String> parameters(final ConsoleArguments given) {
        final Map<String, String> parameters = new HashMap<>();
        for (final String text : given.values("-p")) {
            final int equals = text.indexOf('=');
            if (equals < 1) {
                throw EXPLAIN.wrong("not a parameter: -p " + text + ", expected NAME=VALUE");
            }
            parameters.put(text.substring(0, equals), text.substring(equals + 1));
        }
        return parameters;
    }
}
