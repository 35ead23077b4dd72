package tutti.daemon.listing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoint as {@code tutti checkpoints} shows it.
 *
 * @param series   the series
 * @param number   number in the series
 * @param job      id of the job that has written it
 * @param complete whether it is complete on any node, so that all ranks were written
 * @param ranks    number of ranks of the job
 * @param missing  ranks that no node holds, ascending
 * @param copies   number of nodes that hold each rank, the smallest number
 * @param bytes    bytes of one copy of the data that nodes hold
 * @param time     when the newest rank was written, in milliseconds of the epoch
 * @param nodes    names of the nodes that hold it
 * @param usedBy   id of the job that uses the series; null if none does
 */
public record CheckpointRow(String series, int number, String job, boolean complete, int ranks, List<Integer> missing, int copies, long bytes,
    long time, List<String> nodes, @Nullable String usedBy) {

    /** Returns one row per checkpoint, by series, then the newest first. */
    public static List<CheckpointRow> of(final List<HeldCheckpoint> held) {
        final Map<HeldCheckpoint.Key, List<HeldCheckpoint>> all = new LinkedHashMap<>();
        held.forEach(h -> all.computeIfAbsent(h.key(), k -> new ArrayList<>()).add(h));
        final Map<String, String> users = new HashMap<>();
        held.forEach(h -> {
            if (h.usedBy() != null) {
                users.put(h.series(), h.usedBy());
            }
        });
        return all.entrySet().stream().sorted(Map.Entry.comparingByKey(Comparator.comparing(HeldCheckpoint.Key::series)
            .thenComparing(Comparator.comparingInt(HeldCheckpoint.Key::generation).thenComparingInt(HeldCheckpoint.Key::number).reversed())))
            .map(e -> of(e.getKey(), e.getValue(), users.get(e.getKey().series()))).toList();
    }

    private static CheckpointRow of(final HeldCheckpoint.Key key, final List<HeldCheckpoint> held, final @Nullable String user) {
        final int[] copies = new int[key.ranks()];
        held.stream().flatMap(h -> h.held().stream()).filter(r -> r >= 0 && r < copies.length).forEach(r -> copies[r]++);
        // ranks differ in size: the bytes of one copy are those of all, divided by the copies on average
        final long all = Arrays.stream(copies).sum();
        final long ranks = Arrays.stream(copies).filter(c -> c > 0).count();
        final long bytes = all == 0 ? 0 : Math.round((double) held.stream().mapToLong(HeldCheckpoint::bytes).sum() * ranks / all);
        return new CheckpointRow(key.series(), key.number(), key.job(), held.stream().anyMatch(HeldCheckpoint::complete), key.ranks(),
            IntStream.range(0, copies.length).filter(r -> copies[r] == 0).boxed().toList(), Arrays.stream(copies).min().orElse(0), bytes,
            held.stream().mapToLong(HeldCheckpoint::time).max().orElse(0),
            List.copyOf(new TreeSet<>(held.stream().map(HeldCheckpoint::node).toList())), user);
    }

    /** Returns whether a job can continue from it. */
    public boolean isUsable() {
        return complete && missing.isEmpty();
    }

    /** Returns what a reader has to know about it in a word. */
    String state() {
        return !complete ? "not complete" : missing.isEmpty() ? Objects.requireNonNullElse(usedBy == null ? null : "in use", "complete")
            : "lacks " + missing.size() + (missing.size() == 1 ? " rank" : " ranks");
    }
}
