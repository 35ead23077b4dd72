package tutti.daemon.job;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.Conversation;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.ClusterQuestions;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.cluster.ServedChannels;
import tutti.daemon.launch.JobClient;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.monitor.JobTrial;
import tutti.daemon.monitor.LiveChange;
import tutti.daemon.monitor.TuningRecord;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.part.JobSpawner;
import tutti.daemon.part.JobTransports;
import tutti.daemon.part.NodeParts;
import tutti.daemon.part.RunningJob;
import tutti.daemon.protocol.Reply;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.CanaryTerms;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.transport.RefusalPeriod;

/** Jobs of the cluster: those that this node coordinates, and what it asks the other nodes about theirs. Safe for any thread. */
@Component(service = {ClusterJobs.class, NodeParts.Jobs.class})
public final class ClusterJobs implements JobQuestions, NodeParts.Jobs, Cluster.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterJobs.class);
    /** Id of a job: the name of its node, a number, and digits that tell it from jobs of an earlier process. */
    private static final Pattern ID = Pattern.compile("(?<node>.+)-\\d+-[0-9a-f]+");
    /** Symbolic name of the bundle of package {@code mpi}. */
    private static final String API = "tutti.mpi.api";

    /** How long a command waits for the communicators of a job to change their modules. */
    private static final Duration FOLLOW_LIMIT = Duration.ofSeconds(60);

    private final BundleContext context;
    private final ListeningNode node;
    private final ServedChannels served;
    private final JobSite site;
    private final Map<String, JobCoordinator> here = new ConcurrentHashMap<>();
    private final RefusalPeriod refused = RefusalPeriod.ofOneReason();
    private final AtomicInteger numbers = new AtomicInteger();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private volatile boolean isClosed;

    /** Creates the jobs of a node without any, about which the others ask it. */
    @Activate
    public ClusterJobs(final BundleContext context, @Reference(name = "node") final ListeningNode node,
        @Reference(name = "cluster") final Cluster cluster, @Reference(name = "served") final ServedChannels served,
        @Reference(name = "transports") final JobTransports transports, @Reference(name = "parts") final NodeParts parts,
        @Reference(name = "resolver") final JobAgreementResolver resolver, @Reference(name = "checkpoints") final ClusterCheckpoints checkpoints,
        @Reference(name = "history") final JobHistory history, @Reference(name = "measurements") final MeasurementStore measurements,
        @Reference(name = "tuning") final TuningStore tuning) {
        this.context = context;
        this.node = node;
        this.served = served;
        this.site = new JobSite(cluster, transports, parts, resolver, checkpoints, history, measurements, tuning, node.settings().folder());
        cluster.questions().serve(JobQuestions.class, this);
        cluster.listen(this);
    }

    @Override
    public CompletionStage<Boolean> cancel(final String job) {
        return CompletableFuture.completedStage(cancelHere(job));
    }

    @Override
    public CompletionStage<@Nullable JobActivity> ranks(final String job) {
        final JobCoordinator found = here.get(job);
        return CompletableFuture.completedStage(found == null ? null : ranks(found));
    }

    @Override
    public CompletionStage<List<JobRecord>> history() {
        return CompletableFuture.completedStage(site.history().jobs());
    }

    @Override
    public CompletionStage<@Nullable Reply> checkpoint(final String job) {
        final JobCoordinator found = here.get(job);
        return found == null ? CompletableFuture.completedStage(null)
            : found.checkpoints().order().handle((report, e) -> ClusterCheckpoints.reply(job, report));
    }

    @Override
    public CompletionStage<List<LiveChange>> follow(final String module, final String job) {
        return change(job, c -> c.follow(module, FOLLOW_LIMIT));
    }

    @Override
    public CompletionStage<List<LiveChange>> tryOut(final CanaryTerms terms, final String job) {
        return change(job, c -> c.begin(terms, FOLLOW_LIMIT));
    }

    private CompletionStage<List<LiveChange>> change(final String job, final Function<ModuleChanges, CompletionStage<LiveChange>> what) {
        final List<CompletableFuture<LiveChange>> asked = here.values().stream().filter(j -> job.isEmpty() || j.id().equals(job))
            .map(j -> what.apply(j.changes()).toCompletableFuture()).toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
            .thenApply(done -> asked.stream().map(CompletableFuture::join).toList());
    }

    @Override
    public CompletionStage<List<JobTrial>> trials(final ModuleId module) {
        return CompletableFuture.completedStage(here.values().stream().map(j -> j.changes().trial()).filter(Objects::nonNull)
            .filter(t -> t.module().equals(module)).toList());
    }

    /**
     * Has jobs take the modules of a name that their nodes offer now, whichever node coordinates them; returns what became of that, in the order of
     * the ids. Blocks.
     *
     * @param job id of the only job that is asked; empty for all
     */
    public List<LiveChange> followAnywhere(final String module, final String job) {
        return changeAnywhere(job, n -> n.follow(module, job));
    }

    /**
     * Begins the trial of a module in jobs, whichever node coordinates them; returns what became of that, in the order of the ids. Blocks.
     *
     * @param job id of the only job that is asked; empty for all
     */
    public List<LiveChange> tryAnywhere(final CanaryTerms terms, final String job) {
        return changeAnywhere(job, n -> n.tryOut(terms, job));
    }

    private List<LiveChange> changeAnywhere(final String job, final Function<JobQuestions, CompletionStage<List<LiveChange>>> what) {
        final List<LiveChange> all = new ArrayList<>();
        if (job.isEmpty()) {
            final CompletionStage<List<LiveChange>> own = what.apply(this);
            questions().askAll(JobQuestions.class, what::apply).values().forEach(all::addAll);
            all.addAll(own.toCompletableFuture().join());
        } else {
            all.addAll(Objects.requireNonNullElse(questions().ask(nodeOf(job), JobQuestions.class, what::apply), List.of()));
        }
        all.sort(Comparator.comparing(LiveChange::job));
        return all;
    }

    /** Returns what the trials of a module have found in jobs, whichever node coordinates them, in the order of the ids. Blocks. */
    public List<JobTrial> trialsAnywhere(final ModuleId module) {
        final List<JobTrial> all = new ArrayList<>(trials(module).toCompletableFuture().join());
        questions().askAll(JobQuestions.class, n -> n.trials(module)).values().forEach(all::addAll);
        all.sort(Comparator.comparing(JobTrial::job));
        return all;
    }

    @Override
    public CompletionStage<Void> learn(final List<CallTuning> found) {
        return Conversation.result(() -> {
            site.tuning().learn(found);
            site.tuning().save();
            return null;
        });
    }

    /** Returns what this node knows that jobs have found out while they tuned live calls, the latest last. */
    public List<TuningRecord> learnt() {
        return site.tuning().records();
    }

    @Override
    public CompletionStage<Integer> freePlaces() {
        return CompletableFuture.completedStage(node.self().cores() - site.parts().running());
    }

    @Override
    public void checkRoom() throws IOException {
        // the part that asks is among them
        check(running() - 1);
    }

    /** Returns the number of jobs that this node coordinates, and of its parts of the jobs of others. */
    private long running() {
        return here.size() + served.busy(ServedChannels.Kind.JOB);
    }

    /** Throws when this node takes no more jobs, which is logged once a period. */
    private void check(final long running) throws IOException {
        if (isClosed) {
            // Cause: the node takes no more jobs. Remedy: another node.
            throw new IOException("node " + node.name() + " is stopping");
        }
        if (running < node.settings().limits().jobs()) {
            return;
        }
        final String text = "too many jobs: node=" + node.name() + ", jobs=" + running + ", limit=" + NodeProperties.JOBS
            + "; wait until some have ended, or raise the limit in the node's configuration";
        final long count = refused.count();
        if (count > 0) {
            // Cause: the node has as many jobs as `tutti.node.jobs` permits. Remedy: wait, or raise the limit.
            LOG.warn("jobs refused: refused={}, last={}", count, text);
        }
        throw new IOException(text);
    }

    /**
     * Starts a job, which this node coordinates.
     *
     * @param program the bytes of its files, one after the other
     * @throws IOException when this node takes no jobs now
     */
    public JobCoordinator launch(final JobPlan plan, final InputStream program, final JobClient client) throws IOException {
        check(running());
        final String salt = HexFormat.of().toHexDigits((short) ThreadLocalRandom.current().nextInt());
        final String id = node.name() + "-" + numbers.incrementAndGet() + "-" + salt;
        final JobCoordinator job = new JobCoordinator(id, plan, program, client, site);
        here.put(id, job);
        Thread.ofVirtual().name("tutti-" + id).start(() -> {
            try {
                job.coordinate();
            } finally {
                here.remove(id);
                completeIfOver();
            }
        });
        return job;
    }

    @Override
    public RunningJob spawn(final SpawnRequest request, final JobSpec parent, final @Nullable String owner, final AgreedModules agreement,
        final JobSpawner.Client client) throws IOException {
        final Path files = site.parts().newFolder();
        try {
            final SpawnPlanner planner = new SpawnPlanner(request, parent, owner, files, api());
            final JobPlan plan = planner.plan(agreement, freePlacesByName());
            planner.notes().forEach(client::note);
            final RunningJob job = launch(plan, ProgramFiles.stream(planner.files()), client);
            job.ended().thenRun(() -> TempFolders.delete(files));
            return job;
        } catch (final IOException | RuntimeException e) {
            TempFolders.delete(files);
            throw e;
        }
    }

    /** Returns the name of the node that coordinates a job, by its id; empty if it is no id of a job. */
    public static String nodeOf(final String job) {
        final Matcher id = ID.matcher(job);
        return id.matches() ? id.group("node") : "";
    }

    /** Returns the jars of the bundle with package mpi, against which sources are compiled. */
    private List<Path> api() {
        return Stream.of(context.getBundles()).filter(b -> API.equals(b.getSymbolicName()))
            .map(b -> Path.of(URI.create(b.getLocation().replaceFirst("^reference:", "")))).toList();
    }

    /** Returns the number of cores without a rank, of each node by name. Blocks. */
    private Map<String, Integer> freePlacesByName() {
        final Map<String, Integer> free = new TreeMap<>(questions().askAll(JobQuestions.class, JobQuestions::freePlaces));
        free.put(node.name(), node.self().cores() - site.parts().running());
        return free;
    }

    private ClusterQuestions questions() {
        return site.cluster().questions();
    }

    /** Returns the jobs that this node coordinates. */
    public List<JobInfo> infos() {
        return here.values().stream().map(JobCoordinator::info).toList();
    }

    /** Ends all jobs that this node coordinates, and takes no more. Idempotent. */
    @Deactivate
    public void close() {
        isClosed = true;
        here.values().forEach(j -> j.end(ExitStatus.NO_CLUSTER, "node " + node.name() + " was stopped, which coordinated the job"));
        completeIfOver();
    }

    /** Returns a stage that completes when this node takes no more jobs, and those that it had have ended. */
    public CompletionStage<Void> ended() {
        return over;
    }

    private void completeIfOver() {
        if (isClosed && here.isEmpty()) {
            over.complete(null);
        }
    }

    /** Ends the jobs of this node with parts on a lost node. */
    @Override
    public void lost(final NodeInfo lost, final String reason) {
        here.values().forEach(j -> j.nodeLost(lost, reason));
    }

    /** Tells the jobs that this node coordinates which modules are in quarantine now. */
    public void quarantined(final List<QuarantinedModule> changed) {
        changed.stream().filter(QuarantinedModule::isActive).forEach(q -> here.values().forEach(j -> j.changes().quarantined(q)));
    }

    /** Ends a job, whichever node coordinates it; returns whether it was found. Blocks. */
    public boolean cancelAnywhere(final String job) {
        return Boolean.TRUE.equals(questions().ask(nodeOf(job), JobQuestions.class, n -> n.cancel(job)));
    }

    private boolean cancelHere(final String id) {
        final JobCoordinator job = here.get(id);
        if (job != null) {
            job.end(ExitStatus.CANCELLED, "job " + id + " was cancelled");
        }
        return job != null;
    }

    /** Returns what the ranks of a job do, whichever node coordinates it; null when none does. Blocks. */
    @Nullable
    public JobActivity findRanks(final String id) {
        return questions().ask(nodeOf(id), JobQuestions.class, n -> n.ranks(id));
    }

    private static JobActivity ranks(final JobCoordinator job) {
        try {
            return job.ranks();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return JobActivity.starting(0, "the node is stopping");
        }
    }

    /** Returns the running jobs of all nodes and those that have ended, in the order of their starts. Blocks. */
    public List<JobRecord> histories() {
        final List<JobRecord> all = new ArrayList<>(site.history().jobs());
        questions().askAll(JobQuestions.class, JobQuestions::history, ClusterQuestions.LOOK_LIMIT).values().forEach(all::addAll);
        all.sort(Comparator.comparingLong(JobRecord::since));
        return all;
    }
}
