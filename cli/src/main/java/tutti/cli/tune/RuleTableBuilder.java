package tutti.cli.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.coll.Level;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.ConditionValues;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.policy.WordSet;

/**
 * Builder of a rule table from measurements: the fastest algorithm for each operation, number of nodes, number of ranks and size. Rules for
 * intercommunicators are also told apart by the number of ranks of their smaller group, rules for several JVMs of a host by the number of ranks in a
 * JVM. To rules, a JVM is a node.
 *
 * <p>A number of nodes or ranks that was not measured has the rules of the next larger measured one, or of the largest. The border between two sizes
 * is their geometric mean. From one size to the next an algorithm is kept unless the fastest one saves more than {@value #MARGIN} of its time, so
 * that noise produces no rules. An algorithm with other values of parameters than those of the job must save as much of the time with those. Where
 * rules cannot depend on the size, the algorithm with the least mean of the logarithms of its times is the fastest. After the fastest algorithm a
 * rule names the best one of each other module, in the order of their mean times for these sizes, for jobs that lack the first module. The last is
 * module {@value #BASIC}, which every job has. Stateless.
 */
public final class RuleTableBuilder {
    private static final double MARGIN = 0.05;
    private static final String BASIC = "basic";
    private static final LongRange SEVERAL = new LongRange(2, Long.MAX_VALUE);
    /** The levels of several JVMs of a host: that of the host, or a narrower one if the ranks are bound to processors. */
    private static final WordSet ONE_HOST =
        new WordSet(new TreeSet<>(List.of(Level.HWTHREAD, Level.CORE, Level.CACHE, Level.NUMA, Level.SOCKET, Level.HOST)));

    private RuleTableBuilder() {}

    /** Range of sizes and the algorithms for it, in order of preference. */
    private record SizeSegment(LongRange bytes, List<AlgorithmRef> refs) {}

    /** Returns the rules. */
    public static List<SelectionRule> rules(final List<Measurement> points) {
        final List<SelectionRule> rules = new ArrayList<>();
        group(points, p -> p.setting().operation()).forEach((operation, ofOperation) -> {
            final TreeMap<Integer, List<Measurement>> byGroup = group(ofOperation, p -> p.setting().smaller());
            // calls between groups: first the rules for large groups, which are for smaller ones where these were not measured
            byGroup.descendingMap().forEach((smaller, ofGroup) -> {
                final LongRange groups = smaller == 0 ? null : new LongRange(isSmallest(byGroup, smaller) ? 0 : smaller, Long.MAX_VALUE);
                // the rules for JVMs of one host come before those for nodes, which are for them, too
                final TreeMap<Integer, List<Measurement>> byJvm = group(ofGroup, p -> p.setting().ranksPerJvm());
                byJvm.tailMap(1).forEach((shared, ofJvms) -> byRanks(Scope.of(operation, groups, SEVERAL)
                    .with(RuleCondition.LEVEL, ONE_HOST).with(RuleCondition.RANKS_PER_NODE, range(byJvm.tailMap(1), shared)), ofJvms, rules));
                final TreeMap<Integer, List<Measurement>> byNodes = group(byJvm.getOrDefault(0, List.of()), p -> p.setting().nodes());
                byNodes.forEach((nodes, ofNodes) -> byRanks(Scope.of(operation, groups, range(byNodes, nodes)), ofNodes, rules));
            });
        });
        return rules;
    }

    private static boolean isSmallest(final TreeMap<Integer, ?> byGroup, final int smaller) {
        final Integer below = byGroup.lowerKey(smaller);
        return below == null || below == 0;
    }

    /** The conditions that rules of one operation share. */
    private record Scope(String operation, Map<RuleCondition, ConditionValues> conditions) {
        /** Returns a scope; {@code groups} is null for rules for intracommunicators. */
        static Scope of(final String operation, final @Nullable LongRange groups, final LongRange nodes) {
            final Scope scope = new Scope(operation, Map.of()).with(RuleCondition.NODES, nodes);
            return groups == null ? scope : scope.with(RuleCondition.GROUPS, groups);
        }

        Scope with(final RuleCondition condition, final ConditionValues values) {
            final Map<RuleCondition, ConditionValues> more = new HashMap<>(conditions);
            more.put(condition, values);
            return new Scope(operation, more);
        }
    }

    private static <K extends Comparable<K>> TreeMap<K, List<Measurement>> group(final List<Measurement> points, final Function<Measurement, K> by) {
        return points.stream().collect(Collectors.groupingBy(by, TreeMap::new, Collectors.toList()));
    }

    /** Returns the range that a measured number represents: from above the previous measured number; the last has no upper bound. */
    private static LongRange range(final SortedMap<Integer, ?> measured, final int number) {
        final SortedMap<Integer, ?> smaller = measured.headMap(number);
        return new LongRange(smaller.isEmpty() ? 0 : smaller.lastKey() + 1, number == measured.lastKey() ? Long.MAX_VALUE : number);
    }

