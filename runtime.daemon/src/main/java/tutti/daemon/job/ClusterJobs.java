package tutti.daemon.job;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.cluster.ClusterQuestions;
import tutti.daemon.launch.JobClient;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.part.JobSpawner;
import tutti.daemon.part.NodeParts;
import tutti.daemon.part.RunningJob;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.transport.RefusalPeriod;

/** Jobs of the cluster: those that this node coordinates, and what it asks the other nodes about theirs. Safe for any thread. */
public final class ClusterJobs implements JobQuestions, NodeParts.Jobs {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterJobs.class);
    /** Id of a job: the name of its node, a number, and digits that tell it from jobs of an earlier process. */
    private static final Pattern ID = Pattern.compile("(?<node>.+)-\\d+-[0-9a-f]+");

    private final String node;
    private final int limit;
    private final ClusterQuestions questions;
    private final JobHistory history;
    private final Node actions;
    private final LongSupplier parts;
    private final Map<String, JobCoordinator> here = new ConcurrentHashMap<>();
    private final RefusalPeriod refused = RefusalPeriod.ofOneReason();
    private final AtomicInteger numbers = new AtomicInteger();

    /** Access of the jobs to their node. */
    public interface Node {
        /** Creates the coordinator of a job. */
        JobCoordinator create(String id, JobPlan plan, InputStream program, JobClient client);

        /** Returns a new folder for files. */
        Path newFolder();

        /** Returns the jars that programs are compiled against. */
        List<Path> api();

        /** Returns the number of free places of each node, by name. Blocks. */
        Map<String, Integer> freePlaces();

        /** Notifies that a job has ended, and its client has been told. */
        void ended();
    }

    /**
     * Creates the jobs of the cluster, as this node sees them.
     *
     * @param node      name of this node
     * @param limit     most jobs that this node may have, its parts of the jobs of others included
     * @param questions questions to the other nodes
     * @param history   the jobs that this node has coordinated
     * @param parts     returns the number of parts here of jobs that other nodes coordinate
     * @param actions   access to the node
     */
    public ClusterJobs(final String node, final int limit, final ClusterQuestions questions, final JobHistory history, final LongSupplier parts,
        final Node actions) {
        this.node = node;
        this.limit = limit;
        this.questions = questions;
        this.history = history;
        this.parts = parts;
        this.actions = actions;
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
        return CompletableFuture.completedStage(history.jobs());
    }

    @Override
    public void checkRoom() throws IOException {
        // the part that asks is among them
        check(here.size() + parts.getAsLong() - 1);
    }

    /** Throws when this node takes no more jobs, which is logged once a period. */
    private void check(final long running) throws IOException {
        if (running < limit) {
            return;
        }
        final String text = "too many jobs: node=" + node + ", jobs=" + running + ", limit=" + NodeProperties.JOBS
            + "; wait until some have ended, or raise the limit in the node's configuration";
        final long count = refused.count();
        if (count > 0) {
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
        check(here.size() + parts.getAsLong());
        final String salt = HexFormat.of().toHexDigits((short) ThreadLocalRandom.current().nextInt());
        final String id = node + "-" + numbers.incrementAndGet() + "-" + salt;
        final JobCoordinator job = actions.create(id, plan, program, client);
        here.put(id, job);
        Thread.ofVirtual().name("tutti-" + id).start(() -> {
            try {
                job.coordinate();
            } finally {
                here.remove(id);
                actions.ended();
            }
        });
        return job;
    }

    @Override
    public RunningJob spawn(final SpawnRequest request, final JobSpec parent, final @Nullable String owner, final AgreedModules agreement,
        final JobSpawner.Client client) throws IOException {
        final Path files = actions.newFolder();
        try {
            final SpawnPlanner planner = new SpawnPlanner(request, parent, owner, files, actions.api());
            final JobPlan plan = planner.plan(agreement, actions.freePlaces());
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

    /** Returns whether this node coordinates no job. */
    public boolean isEmpty() {
        return here.isEmpty();
    }

    /** Returns the jobs that this node coordinates. */
    public List<JobInfo> infos() {
        return here.values().stream().map(JobCoordinator::info).toList();
    }

    /** Returns the orders of checkpoints of a job; null when another node coordinates it. */
    @Nullable
    CheckpointOrders orders(final String job) {
        final JobCoordinator found = here.get(job);
        return found == null ? null : found.checkpoints();
    }

    /** Ends all jobs that this node coordinates. */
    public void end(final int status, final String text) {
        here.values().forEach(j -> j.end(status, text));
    }

    /** Ends the jobs of this node with parts on a lost node. */
    public void nodeLost(final NodeInfo lost, final String reason) {
        here.values().forEach(j -> j.nodeLost(lost, reason));
    }

    /** Tells the jobs that this node coordinates which modules are in quarantine now. */
    public void quarantined(final List<QuarantinedModule> changed) {
        changed.stream().filter(QuarantinedModule::isActive).forEach(q -> here.values().forEach(j -> j.quarantined(q)));
    }

    /** Ends a job, whichever node coordinates it; returns whether it was found. Blocks. */
    public boolean cancelAnywhere(final String job) {
        return Boolean.TRUE.equals(questions.ask(nodeOf(job), JobQuestions.class, n -> n.cancel(job)));
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
        return questions.ask(nodeOf(id), JobQuestions.class, n -> n.ranks(id));
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
        final List<JobRecord> all = new ArrayList<>(history.jobs());
        questions.askAll(JobQuestions.class, JobQuestions::history, ClusterQuestions.LOOK_LIMIT).values().forEach(all::addAll);
        all.sort(Comparator.comparingLong(JobRecord::since));
        return all;
    }
}
