package tutti.runtime.introspect;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tutti.runtime.policy.LongRange;

/**
 * The collectives of one operation that the plans of a call nest on one hidden communicator, served by one algorithm for one reason.
 *
 * @param operation    name in lower case
 * @param communicator name of the hidden communicator
 * @param ranks        its ranks of which plans are known, in the communicator of the call, in ascending order
 * @param calls        number of the collectives
 * @param bytes        lengths of the ranks' larger buffers
 * @param module       the selected module, name and version
 * @param algorithm    the module's algorithm
 * @param reason       why that algorithm was selected
 */
public record PartSummary(String operation, String communicator, List<Integer> ranks, int calls, LongRange bytes, String module, String algorithm,
    String reason) {
    /** Number of communicators that a line names. */
    private static final int NAMED = 3;

    private record Key(String operation, String communicator, String module, String algorithm, String reason) {}

    /** Copies the list. */
    public PartSummary {
        ranks = List.copyOf(ranks);
    }

    /** Returns the summaries of the plans of several ranks for one call, in the order in which the first rank that has one begins it. */
    public static List<PartSummary> of(final SortedMap<Integer, List<PlannedPart>> partsByRank) {
        final Map<Key, PartSummary> summaries = new LinkedHashMap<>();
        partsByRank.forEach((rank, parts) -> parts.stream()
            .collect(Collectors.groupingBy(p -> new Key(p.operation(), p.communicator(), p.module(), p.algorithm(), p.reason()), LinkedHashMap::new,
                Collectors.summarizingLong(PlannedPart::bytes)))
            .forEach((k, bytes) -> summaries.merge(k, new PartSummary(k.operation, k.communicator, List.of(rank), (int) bytes.getCount(),
                new LongRange(bytes.getMin(), bytes.getMax()), k.module, k.algorithm, k.reason), PartSummary::plus)));
        return List.copyOf(summaries.values());
    }

    private PartSummary plus(final PartSummary other) {
        final TreeSet<Integer> all = new TreeSet<>(ranks);
        all.addAll(other.ranks);
        return new PartSummary(operation, communicator, List.copyOf(all), Math.max(calls, other.calls),
            new LongRange(Math.min(bytes.min(), other.bytes.min()), Math.max(bytes.max(), other.bytes.max())), module, algorithm, reason);
    }

    /** Returns a line for each of the summaries; those that differ by the communicator alone are one line. */
    public static List<String> lines(final List<PartSummary> summaries) {
        final Map<String, List<PartSummary>> lines = new LinkedHashMap<>();
        summaries.forEach(s -> lines.computeIfAbsent(s.what() + "\n" + s.server(), k -> new ArrayList<>()).add(s));
        return lines.values().stream().map(same -> same.getFirst().what() + same.stream().limit(NAMED).map(PartSummary::place)
            .collect(Collectors.joining(", ")) + (same.size() > NAMED ? " and " + (same.size() - NAMED) + " more" : "") + ": "
            + same.getFirst().server()).toList();
    }

    private String what() {
        return (calls == 1 ? "" : calls + " × ") + operation + (bytes.max() == 0 ? "" : ", " + bytes + " bytes") + ", on ";
    }

    private String server() {
        return module + ", algorithm " + algorithm + " (" + reason + ")";
    }

    private String place() {
        return communicator + (ranks.size() == 1 ? " (rank " : " (ranks ") + list(ranks) + ")";
    }

    /** Returns ranks in ascending order as text, consecutive ones as a range: {@code 0-2, 5}. */
    public static String list(final List<Integer> ranks) {
        final List<String> ranges = new ArrayList<>();
        for (int i = 0; i < ranks.size();) {
            int j = i;
            while (j + 1 < ranks.size() && ranks.get(j + 1) == ranks.get(j) + 1) {
                j++;
            }
            ranges.add(i == j ? ranks.get(i).toString() : ranks.get(i) + "-" + ranks.get(j));
            i = j + 1;
        }
        return String.join(", ", ranges);
    }
}
