package tutti.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tutti.cli.tune.Measurement;
import tutti.cli.tune.MeasurementsFile;
import tutti.cli.tune.TuneSetting;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.ModuleChange;
import tutti.runtime.job.Endpoint;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.RuleTable;

/** Cluster on which algorithms are measured, either started for this purpose or a running one. For one thread. */
final class TuneCluster implements AutoCloseable {
    private static final long JOB_LIMIT = TimeUnit.MINUTES.toMillis(30);
    private static final String TRANSPORT = "transport";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final @Nullable RunCluster embedded;
    private final Contact contact;
    private final RunRequest.Mapping map;
    private final Map<String, String> parameters;
    /** Number of ranks that share a JVM; 0 where all ranks of a node do. */
    private final int ranksPerJvm;
    private final int nodes;

    /** Consumer of measurements. */
    interface MeasurementConsumer {
        void accept(Measurement point) throws IOException;
    }

    private TuneCluster(final @Nullable RunCluster own, final Contact contact, final JobOptions.Mapping map,
        final Map<String, String> parameters, final int ranksPerJvm) {
        this.embedded = own;
        this.contact = contact;
        this.map = map.inProtocol();
        this.parameters = new LinkedHashMap<>(parameters);
        this.ranksPerJvm = ranksPerJvm;
        this.nodes = reports().size();
        if (ranksPerJvm > 0) {
            this.parameters.put(JobOptions.RANKS_PER_JVM, Integer.toString(ranksPerJvm));
        } else if (own != null && nodes > 1) {
            // they stand for hosts
            this.parameters.putIfAbsent(TRANSPORT, Endpoint.TCP);
        }
    }

    private List<NodeReport> reports() {
        try (Client client = Client.connect(contact)) {
            return client.ask(ClusterRequests::nodes);
        }
    }

    /** Starts a cluster on this machine. */
    static TuneCluster start(final int nodes, final JobOptions.Mapping map, final Map<String, String> parameters, final int ranksPerJvm) {
        final RunCluster own = RunCluster.start(nodes, RunCluster.Tuning.SPEED, List.of(), null);
        try {
            return new TuneCluster(own, own.join(), map, parameters, ranksPerJvm);
        } catch (final RuntimeException e) {
            own.close();
            throw e;
        }
    }

    /** Returns the running cluster of a daemon. */
    static TuneCluster at(final Contact contact, final JobOptions.Mapping map, final Map<String, String> parameters, final int ranksPerJvm) {
        final TuneCluster cluster = new TuneCluster(null, contact, map, parameters, ranksPerJvm);
        if (ranksPerJvm > 0 && cluster.nodes > 1) {
            throw new CommandFailure(ExitStatus.USAGE, "--ranks-per-jvm measures JVMs of one host, but the cluster has several: nodes="
                + cluster.nodes + ", connect to a daemon without others, or use --nodes 1");
        }
        return cluster;
    }

    /** Installs a module, without verification. */
    void install(final Path module) throws IOException {
        ChangeCommand.change(contact, ModuleChange.Kind.INSTALL, null, null, module, List.of(), false, false);
    }

    /** Returns the environment that measurements depend on. */
    MeasurementsFile.Environment environment() {
        final List<NodeReport> reports = reports();
        final List<String> modules = reports.stream().flatMap(n -> n.catalogue().modules().stream()).map(m -> m.name() + " " + m.version())
            .distinct().sorted().toList();
        return new MeasurementsFile.Environment(modules, reports.stream().mapToInt(n -> n.node().cores()).max().orElse(1),
            reports.getFirst().node().java());
    }

    /**
     * Returns what the cluster offers to a number of ranks, with at least one rank on each node; null where there are fewer ranks than nodes, or one
     * JVM would have them all although JVMs are measured.
     *
     * @param first number of ranks of the first group, for calls between two groups; otherwise 0
     */
    @Nullable
    TuneOffers offers(final int ranks, final int first, final List<String> operations, final SortedSet<Long> sizes)
        throws IOException, InterruptedException {
        if (ranks < nodes || ranksPerJvm >= ranks) {
            return null;
        }
        final StringBuilder json = new StringBuilder();
        run(ranks, "tutti.mpi.programs.Explain", first == 0 ? List.of("--json") : List.of("--json", "--groups", Integer.toString(first)), parameters,
            text -> json.append(text).append('\n'));
        return TuneOffers.of(this, ranks, first, nodes, ranksPerJvm, JSON.readTree(json.toString()), operations, sizes);
    }

    /** Runs a job and reads its measurements. A measurement of another algorithm than the requested one is ignored. */
    void run(final TuneJob job, final double millis, final MeasurementConsumer consumer) throws IOException, InterruptedException {
        final Map<String, String> requested = new LinkedHashMap<>(parameters);
        // the JVMs of a node are warm, those that a job starts are not
        final List<String> args = new ArrayList<>(List.of(Double.toString(millis), Integer.toString(job.first()), ranksPerJvm > 0 ? "2" : "1"));
        for (final TuneJob.Task t : job.tasks()) {
            requested.put("coll." + t.setting().operation(), t.algorithm());
            args.add(t.setting().operation() + ":" + t.setting().bytes());
        }
        run(job.ranks(), "tutti.mpi.programs.Tune", args, requested, text -> {
            final String[] words = text.split(" ");
            final TuneSetting setting = new TuneSetting(words[0], job.ranks(), job.first(), nodes, ranksPerJvm,
                Long.parseLong(words[2]));
            final AlgorithmRef served = AlgorithmRef.of(words[1]);
            final String wanted = requested.get("coll." + setting.operation());
            if (wanted != null && served.equals(AlgorithmRef.of(wanted))) {
                consumer.accept(new Measurement(setting, served.toString(), Double.parseDouble(words[3])));
            }
        });
    }

    private void run(final int ranks, final String program, final List<String> args, final Map<String, String> params,
        final LineSplitter.LineConsumer consumer)
        throws IOException, InterruptedException {
        try (Client client = Client.connect(contact); LineSplitter splitter = new LineSplitter(consumer)) {
            final JobConsole console = new JobConsole(client, new RankOptions(), splitter, null);
            final int status = console.follow(new RunRequest(ranks, map, List.of(), program, args, List.of(), params,
                RuleTable.NONE, JOB_LIMIT, "tune", System.getProperty("user.name"), Map.of(), false, false, null), List.of());
            if (status != ExitStatus.OK) {
                throw new CommandFailure(status, "measuring job failed: ranks=" + ranks + ", nodes=" + nodes + ", parameters=" + params
                    + "; earlier measurements are kept");
            }
        }
    }

    @Override
    public void close() {
        if (embedded != null) {
            embedded.close();
        }
    }
}
