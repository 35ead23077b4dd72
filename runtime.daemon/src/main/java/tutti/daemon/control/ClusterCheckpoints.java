package tutti.daemon.control;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.checkpoints.NodeCheckpoints;
import tutti.daemon.checkpoints.RestartPlan;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;

/**
 * The checkpoints of the jobs of a cluster, as commands and other nodes ask for them: takes, lists, chooses and removes them. Safe for any thread.
 */
final class ClusterCheckpoints {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterCheckpoints.class);
    /** How long to wait before a coordinator on another node is asked again. */
    private static final long POLL_MILLIS = 100;

    private final NodeCheckpoints here;
    private final Cluster cluster;
    private final Function<String, @Nullable CheckpointOrders> orders;

    /**
     * Creates the checkpoints of a cluster.
     *
     * @param here   those that this node keeps
     * @param orders returns the orders of a job that this node coordinates; null for others
     */
    ClusterCheckpoints(final NodeCheckpoints here, final Cluster cluster, final Function<String, @Nullable CheckpointOrders> orders) {
        this.here = here;
        this.cluster = cluster;
        this.orders = orders;
    }

    /** Returns the checkpoints that this node keeps. */
    NodeCheckpoints here() {
        return here;
    }

    /** Answers the question of another node. Blocks. */
    Message.Answer answer(final Message.Ask ask) {
        return switch (ask.question()) {
            case CHECKPOINT -> {
                final CheckpointOrders found = orders.apply(ask.argument());
                yield new Message.Answer(ask.id(), found != null, null, found == null ? null : Long.toString(found.order()));
            }
            case CHECKPOINT_END -> {
                final String[] order = ask.argument().split(" ");
                final CheckpointOrders found = orders.apply(order[0]);
                if (order.length != 2 || !order[1].matches("\\d{1,18}")) {
                    yield new Message.Answer(ask.id(), false, null, "no order: " + ask.argument());
                }
                final Message.Reply result = found == null ? jobEnded(order[0]) : result(order[0], found.result(Long.parseLong(order[1])));
                yield new Message.Answer(ask.id(), result != null, null, result == null ? null : MessageCodec.text(result));
            }
            case CHECKPOINTS -> new Message.Answer(ask.id(), true, null, MessageCodec.text(here.list()));
            case REMOVE_CHECKPOINTS -> {
                final String kept = here.remove(ask.argument());
                yield new Message.Answer(ask.id(), kept == null, null, kept);
            }
            default -> throw new IllegalArgumentException("no question about checkpoints: " + ask.question());
        };
    }

    /** Saves the state of a job, whichever node coordinates it, and waits for that. */
    Message.Reply take(final String job, final long limitMillis) throws IOException, InterruptedException {
        final long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
        final CheckpointOrders own = orders.apply(job);
        if (own != null) {
            final CompletableFuture<Message.Checkpointed> result = own.result(own.order());
            try {
                result.get(limitMillis, TimeUnit.MILLISECONDS);
            } catch (final TimeoutException e) {
                return noPoint(job, limitMillis);
            } catch (final ExecutionException e) {
                LOG.debug("no checkpoint of job {}", job, e);
            }
            return result(job, result);
        }
        final List<String> others = cluster.nodes().stream().map(NodeInfo::name).filter(n -> !n.equals(cluster.self().name())).toList();
        for (final Map.Entry<String, Message.Answer> answer : cluster.askEach(others, Message.Question.CHECKPOINT, job).entrySet()) {
            if (answer.getValue().done()) {
                return awaitCheckpoint(answer.getKey(), job, answer.getValue().text(), until, limitMillis);
            }
        }
        return new Message.Reply(ExitStatus.FAILED, "no such job runs: id=" + job + "; list them with: tutti ps");
    }

    private Message.Reply awaitCheckpoint(final String node, final String job, final String order, final long until, final long limitMillis)
        throws IOException, InterruptedException {
        while (System.nanoTime() - until < 0) {
            final Message.Answer answer = cluster.askEach(List.of(node), Message.Question.CHECKPOINT_END, job + " " + order).get(node);
            if (answer == null) {
                return new Message.Reply(ExitStatus.NO_CLUSTER, "node " + node + " does not answer, which coordinates job " + job);
            }
            if (answer.done()) {
                return MessageCodec.read(answer.text(), Message.Reply.class);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return noPoint(job, limitMillis);
    }

    private static Message.Reply noPoint(final String job, final long limitMillis) {
        return new Message.Reply(ExitStatus.FAILED, "job " + job + " was not saved within " + limitMillis / 1000.0
            + " s: not all its ranks have reached a point, which is a call of Checkpoint.here; it will be saved when they do");
    }

    private static Message.Reply jobEnded(final String job) {
        return new Message.Reply(ExitStatus.FAILED, "job " + job + " has ended before all its ranks reached a point");
    }

    /** Returns the reply to a request for a checkpoint; null while there is none. */
    private static Message.@Nullable Reply result(final String job, final @Nullable CompletableFuture<Message.Checkpointed> future) {
        if (future == null || future.isCompletedExceptionally()) {
            return jobEnded(job);
        }
        final Message.Checkpointed report = future.getNow(null);
        if (report == null) {
            return null;
        }
        return report.problem() != null ? new Message.Reply(ExitStatus.FAILED, "job " + job + " cannot be saved at point " + report.point() + ": "
            + report.problem())
            : new Message.Reply(ExitStatus.OK, String.format(Locale.ROOT, "checkpoint %s/%d: point %d, %.1f MiB, %.3f s", job, report.number(),
                report.point(), report.bytes() / 1048576.0, report.nanos() / 1e9));
    }

    /** Returns what all nodes hold of checkpoints; nodes that do not answer in time are missing. Blocks. */
    List<HeldCheckpoint> held() throws IOException {
        final List<HeldCheckpoint> all = new ArrayList<>(here.list());
        for (final Message.Answer answer : cluster.askAll(Message.Question.CHECKPOINTS, "")) {
            all.addAll(List.of(MessageCodec.read(answer.text(), HeldCheckpoint[].class)));
        }
        return all;
    }

    /** Answers a command that lists checkpoints. Blocks. */
    Message.Reply list() throws IOException {
        return new Message.Reply(ExitStatus.OK, MessageCodec.text(held()));
    }

    /**
     * Chooses the checkpoint from which a job continues. Blocks.
     *
     * @param checkpoint SERIES for the newest one that is usable, or SERIES/NUMBER
     * @throws IOException when there is none; says what is missing
     */
    Message.Restart restart(final String checkpoint) throws IOException {
        final String[] parts = checkpoint.split("/", 2);
        final int number;
        try {
            number = parts.length == 1 ? 0 : Integer.parseInt(parts[1]);
        } catch (final NumberFormatException e) {
            throw new IOException("no number of a checkpoint: " + checkpoint + "; write JOB or JOB/NUMBER", e);
        }
        return RestartPlan.choose(parts[0], number, held(), cluster.nodes().stream().map(NodeInfo::name).toList());
    }

    /** Removes the checkpoints of a series from all nodes, unless a job uses them. Blocks. */
    Message.Reply remove(final String series) throws IOException {
        final List<HeldCheckpoint> held = held().stream().filter(h -> h.series().equals(series)).toList();
        if (held.isEmpty()) {
            return new Message.Reply(ExitStatus.FAILED, "no such series of checkpoints: series=" + series + "; list them with: tutti checkpoints");
        }
        for (final HeldCheckpoint h : held) {
            if (h.usedBy() != null) {
                return new Message.Reply(ExitStatus.FAILED, NodeCheckpoints.inUse(series, h.usedBy(), h.node()));
            }
        }
        return removeSeries(series);
    }

    /**
     * Removes the checkpoints of a series whose job has ended from all nodes; the reply names nodes that keep it. Blocks.
     *
     * <p>Nodes with copies wait a second for the links of the job to close.
     */
    Message.Reply removeSeries(final String series) {
        final List<String> kept = new ArrayList<>();
        final List<String> nodes = cluster.nodes().stream().map(NodeInfo::name).toList();
        final Map<String, Message.Answer> answers = cluster.askEach(nodes, Message.Question.REMOVE_CHECKPOINTS, series);
        for (final String node : nodes) {
            final Message.Answer answer = answers.get(node);
            final String reason = node.equals(cluster.self().name()) ? here.remove(series)
                : answer == null ? "node " + node + " does not answer" : answer.done() ? null : answer.text();
            if (reason != null) {
                kept.add(reason);
            }
        }
        return kept.isEmpty() ? new Message.Reply(ExitStatus.OK, "") : new Message.Reply(ExitStatus.FAILED, String.join("; ", kept));
    }
}
