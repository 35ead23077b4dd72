package tutti.daemon.control;

import java.io.IOException;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.monitor.JobMeasurements;
import tutti.daemon.node.JobRecord;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;

/** Measurements of jobs, whichever node keeps them: reads those of this node, and asks the others for theirs. Safe for any thread. */
final class ClusterMeasurements {
    private final MeasurementStore store;
    private final JobHistory history;
    private final Cluster cluster;

    ClusterMeasurements(final MeasurementStore store, final JobHistory history, final Cluster cluster) {
        this.store = store;
        this.history = history;
        this.cluster = cluster;
    }

    /** Returns which measurements of a job are kept; null when no node knows the job. Blocks. */
    @Nullable
    JobMeasurements find(final String job) throws IOException {
        final JobMeasurements here = findHere(job);
        if (here != null) {
            return here;
        }
        for (final Message.Answer answer : cluster.askAll(Message.Question.MEASUREMENTS, job)) {
            if (answer.done()) {
                return MessageCodec.read(answer.text(), JobMeasurements.class);
            }
        }
        return null;
    }

    private @Nullable JobMeasurements findHere(final String job) {
        final JobMeasurements kept = store.find(job);
        if (kept != null) {
            return kept;
        }
        final JobRecord known = history.find(job);
        return known == null ? null : store.none(job, known.program());
    }

    /** Reads a measurement, as {@link ClusterView#read} says. Blocks. */
    boolean read(final JobMeasurements of, final String name, final ClusterView.ChunkReceiver to) throws IOException {
        final boolean isHere = of.node().equals(cluster.self().name());
        long offset = 0;
        while (true) {
            final byte[] part = isHere ? store.read(of.job(), name, offset) : ask(of, name, offset);
            if (part == null || part.length == 0) {
                return part != null;
            }
            offset += part.length;
            to.receive(part);
        }
    }

    private byte @Nullable [] ask(final JobMeasurements of, final String name, final long offset) {
        final String argument = MessageCodec.text(new Message.MeasurementPart(of.job(), name, offset));
        final Message.Answer answer = cluster.askEach(List.of(of.node()), Message.Question.MEASUREMENT, argument).get(of.node());
        return answer == null || !answer.done() ? null : Base64.getDecoder().decode(answer.text());
    }

    /** Answers a question of another node about measurements. Does not block. */
    Message.Answer answer(final Message.Ask ask) {
        if (ask.question() == Message.Question.MEASUREMENTS) {
            final JobMeasurements here = findHere(ask.argument());
            return new Message.Answer(ask.id(), here != null, null, here == null ? null : MessageCodec.text(here));
        }
        try {
            final Message.MeasurementPart wanted = MessageCodec.read(ask.argument(), Message.MeasurementPart.class);
            final byte[] part = store.read(wanted.job(), wanted.name(), wanted.offset());
            return new Message.Answer(ask.id(), part != null, null, part == null ? null : Base64.getEncoder().encodeToString(part));
        } catch (final IOException e) {
            return new Message.Answer(ask.id(), false, null, null);
        }
    }
}
