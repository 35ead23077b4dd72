package tutti.daemon.control;

import java.io.IOException;
import java.time.Duration;
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
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeProperties;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.transport.RefusalPeriod;

/** Jobs of the cluster: those that this node coordinates, and what it asks the other nodes about theirs. Safe for any thread. */
final class ClusterJobs implements JobQuestions {
    /** How long a node may take to answer a question for what a user looks at. */
    static final Duration LOOK_LIMIT = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(ClusterJobs.class);
    /** Id of a job: the name of its node, a number, and digits that tell it from jobs of an earlier process. */
    private static final Pattern ID = Pattern.compile("(?<node>.+)-\\d+-[0-9a-f]+");

    private final String node;
    private final int limit;
    private final Supplier<Cluster> cluster;
    private final JobHistory history;
    private final Node actions;
    private final LongSupplier parts;
    private final Map<String, JobCoordinator> here = new ConcurrentHashMap<>();
    private final RefusalPeriod refused = RefusalPeriod.ofOneReason();
    private final AtomicInteger numbers = new AtomicInteger();

    /** Access of the jobs to their node. */
    interface Node {
        /** Creates the coordinator of a job. */
        JobCoordinator create(String id, JobPlan plan, JobClient client);

        /** Notifies that a job has ended, and its client has been told. */
        void ended();
    }

    /**
     * Creates the jobs of the cluster, as this node sees them.
     *
     * @param node    name of this node
     * @param limit   most jobs that this node may have, its parts of the jobs of others included
     * @param cluster returns the cluster
     * @param history the jobs that this node has coordinated
     * @param parts   returns the number of parts here of jobs that other nodes coordinate
     * @param actions access to the node
     */
    ClusterJobs(final String node, final int limit, final Supplier<Cluster> cluster, final JobHistory history, final LongSupplier parts,
        final Node actions) {
        this.node = node;
        this.limit = limit;
        this.cluster = cluster;
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

    /** Returns why this node takes no more jobs; null when it does. Logs it once a period. */
    @Nullable
    String refusal() {
        final long running = here.size() + parts.getAsLong();
        if (running < limit) {
            return null;
        }
        final String text = "too many jobs: node=" + node + ", jobs=" + running + ", limit=" + NodeProperties.JOBS
            + "; wait until some have ended, or raise the limit in the node's configuration";
        final long count = refused.count();
        if (count > 0) {
            LOG.warn("jobs refused: refused={}, last={}", count, text);
        }
        return text;
    }

    /**
     * Starts a job, which this node coordinates.
     *
     * @param made receives the coordinator before it starts
     * @throws IOException when this node takes no jobs now
     */
    JobCoordinator launch(final JobPlan plan, final JobClient client, final Consumer<JobCoordinator> made) throws IOException {
        final String refusal = refusal();
        if (refusal != null) {
            throw new IOException(refusal);
        }
        final String salt = HexFormat.of().toHexDigits((short) ThreadLocalRandom.current().nextInt());
        final String id = node + "-" + numbers.incrementAndGet() + "-" + salt;
        final JobCoordinator job = actions.create(id, plan, client);
        here.put(id, job);
        made.accept(job);
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

    /** Returns the name of the node that coordinates a job, by its id; empty if it is no id of a job. */
    static String nodeOf(final String job) {
        final Matcher id = ID.matcher(job);
        return id.matches() ? id.group("node") : "";
    }

    /** Returns whether this node coordinates no job. */
    boolean isEmpty() {
        return here.isEmpty();
    }

    /** Returns the jobs that this node coordinates. */
    List<JobInfo> infos() {
        return here.values().stream().map(JobCoordinator::info).toList();
    }

    /** Returns the orders of checkpoints of a job; null when another node coordinates it. */
    @Nullable
    CheckpointOrders orders(final String job) {
        final JobCoordinator found = here.get(job);
        return found == null ? null : found.checkpoints();
    }

    /** Ends all jobs that this node coordinates. */
    void end(final int status, final String text) {
        here.values().forEach(j -> j.end(status, text));
    }

    /** Ends the jobs of this node with parts on a lost node. */
    void nodeLost(final NodeInfo lost, final String reason) {
        here.values().forEach(j -> j.nodeLost(lost, reason));
    }

    /** Tells the jobs that this node coordinates which modules are in quarantine now. */
    void quarantined(final List<QuarantinedModule> changed) {
        changed.stream().filter(QuarantinedModule::isActive).forEach(q -> here.values().forEach(j -> j.quarantined(q)));
    }

    /** Ends a job, whichever node coordinates it; returns whether it was found. Blocks. */
    boolean cancelAnywhere(final String job) {
        return Boolean.TRUE.equals(cluster.get().ask(nodeOf(job), JobQuestions.class, n -> n.cancel(job)));
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
    JobActivity findRanks(final String id) {
        return cluster.get().ask(nodeOf(id), JobQuestions.class, n -> n.ranks(id));
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
    List<JobRecord> histories() {
        final List<JobRecord> all = new ArrayList<>(history.jobs());
        cluster.get().askAll(JobQuestions.class, JobQuestions::history, LOOK_LIMIT).values().forEach(all::addAll);
        all.sort(Comparator.comparingLong(JobRecord::since));
        return all;
    }
}
