package tutti.daemon.job;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import tutti.daemon.node.ExitStatus;
import tutti.runtime.job.Replacement;

/**
 * Lines for the user about losses without which a job goes on, in the order of the losses. The line about a part that another one has lost waits a
 * moment: its own node may report why it has ended, or the node may be lost with all its parts, which is one line. For the coordinator's thread.
 */
final class LossLines {
    private static final Duration WAIT = Duration.ofSeconds(1);
    /** Most ranks that a line names. */
    private static final int MOST_NAMES = 8;

    private final Deque<Line> lines = new ArrayDeque<>();

    private static final class Line {
        private final Set<Integer> ranks = new TreeSet<>();
        private final Set<Integer> nodes = new HashSet<>();
        private final List<Replacement> places;
        private JobEndedException why;
        private boolean areNamed;
        /** Number of ranks that ran after the loss. */
        private int left;
        private long dueAt;

        Line(final JobEndedException why, final boolean areNamed, final int left, final long dueAt) {
            this.places = List.of();
            this.why = why;
            this.areNamed = areNamed;
            this.left = left;
            this.dueAt = dueAt;
        }

        Line(final List<Replacement> places) {
            this.places = places;
            this.why = new JobEndedException(ExitStatus.OK, "");
            this.dueAt = System.nanoTime();
        }

        String text() {
            if (!places.isEmpty()) {
                return "tutti: " + names(places.stream().map(Replacement::rank).toList()) + (places.size() == 1 ? " takes the place of "
                    : " take the places of ") + names(places.stream().map(Replacement::replaces).toList());
            }
            final String failed = areNamed ? ": " + names(List.copyOf(ranks)) + (ranks.size() == 1 ? " has" : " have") + " failed" : "";
            return "tutti: " + why.firstLine() + failed
                + (left == 0 ? "" : (areNamed ? ", " : ": ") + "the job goes on with " + left + (left == 1 ? " rank" : " ranks"));
        }
    }

    /**
     * Adds the failure of a rank.
     *
     * @param left number of ranks that run after it
     */
    void addRank(final int rank, final int left, final JobEndedException why) {
        final Line line = new Line(why, false, left, System.nanoTime());
        line.ranks.add(rank);
        lines.add(line);
    }

    /**
     * Adds the loss of parts.
     *
     * @param nodes their indexes
     * @param ranks those of their ranks that had not ended
     * @param left  number of ranks that run after it
     */
    void addParts(final Collection<Integer> nodes, final Collection<Integer> ranks, final int left, final JobEndedException why) {
        final boolean isFinal = nodes.stream().noneMatch(why::isExplainedBy);
        if (!ranks.isEmpty()) {
            final Line line = new Line(why, true, left, System.nanoTime() + (isFinal ? 0 : WAIT.toNanos()));
            line.ranks.addAll(ranks);
            line.nodes.addAll(nodes);
            lines.add(line);
        }
        if (isFinal) {
            explain(nodes, why, true);
        }
    }

    /** Adds places of failed ranks that others have taken. */
    void addReplaced(final List<Replacement> places) {
        lines.add(new Line(places));
    }

    /** Replaces the reason of a line about a part that waits, by the end of a rank there that ended by itself. */
    void explainByRank(final int node, final JobEndedException why) {
        explain(List.of(node), why, false);
    }

    /** Replaces the reason of lines about parts by a better one, and makes one line of them. */
    private void explain(final Collection<Integer> nodes, final JobEndedException why, final boolean areNamed) {
        Line first = null;
        final List<Line> since = new ArrayList<>();
        for (final Iterator<Line> i = lines.iterator(); i.hasNext();) {
            final Line line = i.next();
            if (Collections.disjoint(line.nodes, nodes)) {
                since.add(line);
            } else if (first == null) {
                first = line;
                since.clear();
                since.add(line);
            } else {
                first.ranks.addAll(line.ranks);
                first.nodes.addAll(line.nodes);
                since.forEach(l -> l.left -= line.ranks.size());
                i.remove();
            }
        }
        if (first != null) {
            first.why = why;
            first.areNamed = areNamed || first.ranks.size() > 1;
            first.dueAt = System.nanoTime();
        }
    }

    /** Returns when the next line is due, by {@link System#nanoTime}; {@link Long#MAX_VALUE} if there is none. */
    long nextAt() {
        return lines.isEmpty() ? Long.MAX_VALUE : lines.element().dueAt;
    }

    /**
     * Prints lines, without their ends.
     *
     * @param all whether to print those too that are not due
     */
    void print(final boolean all, final Consumer<String> printer) {
        while (!lines.isEmpty() && (all || System.nanoTime() - lines.element().dueAt >= 0)) {
            printer.accept(lines.remove().text());
        }
    }

    /** Returns ranks in words, for example {@code ranks 4 and 5}. */
    private static String names(final List<Integer> ranks) {
        final int named = ranks.size() > MOST_NAMES ? MOST_NAMES : ranks.size() - 1;
        final String some = ranks.stream().limit(named).map(String::valueOf).collect(Collectors.joining(", "));
        final String last = ranks.size() > MOST_NAMES ? ranks.size() - MOST_NAMES + " more" : String.valueOf(ranks.getLast());
        return ranks.size() == 1 ? "rank " + last : "ranks " + some + " and " + last;
    }
}
