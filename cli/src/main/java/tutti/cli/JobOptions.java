package tutti.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.rules.InvalidRulesException;
import tutti.daemon.rules.RulesFile;
import tutti.daemon.security.ClusterSecret;
import tutti.runtime.model.BindingMode;
import tutti.runtime.model.LossMode;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.TraceOption;

/** Options of commands that run a job: the cluster, the number of ranks and the job's parameters. */
final class JobOptions {
    /** The parameter of a job that {@code --ranks-per-jvm} sets. */
    static final String RANKS_PER_JVM = "ranks.per.jvm";
    private static final int EMBEDDED_NODES = 2;

    @Option(names = "-n", paramLabel = "RANKS", description = "number of ranks; by default one per core of the cluster")
    private @Nullable Integer ranks;

    @Option(names = "--nodes", paramLabel = "K",
        description = "start a cluster of K containers on this machine for this run; by default 2, but not more than ranks")
    private @Nullable Integer nodes;

    @Option(names = "--connect", paramLabel = "HOST:PORT", description = "run on the cluster of the daemon at that address")
    private @Nullable String connect;

    @Option(names = "--module", paramLabel = "FILE",
        description = "install this module on the cluster that is started for this run; may be repeated")
    private List<Path> modules = new ArrayList<>();

    @Mixin
    private HostOptions hosts;

    @Option(names = "--map", paramLabel = "block|slot|node",
        description = {"how ranks are placed on nodes: in equal blocks, filling the slots of a node before those of the next, or in turn;",
            "by default slot with --hosts, --hostfile and Slurm, otherwise block; a node has a slot per core, unless its host was given others"})
    private @Nullable Mapping map;

    @Option(names = "--ranks-per-jvm", paramLabel = "K|all",
        description = {"how many ranks of a node share a JVM: 1, a number, or all, which is the default;", "with 1 each rank is a process"})
    private @Nullable String ranksPerJvm;

    @Option(names = "--oversubscribe", description = "permit more ranks than slots")
    private boolean oversubscribe;

    @Option(names = "--bind-to", paramLabel = "core|hwthread|none",
        description = {
            "bind the threads of each rank to a core of its node, or to a hardware thread;",
            "core:overload-allowed permits several ranks per core; by default none"})
    private @Nullable String binding;

    @Option(names = "--report-bindings", description = "print to standard error where each rank is bound")
    private boolean reportBindings;

    @Option(names = "--on-loss", paramLabel = "end|report",
        description = {"what the loss of a node, of a JVM or of a rank means for the job: it ends, which is the default, or it goes on",
            "with the other ranks, whose calls that need the lost ones fail"})
    private @Nullable LossMode onLoss;

    @Option(names = "--spares", paramLabel = "N",
        description = {"with --on-loss=report: N spare ranks, which take the places of ranks that fail when the others call replace"})
    private @Nullable Integer spares;

    @Option(names = "-p", paramLabel = "KEY=VALUE", description = {"a parameter of the job; may be repeated;",
        "check=full|fast|off: how much of a collective call is compared across ranks, by default fast;",
        "check.kinds=on|off: whether an array of another primitive kind than the datatype is refused, by default on unless check=off;",
        "check.threads=on|off: whether calls are refused that the thread level does not permit, by default off;",
        "coll.rules=FILE|none: rule table for the selection of algorithms, by default the daemon's;",
        "coll.link=fast|slow: for which links between nodes algorithms are selected, by default as measured;",
        "log.coll=LEVEL, log.coll.NAME=LEVEL: what modules, or one, log to the error output of ranks: warning by default, error, info, debug, ...;",
        "log.select=LEVEL: the same for the selection of modules, by default warning;",
        "transport=SCHEME,...: the transports between nodes, of which two nodes use the first that links them, by default shm,tcp;",
        "trace=on|EVENTS: record a trace, of at most so many events per rank, which daemons keep for their live pages;",
        "checkpoint.every=POINTS|TIME: save the state of the job at every so many points of its program, or so often;",
        "checkpoint.memory=DATA+CHECKS|off: keep states in the memory of other ranks: 1+1 for a copy, 3+1 for one check of three states, ...;",
        "checkpoint.memory.every=POINTS: at every so many points, by default at each;",
        "checkpoint.keep=on|off: whether a job that ends well keeps its checkpoints, by default off;",
        "restart=N: continue the job from its last checkpoint when a node is lost, up to N times"})
    private Map<String, String> parameters = new LinkedHashMap<>();

