package tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tutti.cli.tune.MeasuredPoint;
import tutti.cli.tune.Measurement;
import tutti.cli.tune.MeasurementsFile;
import tutti.cli.tune.RuleTableBuilder;
import tutti.cli.tune.RuleTableWriter;
import tutti.daemon.command.SimilarNames;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.monitor.TuningRecord;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Protocol;
import tutti.pictures.Drawing;
import tutti.pictures.Plot;
import tutti.runtime.introspect.TuningRules;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;

/** {@code tutti tune}: measures all algorithms and writes a rule table that selects the fastest. */
@Command(name = "tune", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Measures every algorithm of every module, and the fast ones with other values of their parameters, and writes a rule table",
        "with the fastest: FILE for -p coll.rules=FILE, FILE.points with all measurements, and FILE.svg with a plot. The same command resumes",
        "an interrupted run. No table is written where noise would decide a rule: see --rounds and --force."})
final class TuneCommand implements Callable<Integer> {
    @Option(names = "-n", paramLabel = "RANKS", split = ",", description = "numbers of ranks; by default 2,4,8, or with --groups none")
    private @Nullable List<Integer> ranks;

    @Option(names = "--groups", paramLabel = "A+B", split = ",", converter = GroupSizes.Converter.class,
        description = "numbers of ranks of two groups, between which the operations are measured, too: 2+2,4+1")
    private List<GroupSizes> groups = new ArrayList<>();

    @Option(names = "--nodes", paramLabel = "K", split = ",",
        description = {"numbers of nodes: each is a cluster of containers that is started on this machine; by default 1,2.",
            "Containers of a cluster stand for hosts: they are linked by TCP"})
    private @Nullable List<Integer> nodes;

    @Option(names = "--ranks-per-jvm", paramLabel = "K",
        description = {"measure jobs whose ranks share a JVM by so many, on one node, for rules about several JVMs of a host;",
            "by default all ranks of a node share one"})
    private @Nullable Integer ranksPerJvm;

    @Option(names = "--connect", paramLabel = "HOST:PORT", description = "measure on all nodes of the cluster of the daemon at that address")
    private @Nullable String connect;

    @Option(names = "--module", paramLabel = "FILE", description = "install this module on the clusters that are started; may be repeated")
    private List<Path> modules = new ArrayList<>();

    @Option(names = "--map", paramLabel = "block|slot|node", defaultValue = "block",
        description = "how ranks are placed on nodes, as for run; by default ${DEFAULT-VALUE}")
    private JobOptions.Mapping map;

    @Option(names = "--sizes", paramLabel = "BYTES", split = ",", defaultValue = "8,64,512,4K,32K,256K,1M",
        description = "sizes of calls in bytes, as rules count them; by default ${DEFAULT-VALUE}")
    private List<String> sizes;

