package tutti.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import tutti.cli.tune.Measurement;
import tutti.cli.tune.MeasurementsFile;
import tutti.cli.tune.TuneSetting;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.runtime.policy.RuleTable;

/** Cluster on which algorithms are measured, either started for this purpose or a running one. For one thread. */
final class TuneCluster implements AutoCloseable {
    /** Operations that can be measured. */
    static final List<String> MEASURED = List.of("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast",
        "exscan", "gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv");
    private static final List<String> BLOCK_OPERATIONS = List.of("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "gather", "gatherv",
        "reduce_scatter", "reduce_scatter_block", "scatter", "scatterv");
    /** Size that is measured for operations whose rules cannot depend on the size. */
    private static final long TYPICAL_BYTES = 8192;
    private static final long JOB_LIMIT = TimeUnit.MINUTES.toMillis(30);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final EmbeddedCluster embedded;
    private final HostPort address;
    private final boolean cyclic;
    private final Map<String, String> parameters;
    private final int nodes;

    /** Consumer of measurements. */
    interface MeasurementConsumer {
        void accept(Measurement point) throws IOException;
    }

    private TuneCluster(final EmbeddedCluster own, final HostPort address, final JobOptions.Mapping map, final Map<String, String> parameters) {
        this.embedded = own;
        this.address = address;
        this.cyclic = map == JobOptions.Mapping.CYCLIC;
        this.parameters = parameters;
        this.nodes = reports().size();
    }

    private List<NodeReport> reports() {
        try (Client client = Client.connect(address)) {
            return client.ask(new Message.Describe(), Message.ClusterState.class).nodes();
        }
    }

    /** Starts a cluster on this machine. */
    static TuneCluster start(final int nodes, final JobOptions.Mapping map, final Map<String, String> parameters) {
        final EmbeddedCluster own = EmbeddedCluster.start(nodes, EmbeddedCluster.Tuning.SPEED);
        try {
            return new TuneCluster(own, own.join(), map, parameters);
        } catch (final RuntimeException e) {
            own.close();
            throw e;
        }
    }

    /** Returns the running cluster of the daemon at an address. */
    static TuneCluster at(final HostPort address, final JobOptions.Mapping map, final Map<String, String> parameters) {
        return new TuneCluster(null, address, map, parameters);
    }

    /** Installs a module, without verification. */
    void install(final Path module) throws IOException {
        ChangeCommand.change(address, ModuleChange.Kind.INSTALL, null, null, module, List.of(), false);
    }

    /** Returns the environment that measurements depend on. */
    MeasurementsFile.Environment environment() {
        final List<NodeReport> reports = reports();
        final List<String> modules = reports.stream().flatMap(n -> n.catalogue().modules().stream()).map(m -> m.name() + " " + m.version())
            .distinct().sorted().toList();
        return new MeasurementsFile.Environment(modules, reports.stream().mapToInt(n -> n.node().cores()).max().orElse(1),
            reports.getFirst().node().java());
    }

    /** Returns jobs that measure all algorithms: each job measures the next algorithm of every operation. */
    List<TuneJob> jobs(final int ranks, final List<String> operations, final SortedSet<Long> sizes) throws IOException, InterruptedException {
        final List<TuneJob> jobs = new ArrayList<>();
        if (ranks < nodes) {
            return jobs;
        }
        final Map<String, List<String>> offers = offers(ranks);
        offers.keySet().retainAll(operations.isEmpty() ? MEASURED : operations);
        final int count = offers.values().stream().mapToInt(List::size).max().orElse(0);
        for (int k = 0; k < count; k++) {
            final List<TuneJob.Task> tasks = new ArrayList<>();
            for (final Map.Entry<String, List<String>> o : offers.entrySet()) {
                if (k < o.getValue().size()) {
                    for (final long bytes : sizesOf(o.getKey(), ranks, sizes)) {
                        tasks.add(new TuneJob.Task(new TuneSetting(o.getKey(), ranks, nodes, bytes), o.getValue().get(k)));
                    }
                }
            }
            jobs.add(new TuneJob(this, ranks, tasks));
        }
        return jobs;
    }

    private static List<Long> sizesOf(final String operation, final int ranks, final SortedSet<Long> sizes) {
        if (operation.equals("barrier")) {
            return List.of(0L);
        }
        final long min = BLOCK_OPERATIONS.contains(operation) ? (long) ranks * Double.BYTES : Double.BYTES;
        return TuneSetting.hasSizes(operation) ? sizes.stream().filter(s -> s >= min).toList() : List.of(Math.max(min, TYPICAL_BYTES));
    }

    private Map<String, List<String>> offers(final int ranks) throws IOException, InterruptedException {
        final StringBuilder json = new StringBuilder();
        run(ranks, "tutti.mpi.programs.Explain", List.of("--json"), parameters, text -> json.append(text).append('\n'));
        final Map<String, List<String>> offers = new LinkedHashMap<>();
        for (final JsonNode o : JSON.readTree(json.toString())) {
            final List<String> names = new ArrayList<>();
            o.get("offers").forEach(n -> names.add(n.asText()));
            offers.put(o.get("operation").asText(), names);
        }
        return offers;
    }

    /** Runs a job and reads its measurements. A measurement of another algorithm than the requested one is ignored. */
    void run(final TuneJob job, final double millis, final MeasurementConsumer consumer) throws IOException, InterruptedException {
        final Map<String, String> requested = new LinkedHashMap<>(parameters);
        final List<String> args = new ArrayList<>(List.of(Double.toString(millis)));
        for (final TuneJob.Task t : job.tasks()) {
            requested.put("coll." + t.setting().operation(), t.algorithm());
            args.add(t.setting().operation() + ":" + t.setting().bytes());
        }
        run(job.ranks(), "tutti.mpi.programs.Tune", args, requested, text -> {
            final String[] words = text.split(" ");
            final TuneSetting setting = new TuneSetting(words[0], job.ranks(), nodes, Long.parseLong(words[2]));
            if (Objects.equals(requested.get("coll." + setting.operation()), words[1])) {
                consumer.accept(new Measurement(setting, words[1], Double.parseDouble(words[3])));
            }
        });
    }

    private void run(final int ranks, final String program, final List<String> args, final Map<String, String> params,
        final LineSplitter.LineConsumer consumer)
        throws IOException, InterruptedException {
        try (Client client = Client.connect(address); LineSplitter splitter = new LineSplitter(consumer)) {
            final JobConsole console = new JobConsole(client, false, splitter, null);
            final int status = console.follow(new Message.Run(ranks, cyclic, program, args, List.of(), params, RuleTable.NONE,
                JOB_LIMIT, "tune", System.getProperty("user.name")), List.of());
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