    private @Nullable RuleTable rules;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Placements of ranks on nodes, as users write them. */
    enum Mapping {
        BLOCK, SLOT, NODE, CYCLIC;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the placement as a request has it. */
        RunRequest.Mapping inProtocol() {
            return switch (this) {
                case BLOCK -> RunRequest.Mapping.BLOCK;
                case SLOT -> RunRequest.Mapping.SLOT;
                case NODE, CYCLIC -> RunRequest.Mapping.NODE;
            };
        }
    }

    /**
     * Request of a command to run a job.
     *
     * @param name          program as the user wrote it
     * @param timeoutMillis time limit; 0 means no limit
     * @param ranks         what the ranks find around them, and what becomes of their output
     * @param tuning        tuning of a cluster that is started for the job
     * @param jvm           options of the JVMs of that cluster
     * @param out           destination of standard output; null for that of this process
     * @param trace         file for the trace; null for none
     * @param restart       checkpoint from which the job continues; null for none
     */
    record JobRequest(String name, long timeoutMillis, RankOptions ranks, RunCluster.Tuning tuning, List<String> jvm,
        @Nullable OutputStream out, @Nullable String trace, @Nullable String restart) {}

    /** Nodes on which ranks are placed, in this order, and how by default. No nodes means all of the cluster. */
    private record Target(List<String> nodes, Mapping map) {}

    @Option(names = "-np", paramLabel = "RANKS", description = "the same as -n")
    void setRanks(final int count) {
        ranks = count;
    }

    /** Returns the requested number of ranks, or {@link Integer#MAX_VALUE} when none was given. */
    int ranks() {
        return ranks == null ? Integer.MAX_VALUE : ranks;
    }

    /** Returns whether the job runs on a cluster that is running already. */
    boolean isConnected() {
        return connect != null;
    }

    /** Returns whether each rank has a JVM of its own. */
    boolean hasOwnJvms() {
        return "1".equals(parameters.get(RANKS_PER_JVM));
    }

    /** Sets the number of ranks where none was given. */
    void setDefaultRanks(final int count) {
        ranks = ranks == null ? Integer.valueOf(count) : ranks;
    }

    /**
     * Checks the values of the options, and reads the rule table if one is given.
     *
     * @param traced whether the job writes a trace; if not, the trace parameter is refused on a cluster that ends with the job
     */
    void check(final boolean traced) {
        refuse(ranks != null && (ranks < 1 || ranks > Protocol.MAX_RANKS), "ranks out of range: -n " + ranks + ", range=1.."
            + Protocol.MAX_RANKS);
        refuse(nodes != null && (nodes < 1 || nodes > 64), "nodes out of range: --nodes " + nodes + ", range=1..64");
        refuse(!traced && connect == null && parameters.containsKey(TraceOption.PARAMETER), "-p " + TraceOption.PARAMETER
            + " needs --trace FILE, or --connect: daemons keep traces for their live pages");
        refuse(nodes != null && connect != null, "--nodes and --connect exclude each other");
        refuse(!hosts.given().isEmpty() && (nodes != null || connect != null), hosts.given() + " and " + (nodes != null ? "--nodes" : "--connect")
            + " exclude each other");
        if (ranksPerJvm != null) {
            parameters.put(RANKS_PER_JVM, ranksPerJvm);
        }
        if (onLoss != null) {
            parameters.put(LossMode.PARAMETER, onLoss.toString());
        }
        if (spares != null) {
            parameters.put(LossMode.SPARES_PARAMETER, spares.toString());
        }
        if (binding != null) {
            parameters.put(BindingMode.PARAMETER, binding);
        }
        if (reportBindings) {
            parameters.put(BindingMode.REPORT_PARAMETER, BindingMode.REPORT_ON);
        }
        refuse(!modules.isEmpty() && connect != null, "--module and --connect exclude each other: use tutti install for a running cluster");
        for (final Path m : modules) {
            refuse(!m.toFile().isFile(), CommandFailure.notFound("module", m));
        }
        rules = rules(parameters.get(RuleTable.PARAMETER));
        final String restarts = parameters.get(RestartedRun.PARAMETER);
        refuse(restarts != null && !restarts.matches("[0-9]{1,4}"), "-p " + RestartedRun.PARAMETER + "=" + restarts + ": no number of restarts");
    }

    private static @Nullable RuleTable rules(final @Nullable String file) {
        if (file == null || file.equals(RuleTable.VALUE_NONE)) {
            return file == null ? null : RuleTable.NONE;
        }
        try {
            final RuleTable rules = RulesFile.read(Path.of(file));
            rules.warnings().forEach(w -> System.err.println("tutti: " + w));
            return rules;
        } catch (final InvalidRulesException | InvalidPathException e) {
            throw new CommandFailure(ExitStatus.USAGE, RuleTable.PARAMETER + ": " + e.getMessage(), e);
        }
    }