    @Option(names = "--millis", paramLabel = "MS", defaultValue = "10",
        description = "minimum time of a series of calls; the fastest of three series counts; by default ${DEFAULT-VALUE}")
    private double millis;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "2",
        description = {"number of rounds, each of which measures everything; the fastest counts; by default ${DEFAULT-VALUE}.",
            "A point that would decide a rule by chance, since no second round confirms it, is measured again in as many rounds more"})
    private int rounds;

    @Option(names = "-p", paramLabel = "KEY=VALUE", description = "a parameter of the jobs; may be repeated")
    private Map<String, String> parameters = new LinkedHashMap<>();

    @Option(names = {"-o", "--output"}, paramLabel = "FILE", defaultValue = "rules.json",
        description = "the rule table; by default ${DEFAULT-VALUE}")
    private Path output;

    @Option(names = "--plot", paramLabel = "FILE", description = "the plot: FILE.svg or FILE.png; by default that of the table with .svg")
    private @Nullable Path plot;

    @Option(names = "--learnt", paramLabel = "FILE",
        description = {"measure nothing, and write a rule table with what jobs of the cluster of --connect have found out with",
            "-p coll.tune=online, as far as its node knows"})
    private @Nullable Path learnt;

    @Option(names = "--force", description = "write the table also where noise decides rules")
    private boolean force;

    @Option(names = "--fresh", description = "discard earlier measurements")
    private boolean fresh;

    @Parameters(paramLabel = "OPERATION", description = "for example allreduce; by default all")
    private List<String> operations = new ArrayList<>();

    @Spec
    private CommandSpec command;

    private final Set<TuneCluster> warm = new HashSet<>();

    @Override
    public Integer call() throws Exception {
        check();
        if (learnt != null) {
            return writeLearnt(learnt);
        }
        final SortedSet<Long> bytes = Sizes.parse(sizes, command);
        final List<TuneCluster> clusters = new ArrayList<>();
        try {
            open(clusters);
            final Path file = sibling(".points");
            if (fresh) {
                Files.deleteIfExists(file);
            }
            final MeasurementsFile points = points(file, clusters);
            final List<TuneOffers> offers = new ArrayList<>();
            for (final TuneCluster c : clusters) {
                for (final int n : new TreeSet<>(ranks())) {
                    add(offers, c.offers(n, 0, operations, bytes));
                }
                for (final GroupSizes g : groups) {
                    add(offers, c.offers(g.ranks(), g.first(), operations, bytes));
                }
            }
            final List<TuneJob> jobs = new ArrayList<>(offers.stream().map(TuneOffers::jobs).flatMap(List::stream).toList());
            measure("algorithms", jobs, rounds, points);
            final int parameterCount = offers.stream().mapToInt(TuneOffers::maxParameters).max().orElse(0);
            for (int i = 0; i < parameterCount; i++) {
                final int index = i;
                final List<TuneJob> variants = offers.stream().map(o -> o.variants(index, points.measurements())).flatMap(List::stream).toList();
                measure("parameters, step " + (i + 1) + " of " + parameterCount, variants, rounds, points);
                jobs.addAll(variants);
            }
            measureNoise(jobs, points);
            write(points.measurements(), file);
            return ExitStatus.OK;
        } finally {
            clusters.forEach(TuneCluster::close);
        }
    }

    private static void add(final List<TuneOffers> all, final @Nullable TuneOffers offers) {
        if (offers != null) {
            all.add(offers);
        }
    }

    private void check() {
        refuse(nodes != null && connect != null, "--nodes and --connect exclude each other");
        refuse(!modules.isEmpty() && connect != null, "--module and --connect exclude each other: use tutti install for a running cluster");
        refuse(ranksPerJvm != null && ranksPerJvm < 1, "ranks out of range: --ranks-per-jvm " + ranksPerJvm + ", min=1");
        refuse(ranksPerJvm != null && nodes != null && !nodes.equals(List.of(1)), "--ranks-per-jvm measures JVMs of one host: use --nodes 1");
        for (final int n : ranks()) {
            refuse(n < 2 || n > Protocol.MAX_RANKS, "ranks out of range: -n " + n + ", range=2.." + Protocol.MAX_RANKS);
        }
        for (final int k : nodes == null ? List.<Integer>of() : nodes) {
            refuse(k < 1 || k > 64, "nodes out of range: --nodes " + k + ", range=1..64");
        }
        for (final Path m : modules) {
            refuse(!m.toFile().isFile(), CommandFailure.notFound("module", m));
        }
        refuse(rounds < 1 || rounds > 100, "rounds out of range: --rounds " + rounds + ", range=1..100");
        refuse(!(millis > 0), "time out of range: --millis " + millis + ", min=0 (exclusive)");
        refuse(parameters.containsKey(JobOptions.RANKS_PER_JVM), "use --ranks-per-jvm instead of -p " + JobOptions.RANKS_PER_JVM);
        for (final String p : parameters.keySet()) {
            refuse(p.equals(RuleTable.PARAMETER) || TuneOffers.MEASURED.contains(p.replaceFirst("^coll\\.", "")),
                "parameter is set by tune itself: -p " + p);
        }
        for (final String o : operations) {
            refuse(!TuneOffers.MEASURED.contains(o), "cannot be measured: " + o + SimilarNames.suggestion(o, TuneOffers.MEASURED));
        }
        refuse(plot != null && Drawing.FORMATS.stream().noneMatch(plot.toString()::endsWith), "unknown format: --plot " + plot + ", known: "
            + String.join(", ", Drawing.FORMATS));
        refuse(learnt != null && connect == null, "--learnt needs --connect: a cluster that is started has no jobs yet");
        refuse(learnt != null && !operations.isEmpty(),
            "--learnt writes what was found out of all operations: leave out " + String.join(" ", operations));
        checkOutput("--learnt", learnt);
        checkOutput("--plot", plot);
        checkOutput("--output", output);
    }

    /** Writes rules of what jobs have found out. */
    private int writeLearnt(final Path file) throws IOException {
        final List<TuningRecord> known;
        try (Client client = Client.connect(Contact.ofUser(ConnectOption.parse(Objects.requireNonNull(connect, "connect"))))) {
            known = TuningRecord.latest(client.ask(ClusterRequests::learnt));
        }
        if (known.isEmpty()) {
            throw new CommandFailure(ExitStatus.FAILED, "no rule table is written: the node at " + connect
                + " knows of no job that has tuned its calls; run one with -p coll.tune=online");
        }
        final List<SelectionRule> rules = TuningRules.of(known.stream().map(TuningRecord::tuning).toList());
        final int jobs = known.stream().mapToInt(TuningRecord::jobs).max().orElse(0);
        RuleTableWriter.write(OutputFile.withFolder(file), rules);
        System.out.println(rules.size() + (rules.size() == 1 ? " rule" : " rules") + ", measured on "
            + known.stream().mapToLong(TuningRecord::calls).sum() + " calls, each rule in " + (jobs == 1 ? "1 job: " : "up to " + jobs + " jobs: ")
            + file);
        return ExitStatus.OK;
    }

    private List<Integer> ranks() {
        return ranks != null ? ranks : groups.isEmpty() ? List.of(2, 4, 8) : List.of();
    }

    private List<Integer> defaultNodes() {
        return ranksPerJvm != null ? List.of(1) : List.of(1, 2);
    }

    private void checkOutput(final String option, final @Nullable Path file) {
        final String why = file == null ? null : OutputFile.refusal(option, file);
        if (why != null) {
            throw refusal(why);
        }
    }

    private void refuse(final boolean bad, final String why) {
        if (bad) {
            throw refusal(why);
        }
    }

    private ParameterException refusal(final String why) {
        return new ParameterException(command.commandLine(), why);
    }

    private void open(final List<TuneCluster> clusters) throws IOException {
        final int shared = ranksPerJvm == null ? 0 : ranksPerJvm;
        if (connect != null) {
            clusters.add(TuneCluster.at(Contact.ofUser(ConnectOption.parse(connect)), map, parameters, shared));
            return;
        }
        for (final int k : new TreeSet<>(nodes == null ? defaultNodes() : nodes)) {
            final TuneCluster c = TuneCluster.start(k, map, parameters, shared);
            clusters.add(c);
            for (final Path m : modules) {
                c.install(m);
            }
        }
    }

    private Path sibling(final String ending) {
        return output.resolveSibling(output.getFileName() + ending);
    }

    private static MeasurementsFile points(final Path file, final List<TuneCluster> clusters) {
        try {
            return MeasurementsFile.open(OutputFile.withFolder(file), clusters.getFirst().environment());
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, Protocol.oneLine(e), e);
        }
    }

    /** Measures the points that would decide a rule by chance again, in as many rounds more. */
    private void measureNoise(final List<TuneJob> jobs, final MeasurementsFile points) throws IOException, InterruptedException {
        for (int round = rounds + 1; round <= 2 * rounds; round++) {
            final List<MeasuredPoint> noise = MeasuredPoint.chances(MeasuredPoint.of(points.measurements()));
            final int times = round;
            final List<TuneJob> again = jobs.stream().map(j -> j.only(noise)).filter(j -> !j.remaining(times, points).isEmpty()).toList();
            if (!again.isEmpty()) {
                measure("noise, round " + round, again, round, points);
            }
        }
    }

    private void measure(final String what, final List<TuneJob> jobs, final int until, final MeasurementsFile points)
        throws IOException, InterruptedException {
        final List<TuneJob> left = new ArrayList<>();
        for (int round = 1; round <= until; round++) {
            final int times = round;
            jobs.stream().map(j -> j.remaining(times, points)).filter(j -> !j.isEmpty()).forEach(left::add);
        }
        final int all = until * jobs.stream().mapToInt(TuneJob::size).sum();
        final int done = all - left.stream().mapToInt(TuneJob::size).sum();
        System.err.println("tutti: " + what + ": measurements=" + all + (done > 0 ? ", made earlier=" + done : ""));
        final ProgressBar progress = ProgressBar.onStandardError(all, done);
        for (final TuneJob job : left) {
            if (warm.add(job.cluster())) {
                job.cluster().run(job, millis, p -> {});
            }
            job.cluster().run(job, millis, p -> {
                points.add(p);
                progress.step(p.setting().operation() + " " + p.algorithm() + (job.first() == 0 ? " " : " between groups, ") + p.setting().ranks()
                    + " ranks, "
                    + p.setting().bytes() + " bytes");
            });
        }
    }

    private void write(final List<Measurement> points, final Path file) throws IOException {
        if (points.isEmpty()) {
            throw new CommandFailure(ExitStatus.FAILED, "no measurements: no module offers the requested operations");
        }
        final List<SelectionRule> rules = RuleTableBuilder.rules(points);
        final List<MeasuredPoint> measured = MeasuredPoint.of(points);
        final Path picture = plot == null ? sibling(".svg") : plot;
        final Set<String> named = rules.stream().map(r -> r.refs().getFirst().toString()).collect(Collectors.toSet());
        Plot.write(OutputFile.withFolder(picture), new Plot.Labels("Measurements of tutti tune", "up to the slowest round", true), measured.stream()
            .filter(p -> named.contains(p.algorithm()) || AlgorithmRef.of(p.algorithm()).parameters().isEmpty())
            .sorted(Comparator.comparing(MeasuredPoint::algorithm)).map(MeasuredPoint::plotPoint)
            .sorted(Comparator.comparing(Plot.Point::chart)).toList());
        final List<MeasuredPoint> chances = MeasuredPoint.chances(measured);
        if (!chances.isEmpty()) {
            final String noise =
                "settings that noise decides: " + chances.size() + " of " + measured.stream().map(MeasuredPoint::setting).distinct().count()
                    + ": " + chances.getFirst().described();
            if (!force) {
                throw new CommandFailure(ExitStatus.FAILED,
                    "no rule table is written: " + noise + "; end other programs on the machine, and continue with "
                        + "--rounds " + (2 * rounds + 1) + " or with a larger --millis and --fresh, or write the table with --force; all points: "
                        + file
                        + ", plot: " + picture);
            }
            System.err.println("tutti: " + noise);
        }
        RuleTableWriter.write(output, rules);
        System.out.println(rules.size() + " rules: " + output + ", " + points.size() + " points: " + file + ", plot: " + picture);
    }
}