    private static void byRanks(final Scope scope, final List<Measurement> points, final List<SelectionRule> rules) {
        final TreeMap<Integer, List<Measurement>> byRanks = group(points, p -> p.setting().ranks());
        LongRange ranks = null;
        List<SizeSegment> last = null;
        for (final Map.Entry<Integer, List<Measurement>> e : byRanks.entrySet()) {
            final LongRange current = range(byRanks, e.getKey());
            final List<SizeSegment> segments = segments(e.getValue());
            if (ranks != null && segments.equals(last)) {
                ranks = new LongRange(ranks.min(), current.max());
            } else {
                add(scope, ranks, last, rules);
                ranks = current;
                last = segments;
            }
        }
        add(scope, ranks, last, rules);
    }

    private static void add(final Scope scope, final @Nullable LongRange ranks, final @Nullable List<SizeSegment> segments,
        final List<SelectionRule> rules) {
        if (ranks != null && segments != null) {
            for (final SizeSegment s : segments) {
                rules.add(new SelectionRule(scope.operation, scope.conditions, s.refs).with(RuleCondition.RANKS, ranks)
                    .with(RuleCondition.BYTES, s.bytes));
            }
        }
    }

    private static List<SizeSegment> segments(final List<Measurement> points) {
        final TreeMap<Long, List<Measurement>> bySize = group(points, p -> p.setting().bytes());
        if (!points.getFirst().setting().hasSizes()) {
            return List.of(new SizeSegment(LongRange.ALL, refs(null, bySize)));
        }
        final List<SizeSegment> segments = new ArrayList<>();
        long from = 0;
        long first = bySize.firstKey();
        String kept = null;
        for (final Map.Entry<Long, List<Measurement>> e : bySize.entrySet()) {
            final long size = e.getKey();
            final String best = best(e.getValue(), kept);
            if (kept == null) {
                kept = best;
            } else if (!best.equals(kept)) {
                final long border = border(bySize.lowerKey(size), size);
                segments.add(new SizeSegment(new LongRange(from, border), refs(kept, bySize.subMap(first, size))));
                from = border + 1;
                first = size;
                kept = best;
            }
        }
        segments.add(new SizeSegment(new LongRange(from, Long.MAX_VALUE), refs(kept, bySize.tailMap(first))));
        return segments;
    }

    /**
     * Returns an algorithm, or none if it is null, followed by the best algorithms of other modules that were measured with all sizes, the fastest
     * first.
     */
    private static List<AlgorithmRef> refs(final @Nullable String best, final SortedMap<Long, List<Measurement>> bySize) {
        final Map<String, DoubleSummaryStatistics> logs = bySize.values().stream()
            .flatMap(points -> group(points, Measurement::algorithm).values().stream().map(RuleTableBuilder::fastest))
            .collect(Collectors.groupingBy(Measurement::algorithm, TreeMap::new,
                Collectors.summarizingDouble(p -> p.log() - (isVariant(p.algorithm()) ? Math.log(1 - MARGIN) : 0))));
        final List<AlgorithmRef> refs = new ArrayList<>();
        final Set<String> modules = new HashSet<>();
        if (best != null) {
            refs.add(AlgorithmRef.of(best));
            modules.add(refs.getFirst().module());
        }
        logs.entrySet().stream().filter(e -> e.getValue().getCount() == bySize.size())
            .sorted(Comparator.comparingDouble(e -> e.getValue().getAverage())).map(e -> AlgorithmRef.of(e.getKey()))
            .filter(u -> !modules.contains(BASIC) && modules.add(u.module())).forEachOrdered(refs::add);
        return refs;
    }

    private static Measurement fastest(final List<Measurement> points) {
        return points.stream().min(Comparator.comparingDouble(Measurement::micros).thenComparing(Measurement::algorithm)).orElseThrow();
    }

    /** Returns the largest size that still has the rule of the smaller one. */
    private static long border(final long smaller, final long larger) {
        return Math.max(smaller, (long) Math.sqrt((double) smaller * larger));
    }

    private static boolean isVariant(final String algorithm) {
        return !AlgorithmRef.of(algorithm).parameters().isEmpty();
    }

    /** Returns the measurements without those of variants that hardly differ from their algorithm with the parameters of the job. */
    private static List<Measurement> distinct(final List<Measurement> points) {
        final Map<String, Double> times = points.stream().collect(Collectors.toMap(Measurement::algorithm, Measurement::micros, Math::min));
        return points.stream().filter(p -> !isVariant(p.algorithm()) || p.micros() < (1 - MARGIN)
            * times.getOrDefault(AlgorithmRef.of(p.algorithm()).with(Map.of()).toString(), Double.POSITIVE_INFINITY)).toList();
    }

    private static String best(final List<Measurement> points, final @Nullable String kept) {
        final Measurement best = fastest(distinct(points));
        return kept != null && points.stream().anyMatch(p -> p.algorithm().equals(kept) && p.micros() * (1 - MARGIN) <= best.micros()) ? kept
            : best.algorithm();
    }
}