    /** Ends the command with a usage error if {@code bad} is true. */
    void refuse(final boolean bad, final String why) {
        if (bad) {
            throw refusal(why);
        }
    }

    /** Refuses a file, named by an option, that cannot be written; null is none. */
    void checkOutput(final String option, final @Nullable Object file) {
        final String why = file == null ? null : OutputFile.refusal(option, file);
        if (why != null) {
            throw refusal(why);
        }
    }

    /** Returns a usage error of the command. */
    ParameterException refusal(final @Nullable String why) {
        return new ParameterException(command.commandLine(), why);
    }

    /** Runs a program as a job on the cluster that the options specify; returns its exit status. */
    int run(final JobRequest request, final Supplier<Program> program) throws IOException, InterruptedException {
        if (connect != null) {
            final HostPort address = ConnectOption.parse(connect);
            try (Program p = program.get(); Client client = Client.connect(Contact.ofUser(address))) {
                return run(request, p, client, new Target(List.of(), Mapping.BLOCK));
            }
        }
        final Optional<HostOptions.HostLaunch> launch = nodes == null ? hosts.launch(request.ranks().folder(), request.jvm()) : Optional.empty();
        launch.ifPresent(l -> checkSlots(l.slots()));
        final int count = nodes != null ? nodes : ranks == null ? EMBEDDED_NODES : Math.min(ranks, EMBEDDED_NODES);
        // the containers start while the program is compiled
        try (RunCluster cluster =
            launch.map(l -> RunCluster.start(l.commands(), ClusterSecret.random(), request.jvm()))
                .orElseGet(() -> RunCluster.start(count, request.tuning(), request.jvm(), request.ranks().folder()));
             Program p = program.get()) {
            final Contact first = cluster.join();
            // a node closes links that wait for long before they ask something
            for (final Path m : modules) {
                ChangeCommand.change(first, ModuleChange.Kind.INSTALL, null, null, m, List.of(), false, false);
            }
            try (Client client = Client.connect(first)) {
                if (launch.isPresent() && launch.get().slots() == 0) {
                    checkSlots(client.ask(ClusterRequests::nodes).stream().mapToInt(n -> n.node().cores()).sum());
                }
                return run(request, p, client, launch.isPresent() ? new Target(cluster.nodes(), Mapping.SLOT) : new Target(List.of(), Mapping.BLOCK));
            }
        }
    }

    /** Refuses more ranks than slots; a number of 0 is unknown. */
    private void checkSlots(final int slots) {
        refuse(ranks != null && slots > 0 && ranks > slots && !oversubscribe, "not enough slots: -n " + ranks + ", slots=" + slots
            + "; give the hosts more slots, or permit it with --oversubscribe");
    }

    private int run(final JobRequest request, final Program p, final Client client, final Target target) throws IOException, InterruptedException {
        final String restarts = parameters.remove(RestartedRun.PARAMETER);
        return new RestartedRun(client, restarts == null ? 0 : Integer.parseInt(restarts), target.nodes(), request.restart())
            .run((on, nodes, restart, accepted) -> run(request, p, on, new Target(nodes, target.map()), restart, accepted));
    }

    private int run(final JobRequest request, final Program p, final Client client, final Target target, final @Nullable String restart,
        final Consumer<String> accepted) throws IOException, InterruptedException {
        p.main().ignored().forEach(i -> System.err.println("tutti: ignored: " + i));
        final List<ProgramFile> files = new ArrayList<>();
        for (final Path f : p.files()) {
            files.add(ProgramFiles.describe(f));
        }
        final List<Path> sent = new ArrayList<>(p.files());
        for (final Path f : request.ranks().files()) {
            files.add(ProgramFiles.describe(f).asStaged());
            sent.add(f);
        }
        final TraceFile trace = request.trace() == null ? null : TraceFile.open(request.trace());
        if (trace != null) {
            parameters.putIfAbsent(TraceOption.PARAMETER, TraceOption.ON);
        }
        final JobConsole console = new JobConsole(client, request.ranks(), request.out(), trace, accepted);
        final RunRequest run;
        try {
            run = new RunRequest(ranks == null ? 0 : ranks, (map == null ? target.map() : map).inProtocol(), target.nodes(), p.mainClass(),
                p.args(), files, parameters, rules, request.timeoutMillis(), request.name(), System.getProperty("user.name"),
                request.ranks().environment(), request.ranks().needsPlacement(), trace != null, restart, p.main().options());
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        return console.follow(run, sent);
    }
}
