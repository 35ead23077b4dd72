package tutti.daemon.job;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.job.Replacement;
import tutti.runtime.model.LossMode;
import tutti.runtime.process.owner.RankOutcome;

/**
 * The ranks of a job that have failed, and the parts that were lost with them, while the job goes on without them. Decides alone which ranks have
 * failed: tells all parts that live, ends a part that was lost in case it lives as well, and ignores what that reports later. For the coordinator's
 * thread; any thread may ask which ranks have failed.
 */
final class JobLosses {
    private static final Logger LOG = LoggerFactory.getLogger(JobLosses.class);

    private final String job;
    private final JobParts parts;
    /** Indexes of the nodes whose parts were lost. */
    private final Set<Integer> lost = new HashSet<>();
    private final LossLines lines = new LossLines();
    private Runnable goesOn = () -> {
        // the ranks have not started
    };
    private Consumer<String> printer = line -> {
        // the ranks have not started
    };
    /** Whether a rank has ended well. */
    private boolean hasEndedWell;
    /** How the job ends if all its ranks fail; null while none has. */
    private @Nullable JobEndedException first;
    private volatile LossMode mode = LossMode.END;
    private volatile List<Integer> failed = List.of();

    /** Creates the losses of a job that ends by each of them. */
    JobLosses(final String job, final JobParts parts) {
        this.job = job;
        this.parts = parts;
    }

    /**
     * Sets what losses mean from now on: the ranks are about to start.
     *
     * @param whenFailed is run at each loss without which the job goes on
     * @param listener   receives a line for the user about each of them; does not block
     */
    void begin(final LossMode of, final Runnable whenFailed, final Consumer<String> listener) {
        goesOn = whenFailed;
        printer = listener;
        mode = of;
    }

    /** Returns whether the job goes on without ranks that fail. */
    boolean areReported() {
        return mode == LossMode.REPORT;
    }

    /** Returns whether a part was lost, by the index of its node. */
    boolean isLost(final int node) {
        return lost.contains(node);
    }

    /** Returns the ranks that have failed, in rising order. */
    List<Integer> failed() {
        return failed;
    }

    /**
     * Returns whether an event is none of the job any more, since it is of a part that was lost. It may explain the loss. A part without ranks that
     * run loses its links while the others close theirs: no node is lost because of that.
     */
    boolean ignores(final JobEvent event) {
        final int node = switch (event) {
            case JobEvent.RankEnded r -> r.node();
            case JobEvent.JvmLost j -> j.node();
            case JobEvent.PartFailed f -> f.node();
            case JobEvent.PartEnded e -> e.node();
            case JobEvent.NodeLost l -> l.node();
            default -> -1;
        };
        if (event instanceof final JobEvent.NodeLost l && areReported() && parts.running(List.of(l.node())).isEmpty()) {
            LOG.debug("job {}: of a part without ranks that run: {}", job, l);
            return true;
        }
        if (!lost.contains(node)) {
            return false;
        }
        LOG.debug("job {}: of a part that was lost: {}", job, event);
        if (event instanceof final JobEvent.RankEnded r && isOwn(r.end())) {
            final JobEndedException why = parts.end(r);
            if (why != null) {
                explain(r.node(), why);
                lines.explainByRank(r.node(), why);
            }
        } else if (event instanceof final JobEvent.JvmLost j) {
            final JobEndedException why = parts.failed(j);
            explain(j.node(), why);
            lines.addParts(List.of(j.node()), List.of(), 0, why);
        }
        return true;
    }

    /** Returns whether a rank has ended by itself, neither well nor because of others. */
    private static boolean isOwn(final RankOutcome end) {
        return end.kind() == RankOutcome.Kind.FAILED || end.kind() == RankOutcome.Kind.EXITED && end.status() != 0;
    }

    /** Replaces the first failure by what explains it. */
    private void explain(final int node, final @Nullable JobEndedException why) {
        if (first != null && why != null && first.isExplainedBy(node)) {
            first = why;
        }
    }

    /** Notes that a rank has ended well. */
    void endedWell() {
        hasEndedWell = true;
    }

    /**
     * Applies the end of a rank that has not ended well.
     *
     * @param end how the job ends by it
     * @throws JobEndedException that end, if the job does not go on
     */
    void failed(final JobEvent.RankEnded rank, final JobEndedException end) throws JobEndedException {
        if (!areReported()) {
            throw end;
        }
        if (isOwn(rank.end())) {
            explain(rank.node(), end);
        }
        lines.addRank(rank.rank(), fail(List.of(rank.rank()), end), end);
    }

    /**
     * Applies the loss of parts, each by the index of its node: all their ranks that have not ended fail. A part without such ranks is not touched.
     * The event may explain an earlier loss of the same part.
     *
     * @param end how the job ends by it
     * @throws JobEndedException that end, if the job does not go on
     */
    void lost(final List<Integer> nodes, final JobEndedException end) throws JobEndedException {
        if (!areReported()) {
            throw end;
        }
        final List<Integer> ranks = parts.running(nodes);
        nodes.stream().filter(n -> !ranks.isEmpty() || !end.isExplainedBy(n)).forEach(n -> explain(n, end));
        if (ranks.isEmpty()) {
            LOG.debug("job {}: no ranks are lost: {}", job, end.text());
            lines.addParts(nodes, ranks, 0, end);
            return;
        }
        for (final int node : nodes) {
            if (lost.add(node)) {
                parts.all().get(node).part().cancel(end.firstLine());
                parts.ended(node);
            }
        }
        lines.addParts(nodes, ranks, fail(ranks, end), end);
    }

    /** Notes that ranks have failed, and tells the others; returns the number of those that run. */
    private int fail(final List<Integer> ranks, final JobEndedException end) {
        final Set<Integer> all = new TreeSet<>(failed);
        all.addAll(ranks);
        failed = List.copyOf(all);
        first = first == null ? end : first;
        final int left = parts.removeRunning(ranks);
        final String reason = end.firstLine();
        parts.all().stream().filter(p -> !p.isEnded()).forEach(p -> p.part().lose(ranks, reason));
        LOG.info("job {} goes on without ranks: failed={}, running={}, reason={}", job, ranks, left, end.text());
        goesOn.run();
        return left;
    }

    /** Notes that spare ranks have taken the places of failed ones, for the user. */
    void replaced(final List<Replacement> places) {
        lines.addReplaced(places);
    }

    /** Returns when {@link #tell} has to be called, by {@link System#nanoTime}; {@link Long#MAX_VALUE} if nothing is to be told. */
    long nextAt() {
        return lines.nextAt();
    }

    /**
     * Tells the user of losses.
     *
     * @param all whether of those too that may be explained soon
     */
    void tell(final boolean all) {
        lines.print(all, printer);
    }

    /**
     * Checks that a rank has ended well, when all have ended.
     *
     * @throws JobEndedException the first failure, if none has
     */
    void check() throws JobEndedException {
        if (first != null && !hasEndedWell) {
            throw first;
        }
    }
}
