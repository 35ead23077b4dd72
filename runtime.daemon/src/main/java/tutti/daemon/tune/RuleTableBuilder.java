package tutti.daemon.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import tutti.runtime.select.AlgorithmRef;
import tutti.runtime.select.LongRange;
import tutti.runtime.select.SelectionRule;

/**
 * Makes a table of rules out of measurements: for each operation, number of nodes and number of ranks, and each size, the quickest algorithm.
 *
 * <p>What was not measured is served like the next larger that was, and beyond the largest like the largest; between two sizes the border is
 * their geometric mean. An algorithm is kept while the quickest is not quicker by more than {@value #MARGIN} of its time, so that noise makes
 * no rules. After it the rule names the best algorithm of each other module, in the order of their mean times for these sizes, for jobs that do
 * not have the first module; the last is module {@value #BASIC}, which every job has. Stateless.
 */
public final class RuleTableBuilder {
    private static final double MARGIN = 0.05;
    private static final String BASIC = "basic";

    private RuleTableBuilder() { }

    /** What serves some sizes. */
    private record Stretch(LongRange bytes, List<AlgorithmRef> uses) { }

    /** The table. */
    public static List<SelectionRule> rules(final List<Measurement> points) {
        final List<SelectionRule> rules = new ArrayList<>();
        group(points, p -> p.setting().operation()).forEach((operation, of) -> {
            final TreeMap<Integer, List<Measurement>> byNodes = group(of, p -> p.setting().nodes());
            byNodes.forEach((nodes, there) -> byRanks(operation, range(byNodes, nodes), there, rules));
        });
        return rules;
    }

    private static <K extends Comparable<K>> TreeMap<K, List<Measurement>> group(final List<Measurement> points, final Function<Measurement, K> by) {
        return points.stream().collect(Collectors.groupingBy(by, TreeMap::new, Collectors.toList()));
    }

    /** What a measured number stands for: those since the one measured before; the last for all above, too. */
    private static LongRange range(final TreeMap<Integer, ?> measured, final int number) {
        final Integer before = measured.lowerKey(number);
        return new LongRange(before == null ? 0 : before + 1, number == measured.lastKey() ? Long.MAX_VALUE : number);
    }

    private static void byRanks(final String operation, final LongRange nodes, final List<Measurement> points, final List<SelectionRule> rules) {
        final TreeMap<Integer, List<Measurement>> byRanks = group(points, p -> p.setting().ranks());
        LongRange ranks = null;
        List<Stretch> last = null;
        for (final Map.Entry<Integer, List<Measurement>> e : byRanks.entrySet()) {
            final LongRange here = range(byRanks, e.getKey());
            final List<Stretch> stretches = stretches(operation, e.getValue());
            if (stretches.equals(last)) {
                ranks = new LongRange(ranks.min(), here.max());
            } else {
                add(operation, nodes, ranks, last, rules);
                ranks = here;
                last = stretches;
            }
        }
        add(operation, nodes, ranks, last, rules);
    }

    private static void add(final String operation, final LongRange nodes, final LongRange ranks, final List<Stretch> stretches,
        final List<SelectionRule> rules) {
        if (stretches != null) {
            for (final Stretch s : stretches) {
                rules.add(new SelectionRule(operation, ranks, nodes, LongRange.ALL, s.bytes, null, null, s.uses));
            }
        }
    }

    private static List<Stretch> stretches(final String operation, final List<Measurement> points) {
        final TreeMap<Long, List<Measurement>> bySize = group(points, p -> p.setting().bytes());
        final List<Stretch> stretches = new ArrayList<>();
        long from = 0;
        long first = bySize.firstKey();
        String kept = best(bySize.get(first), null);
        for (final long size : bySize.tailMap(first, false).keySet()) {
            final String best = best(bySize.get(size), kept);
            if (!best.equals(kept)) {
                final long border = border(bySize.lowerKey(size), size);
                stretches.add(new Stretch(new LongRange(from, border), uses(kept, bySize.subMap(first, size))));
                from = border + 1;
                first = size;
                kept = best;
            }
        }
        stretches.add(new Stretch(TuneSetting.hasSizes(operation) ? new LongRange(from, Long.MAX_VALUE) : LongRange.ALL,
            uses(kept, bySize.tailMap(first))));
        return stretches;
    }

    /** An algorithm, and those of other modules that were measured with all sizes, the quickest first. */
    private static List<AlgorithmRef> uses(final String best, final SortedMap<Long, List<Measurement>> bySize) {
        final Map<String, DoubleSummaryStatistics> logs = bySize.values().stream()
            .flatMap(points -> group(points, Measurement::algorithm).values().stream().map(RuleTableBuilder::quickest))
            .collect(Collectors.groupingBy(Measurement::algorithm, TreeMap::new,
                Collectors.summarizingDouble(p -> Math.log(Math.max(1e-3, p.micros())))));
        final List<AlgorithmRef> uses = new ArrayList<>(List.of(AlgorithmRef.of(best)));
        final Set<String> modules = new HashSet<>(Set.of(uses.getFirst().module()));
        logs.entrySet().stream().filter(e -> e.getValue().getCount() == bySize.size())
            .sorted(Comparator.comparingDouble(e -> e.getValue().getAverage())).map(e -> AlgorithmRef.of(e.getKey()))
            .filter(u -> !modules.contains(BASIC) && modules.add(u.module())).forEachOrdered(uses::add);
        return uses;
    }

    private static Measurement quickest(final List<Measurement> points) {
        return points.stream().min(Comparator.comparingDouble(Measurement::micros).thenComparing(Measurement::algorithm)).orElseThrow();
    }

    /** The largest size that is still served like the smaller one. */
    private static long border(final long smaller, final long larger) {
        return Math.max(smaller, (long) Math.sqrt((double) smaller * larger));
    }

    private static String best(final List<Measurement> points, final String kept) {
        final Measurement best = quickest(points);
        return points.stream().anyMatch(p -> p.algorithm().equals(kept) && p.micros() * (1 - MARGIN) <= best.micros()) ? kept : best.algorithm();
    }
}
