package tutti.daemon.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.checkpoints.NodeCheckpoints;
import tutti.daemon.checkpoints.Restart;
import tutti.daemon.checkpoints.RestartPlan;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.NodeParts;
import tutti.daemon.protocol.Reply;
import tutti.runtime.checkpoint.store.CheckpointReport;

/**
 * The checkpoints of the jobs of a cluster, as commands and other nodes ask for them: takes, lists, chooses and removes them. Safe for any thread.
 */
@Component(service = ClusterCheckpoints.class)
public final class ClusterCheckpoints implements CheckpointQuestions {

    private final NodeCheckpoints here;
    private final Cluster cluster;

    /** Creates the checkpoints of a cluster, and tells the other nodes of those here. */
    @Activate
    public ClusterCheckpoints(@Reference(name = "parts") final NodeParts parts, @Reference(name = "cluster") final Cluster cluster) {
        this.here = parts.checkpoints();
        this.cluster = cluster;
        cluster.questions().serve(CheckpointQuestions.class, this);
    }

    @Override
    public CompletionStage<List<HeldCheckpoint>> held() {
        return CompletableFuture.completedStage(here.list());
    }

    @Override
    public CompletionStage<String> removeSeries(final String series) {
        return CompletableFuture.completedStage(Objects.requireNonNullElse(here.remove(series), ""));
    }

    /** Saves the state of a job, whichever node coordinates it, and waits for that. */
    public Reply take(final String job, final long limitMillis) throws InterruptedException {
        final CompletableFuture<Reply> reply = CompletableFuture.supplyAsync(() -> Objects.requireNonNullElse(
            cluster.questions().ask(ClusterJobs.nodeOf(job), JobQuestions.class, n -> n.checkpoint(job)),
            new Reply(ExitStatus.FAILED, "no such job runs: id=" + job + "; list them with: tutti ps")),
            task -> Thread.ofVirtual().name("tutti-checkpoint").start(task));
        try {
            return reply.get(limitMillis, TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            return noPoint(job, limitMillis);
        } catch (final ExecutionException e) {
            // Cause: the job ended while a part of it was prepared.
            throw new IllegalStateException("a reply of a checkpoint", e);
        }
    }

    private static Reply noPoint(final String job, final long limitMillis) {
        return new Reply(ExitStatus.FAILED, "job " + job + " was not saved within " + limitMillis / 1000.0
            + " s: not all its ranks have reached a point, which is a call of Checkpoint.here; it will be saved when they do");
    }

    /** Returns the reply to a request for a checkpoint; there is no report when the job has ended before. */
    static Reply reply(final String job, final @Nullable CheckpointReport report) {
        if (report == null) {
            // Cause: the job ended while it was to be saved.
            return new Reply(ExitStatus.FAILED, "job " + job + " has ended before all its ranks reached a point");
        }
        // Cause: a disk is full, a node was lost, or messages are on their way. Remedy: the reason is in the message.
        return report.problem() != null ? new Reply(ExitStatus.FAILED, "job " + job + " cannot be saved at point " + report.point() + ": "
            + report.problem())
            : new Reply(ExitStatus.OK, String.format(Locale.ROOT, "checkpoint %s/%d: point %d, %.1f MiB, %.3f s", job, report.number(),
                report.point(), report.bytes() / 1048576.0, report.nanos() / 1e9));
    }

    /** Returns what all nodes hold of checkpoints; nodes that cannot answer are missing. Blocks. */
    public List<HeldCheckpoint> list() {
        final List<HeldCheckpoint> all = new ArrayList<>(here.list());
        cluster.questions().askAll(CheckpointQuestions.class, CheckpointQuestions::held).values().forEach(all::addAll);
        return all;
    }

    /**
     * Chooses the checkpoint from which a job continues. Blocks.
     *
     * @param checkpoint SERIES for the newest one that is usable, or SERIES/NUMBER
     * @throws IOException when there is none; says what is missing
     */
    public Restart restart(final String checkpoint) throws IOException {
        final String[] parts = checkpoint.split("/", 2);
        final int number;
        try {
            number = parts.length == 1 ? 0 : Integer.parseInt(parts[1]);
        } catch (final NumberFormatException e) {
            throw new IOException("no number of a checkpoint: " + checkpoint + "; write JOB or JOB/NUMBER", e);
        }
        return RestartPlan.choose(parts[0], number, list(), cluster.nodes().stream().map(NodeInfo::name).toList());
    }

    /** Removes the checkpoints of a series from all nodes, unless a job uses them. Blocks. */
    public Reply remove(final String series) {
        final List<HeldCheckpoint> held = list().stream().filter(h -> h.series().equals(series)).toList();
        if (held.isEmpty()) {
            return new Reply(ExitStatus.FAILED, "no such series of checkpoints: series=" + series + "; list them with: tutti checkpoints");
        }
        for (final HeldCheckpoint h : held) {
            if (h.usedBy() != null) {
                return new Reply(ExitStatus.FAILED, NodeCheckpoints.inUse(series, h.usedBy(), h.node()));
            }
        }
        return removeEverywhere(series);
    }

    /**
     * Removes the checkpoints of a series whose job has ended from all nodes; the reply names nodes that keep it. Blocks.
     *
     * <p>Nodes with copies wait until the links of the job are closed.
     */
    public Reply removeEverywhere(final String series) {
        final List<String> kept = new ArrayList<>();
        final List<String> nodes = cluster.nodes().stream().map(NodeInfo::name).toList();
        final Map<String, String> answers = cluster.questions().askEach(nodes, CheckpointQuestions.class, n -> n.removeSeries(series));
        for (final String node : nodes) {
            final String reason = node.equals(cluster.self().name()) ? here.remove(series)
                : answers.getOrDefault(node, "node " + node + " does not answer");
            if (reason != null && !reason.isEmpty()) {
                kept.add(reason);
            }
        }
        return kept.isEmpty() ? new Reply(ExitStatus.OK, "") : new Reply(ExitStatus.FAILED, String.join("; ", kept));
    }
}
