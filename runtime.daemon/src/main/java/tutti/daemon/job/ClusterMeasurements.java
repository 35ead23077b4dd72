package tutti.daemon.job;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.monitor.JobMeasurements;
import tutti.daemon.node.JobRecord;

/** Measurements of jobs, whichever node keeps them: reads those of this node, and asks the others for theirs. Safe for any thread. */
@Component(service = ClusterMeasurements.class)
public final class ClusterMeasurements implements MeasurementQuestions {
    private final MeasurementStore store;
    private final JobHistory history;
    private final Cluster cluster;

    /** Creates the measurements of a cluster, and tells the other nodes of those here. */
    @Activate
    public ClusterMeasurements(@Reference(name = "store") final MeasurementStore store, @Reference(name = "history") final JobHistory history,
        @Reference(name = "cluster") final Cluster cluster) {
        this.store = store;
        this.history = history;
        this.cluster = cluster;
        cluster.questions().serve(MeasurementQuestions.class, this);
    }

    /** Returns which measurements of a job are kept; null when no node knows the job. Blocks. */
    @Nullable
    public JobMeasurements find(final String job) {
        return cluster.questions().ask(ClusterJobs.nodeOf(job), MeasurementQuestions.class, n -> n.measurements(job));
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
    public boolean read(final JobMeasurements of, final String name, final ClusterView.ChunkReceiver to) throws IOException {
        long offset = 0;
        while (true) {
            final long from = offset;
            final byte[] part = cluster.questions().ask(of.node(), MeasurementQuestions.class, n -> n.part(of.job(), name, from));
            if (part == null || part.length == 0) {
                return part != null;
            }
            offset += part.length;
            to.receive(part);
        }
    }

    @Override
    public CompletionStage<@Nullable JobMeasurements> measurements(final String job) {
        return CompletableFuture.completedStage(findHere(job));
    }

    @Override
    public CompletionStage<byte @Nullable []> part(final String job, final String name, final long offset) {
        return CompletableFuture.completedStage(store.read(job, name, offset));
    }
}
