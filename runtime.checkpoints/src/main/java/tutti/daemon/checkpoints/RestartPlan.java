package tutti.daemon.checkpoints;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.daemon.listing.HeldCheckpoint;

/** Decision from which checkpoint a job continues, and which nodes hold the states of its ranks. */
public final class RestartPlan {
    private static final int MAX_NAMED = 20;

    private RestartPlan() {}

    /**
     * Chooses a checkpoint of a series: the newest one that is complete on a node, and of which the nodes hold every rank.
     *
     * @param series  the series
     * @param number  number of the checkpoint that is wanted; 0 for the newest
     * @param held    what all nodes hold
     * @param members names of the nodes of the cluster
     * @throws IOException when there is none; says what is missing and which nodes may have it
     */
    public static Restart choose(final String series, final int number, final Collection<HeldCheckpoint> held,
        final Collection<String> members) throws IOException {
        final Map<HeldCheckpoint.Key, List<HeldCheckpoint>> all = new LinkedHashMap<>();
        held.stream().filter(h -> h.series().equals(series)).sorted(Comparator.comparing(HeldCheckpoint::node))
            .forEach(h -> all.computeIfAbsent(h.key(), k -> new ArrayList<>()).add(h));
        if (all.isEmpty()) {
            // Cause: the nodes that run have none of it.
            throw new IOException("no such series of checkpoints: series=" + series + ", nodes=" + new TreeSet<>(members)
                + "; start the nodes that the job had, or list series with: tutti checkpoints");
        }
        final List<HeldCheckpoint.Key> wanted = all.keySet().stream().filter(k -> number == 0 || k.number() == number)
            .sorted(Comparator.comparingInt(HeldCheckpoint.Key::generation).thenComparingInt(HeldCheckpoint.Key::number)
                .thenComparingLong(HeldCheckpoint.Key::point).reversed())
            .toList();
        final List<String> reasons = new ArrayList<>();
        for (final HeldCheckpoint.Key key : wanted) {
            final List<HeldCheckpoint> parts = all.getOrDefault(key, List.of());
            final String lack = lack(key, parts, members);
            if (lack == null) {
                return new Restart(series, key.number(), key.job(), key.generation(), key.point(), key.ranks(),
                    parts.stream().map(p -> new Restart.Holder(p.node(), p.held())).toList());
            }
            reasons.add(lack);
        }
        // Cause: none of the series is whole, or none has the number. Remedy: start the nodes that the job had.
        throw new IOException("no checkpoint to continue from: series=" + series + (number == 0 ? "" : ", number=" + number) + ": "
            + (reasons.isEmpty() ? "there are " + all.keySet().stream().map(k -> String.valueOf(k.number())).distinct().sorted()
                .collect(Collectors.joining(", ")) : String.join("; ", reasons)));
    }

    /** Returns what a checkpoint lacks, as text; null when a job can continue from it. */
    private static @Nullable String lack(final HeldCheckpoint.Key key, final List<HeldCheckpoint> parts, final Collection<String> members) {
        final Set<Integer> missing = new TreeSet<>();
        for (int r = 0; r < key.ranks(); r++) {
            missing.add(r);
        }
        parts.forEach(p -> p.held().forEach(missing::remove));
        final boolean isComplete = parts.stream().anyMatch(HeldCheckpoint::complete);
        if (missing.isEmpty() && isComplete) {
            return null;
        }
        final Set<String> away = new TreeSet<>();
        parts.forEach(p -> away.addAll(p.keepers()));
        away.removeAll(members);
        final String nodes = away.isEmpty() ? "" : ", start " + (away.size() == 1 ? "node " : "one or more of the nodes ") + String.join(", ", away)
            + " again";
        return "checkpoint " + key.number() + (isComplete ? "" : " is complete on no node" + (missing.isEmpty() ? "" : " and"))
            + (missing.isEmpty() ? "" : " lacks rank" + (missing.size() == 1 ? " " : "s ") + missing.stream().limit(MAX_NAMED).map(String::valueOf)
                .collect(Collectors.joining(", ")) + (missing.size() > MAX_NAMED ? ", ... (" + missing.size() + ")" : ""))
            + nodes;
    }
}
