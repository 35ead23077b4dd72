package tutti.daemon.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import tutti.runtime.select.Range;
import tutti.runtime.select.Rule;

/**
 * Makes a table of rules out of measurements: for each operation, number of nodes and number of ranks, and each size, the quickest algorithm.
 *
 * <p>What was not measured is served like the next larger that was, and beyond the largest like the largest; between two sizes the border is
 * their geometric mean. An algorithm is kept while the quickest is not quicker by more than {@value #MARGIN} of its time, so that noise makes
 * no rules. Stateless.
 */
public final class TableMaker {
    private static final double MARGIN = 0.05;

    private TableMaker() { }

    /** An algorithm, for some sizes. */
    private record Stretch(Range bytes, String algorithm) { }

    /** The table. */
    public static List<Rule> rules(final List<Point> points) {
        final List<Rule> rules = new ArrayList<>();
        group(points, p -> p.setting().operation()).forEach((operation, of) -> {
            final TreeMap<Integer, List<Point>> byNodes = group(of, p -> p.setting().nodes());
            byNodes.forEach((nodes, there) -> byRanks(operation, range(byNodes, nodes), there, rules));
        });
        return rules;
    }

    private static <K extends Comparable<K>> TreeMap<K, List<Point>> group(final List<Point> points, final Function<Point, K> by) {
        return points.stream().collect(Collectors.groupingBy(by, TreeMap::new, Collectors.toList()));
    }

    /** What a measured number stands for: those since the one measured before; the last for all above, too. */
    private static Range range(final TreeMap<Integer, ?> measured, final int number) {
        final Integer before = measured.lowerKey(number);
        return new Range(before == null ? 0 : before + 1, number == measured.lastKey() ? Long.MAX_VALUE : number);
    }

    private static void byRanks(final String operation, final Range nodes, final List<Point> points, final List<Rule> rules) {
        final TreeMap<Integer, List<Point>> byRanks = group(points, p -> p.setting().ranks());
        Range ranks = null;
        List<Stretch> last = null;
        for (final Map.Entry<Integer, List<Point>> e : byRanks.entrySet()) {
            final Range here = range(byRanks, e.getKey());
            final List<Stretch> stretches = stretches(operation, e.getValue());
            if (stretches.equals(last)) {
                ranks = new Range(ranks.min(), here.max());
            } else {
                add(operation, nodes, ranks, last, rules);
                ranks = here;
                last = stretches;
            }
        }
        add(operation, nodes, ranks, last, rules);
    }

    private static void add(final String operation, final Range nodes, final Range ranks, final List<Stretch> stretches, final List<Rule> rules) {
        if (stretches != null) {
            for (final Stretch s : stretches) {
                final int slash = s.algorithm.indexOf('/');
                rules.add(new Rule(operation, ranks, nodes, Range.ALL, s.bytes, null, null, s.algorithm.substring(0, slash),
                    s.algorithm.substring(slash + 1)));
            }
        }
    }

    private static List<Stretch> stretches(final String operation, final List<Point> points) {
        final TreeMap<Long, List<Point>> bySize = group(points, p -> p.setting().bytes());
        final List<Stretch> stretches = new ArrayList<>();
        long from = 0;
        String kept = null;
        for (final long size : new TreeSet<>(bySize.keySet())) {
            final String best = best(bySize.get(size), kept);
            if (kept != null && !best.equals(kept)) {
                final long border = border(bySize.lowerKey(size), size);
                stretches.add(new Stretch(new Range(from, border), kept));
                from = border + 1;
            }
            kept = best;
        }
        stretches.add(new Stretch(Setting.hasSizes(operation) ? new Range(from, Long.MAX_VALUE) : Range.ALL, kept));
        return stretches;
    }

    /** The largest size that is still served like the smaller one. */
    private static long border(final long smaller, final long larger) {
        return Math.max(smaller, (long) Math.sqrt((double) smaller * larger));
    }

    private static String best(final List<Point> points, final String kept) {
        final Point best = points.stream().min(Comparator.comparingDouble(Point::micros).thenComparing(Point::algorithm)).orElseThrow();
        return points.stream().anyMatch(p -> p.algorithm().equals(kept) && p.micros() * (1 - MARGIN) <= best.micros()) ? kept : best.algorithm();
    }
}
