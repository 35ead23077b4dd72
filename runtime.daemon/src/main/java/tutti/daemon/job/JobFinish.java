package tutti.daemon.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.LostLink;
import tutti.daemon.node.ExitStatus;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.process.owner.RankOutcome;

/** Finish of a job: ends its parts and the jobs that it has spawned, and learns meanwhile why it has ended. For the coordinator's thread. */
final class JobFinish {
    private static final Logger LOG = LoggerFactory.getLogger(JobFinish.class);
    /** How long parts may take to end; their nodes end them when their links are closed then. */
    private static final Duration END_LIMIT = Duration.ofSeconds(6);
    /** How long spawned jobs may take to end when they were told to. */
    private static final Duration SPAWNED_LIMIT = Duration.ofSeconds(60);

    private final String id;
    private final JobParts parts;
    private final Cluster cluster;

    JobFinish(final String id, final JobParts parts, final Cluster cluster) {
        this.id = id;
        this.parts = parts;
        this.cluster = cluster;
    }

    /** Ends all parts and waits for them; returns the end of the job: the first one, or what explains it. */
    JobEndedException end(final JobEndedException first) throws InterruptedException {
        if (parts.isRunning()) {
            final String reason = first.text().isEmpty() ? "the job has ended" : first.text().lines().findFirst().orElse("");
            parts.all().stream().filter(p -> !p.isEnded()).forEach(p -> p.part().cancel(reason));
        }
        parts.replacements().endUnused();
        final JobEndedException end = awaitSpawned(explained(awaitEnd(first)), first.isWithRanks());
        if (!parts.spawning().isEmpty()) {
            parts.all().forEach(CoordinatedPart::close);
        }
        // no more is read of those that do not end
        parts.all().stream().filter(p -> !p.isEnded()).forEach(CoordinatedPart::close);
        return end;
    }

    /**
     * Waits until all parts have ended.
     *
     * @return the end of the job: the first one, or the error of a rank or of a part for which others had failed
     */
    private JobEndedException awaitEnd(final JobEndedException first) throws InterruptedException {
        JobEndedException end = first;
        final long limit = System.nanoTime() + END_LIMIT.toNanos();
        while (parts.all().stream().anyMatch(p -> !p.isEnded())) {
            final JobEvent event = parts.poll(limit);
            if (event == null) {
                // Cause: a node does not say that its part of an ended job has ended: it hangs, or the network is slow. Remedy: look at the nodes of
                // the job; `tutti doctor --connect`.
                LOG.warn("job {}: parts did not end within {}", id, END_LIMIT);
                return end;
            }
            end = ending(end, event);
        }
        return end;
    }

    private JobEndedException ending(final JobEndedException end, final JobEvent event) {
        if (parts.losses().ignores(event)) {
            return end;
        }
        switch (event) {
            case JobEvent.RankEnded r -> {
                final JobEndedException own = r.end().kind() == RankOutcome.Kind.PEER_FAILED || r.end().kind() == RankOutcome.Kind.CANCELLED ? null
                    : parts.end(r);
                return own != null && end.isExplainedBy(r.node()) ? own : end;
            }
            case JobEvent.PartFailed f -> {
                parts.ended(f.node());
                // parts that were cancelled before they were connected explain nothing
                return f.status() == ExitStatus.CANCELLED ? end
                    : end.isExplainedBy(f.node()) ? parts.failed(f) : orElse(end, parts.failed(f));
            }
            case JobEvent.JvmLost j -> {
                parts.ended(j.node());
                // its ranks have ended, or what ended the job matters
                return end.isExplainedBy(j.node()) ? parts.failed(j) : parts.losses().areReported() ? end : orElse(end, parts.failed(j));
            }
            case JobEvent.PartEnded e -> parts.ended(e.node());
            case JobEvent.PartLost l -> parts.lost(l);
            case JobEvent.NodeLost l -> {
                final LostLink link = end.link();
                if (link != null && NodeAddress.nodeOf(parts.name(l.node())).equals(link.other())
                    && NodeAddress.nodeOf(parts.name(l.lost())).equals(link.node())) {
                    end.add(l.reason());
                }
            }
            case JobEvent.Spawned s -> parts.spawned(s.node());
            case JobEvent.SpawnEnded s -> parts.spawnEnded(s.node());
            case JobEvent e -> LOG.debug("job {} is ending: {}", id, e);
        }
        return end;
    }

    /** Returns the end with what both nodes of a lost link know of its loss, if both are there. Blocks while the nodes are asked. */
    private JobEndedException explained(final JobEndedException end) {
        final LostLink link = end.link();
        final String text = link == null ? null : link.explain(cluster, end.otherReason());
        return text == null ? end : new JobEndedException(end.status(), text);
    }

    /**
     * Waits until the jobs that this one has spawned have ended; ends them first when the client or the time limit ends this one.
     *
     * @param isEnded whether the user or the time limit has ended the job
     * @return the end of the job: the first one, or the reason why the spawned jobs were ended if it was successful
     */
    private JobEndedException awaitSpawned(final JobEndedException first, final boolean isEnded) throws InterruptedException {
        JobEndedException end = first;
        boolean isOrdered = false;
        long limit = parts.deadline();
        boolean isToEnd = isEnded || parts.isEndRequested();
        while (!parts.spawning().isEmpty()) {
            if (isToEnd && !isOrdered) {
                isOrdered = true;
                limit = System.nanoTime() + SPAWNED_LIMIT.toNanos();
                parts.all().forEach(p -> p.part().endSpawned("the job that spawned it was ended"));
            }
            final JobEvent event = parts.poll(limit);
            if (event == null && isOrdered) {
                // Cause: a node does not say that its part of an ended job has ended: it hangs, or the network is slow, of spawned jobs. Remedy: look
                // at the nodes of the job; `tutti doctor --connect`.
                LOG.warn("job {}: jobs that it has spawned did not end: limit={} s, nodes={}", id, SPAWNED_LIMIT.toSeconds(), parts.spawning());
                return end;
            }
            end = orElse(end, spawnedEnding(event));
            isToEnd |= event == null || event instanceof JobEvent.EndRequested;
        }
        return end;
    }

    /** Applies an event while spawned jobs run; null is the time limit. Returns the end of the job if it is one. */
    private @Nullable JobEndedException spawnedEnding(final @Nullable JobEvent event) {
        switch (event) {
            case null -> {
                return parts.timedOut();
            }
            case JobEvent.EndRequested o -> {
                return new JobEndedException(o.status(), o.text());
            }
            case JobEvent.PartLost l -> parts.lost(l);
            case JobEvent.Spawned s -> parts.spawned(s.node());
            case JobEvent.SpawnEnded s -> parts.spawnEnded(s.node());
            case JobEvent e -> LOG.debug("job {} waits for the jobs that it has spawned: {}", id, e);
        }
        return null;
    }

    private static JobEndedException orElse(final JobEndedException first, final @Nullable JobEndedException later) {
        return later != null && first.status() == ExitStatus.OK ? later : first;
    }
}
