package tutti.cli.tune;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tutti.runtime.policy.AlgorithmRef;

/**
 * Planner of the variants that are worth measuring: algorithms with other values of parameters than those of the job.
 *
 * <p>An algorithm has variants only where it takes at most {@value #FACTOR} times the time of the fastest. Its parameters are varied one after the
 * other: the first with the job's values of the others, the next with the best value of the first. So the number of variants is the sum of the
 * numbers of values, not their product. A value that has the same effect on the call as another one is left out.
 *
 * <p>Where rules cannot depend on the size, all sizes are judged together by their geometric mean, and a variant is measured with all of them.
 * Stateless.
 */
public final class VariantPlanner {
    private static final double FACTOR = 2;

    private VariantPlanner() {}

    /**
     * Returns the variants of each setting.
     *
     * @param index    number of the parameter to vary, from 0, of each algorithm that has so many
     * @param settings measured settings
     * @param tunables parameters by operation, those of an algorithm in its order
     * @param points   measurements so far; variants of later parameters have no influence, so an interrupted tuning continues with the same variants
     */
    public static Map<TuneSetting, List<String>> plan(final int index, final List<TuneSetting> settings,
        final Map<String, List<TunableParameter>> tunables, final List<Measurement> points) {
        final Map<TuneSetting, Map<String, Double>> times = times(points);
        final Map<TuneSetting, List<String>> variants = new LinkedHashMap<>();
        for (final List<TuneSetting> group : groups(settings)) {
            final Map<String, List<TunableParameter>> parameters = tunables.getOrDefault(group.getFirst().operation(), List.of()).stream()
                .collect(Collectors.groupingBy(TunableParameter::algorithm, LinkedHashMap::new, Collectors.toList()));
            final Map<AlgorithmRef, Double> means = means(group, times);
            means.keySet().removeIf(ref -> !parameters.getOrDefault(plain(ref).toString(), List.of()).stream().limit(index)
                .map(TunableParameter::parameter).toList().containsAll(ref.parameters().keySet()));
            final double limit = Math.log(FACTOR) + means.values().stream().mapToDouble(m -> m).min().orElse(0);
            parameters.forEach((algorithm, own) -> {
                if (index < own.size() && means.getOrDefault(AlgorithmRef.of(algorithm), Double.POSITIVE_INFINITY) <= limit) {
                    final AlgorithmRef best = means.entrySet().stream().filter(m -> plain(m.getKey()).equals(AlgorithmRef.of(algorithm)))
                        .min(Map.Entry.comparingByValue()).orElseThrow().getKey();
                    final List<String> refs = variants(best, own.get(index), group);
                    group.forEach(s -> variants.computeIfAbsent(s, x -> new ArrayList<>()).addAll(refs));
                }
            });
        }
        return variants;
    }

    /** Returns the settings, those together among which rules cannot distinguish. */
    private static List<List<TuneSetting>> groups(final List<TuneSetting> settings) {
        return List.copyOf(settings.stream().collect(Collectors.groupingBy(
            s -> s.hasSizes() ? s : s.withBytes(0), LinkedHashMap::new,
            Collectors.toList())).values());
    }

    /** Returns an algorithm without parameters. */
    private static AlgorithmRef plain(final AlgorithmRef ref) {
        return ref.with(Map.of());
    }

    private static List<String> variants(final AlgorithmRef best, final TunableParameter parameter, final List<TuneSetting> group) {
        final int ranks = group.getFirst().ranks();
        final long bytes = group.stream().mapToLong(TuneSetting::bytes).max().orElse(0);
        final Set<Long> effects = new HashSet<>();
        if (parameter.value() != null && parameter.value().matches("\\d{1,18}")) {
            effects.add(parameter.effective(Long.parseLong(parameter.value()), ranks, bytes));
        }
        final List<String> refs = new ArrayList<>();
        for (final long candidate : parameter.candidates()) {
            if (effects.add(parameter.effective(candidate, ranks, bytes))) {
                final Map<String, String> values = new TreeMap<>(best.parameters());
                values.put(parameter.parameter(), Long.toString(candidate));
                refs.add(best.with(values).toString());
            }
        }
        return refs;
    }

    /** Returns the logarithm of the best time of each algorithm in each setting. */
    private static Map<TuneSetting, Map<String, Double>> times(final List<Measurement> points) {
        final Map<TuneSetting, Map<String, Double>> times = new HashMap<>();
        points.forEach(p -> times.computeIfAbsent(p.setting(), s -> new TreeMap<>()).merge(p.algorithm(), p.log(), Math::min));
        return times;
    }

    /** Returns the mean logarithm of the times of each algorithm that was measured in all settings of a group. */
    private static Map<AlgorithmRef, Double> means(final List<TuneSetting> group, final Map<TuneSetting, Map<String, Double>> times) {
        final Map<AlgorithmRef, Double> means = new LinkedHashMap<>();
        times.getOrDefault(group.getFirst(), Map.of()).keySet().forEach(algorithm -> {
            double sum = 0;
            for (final TuneSetting s : group) {
                sum += times.getOrDefault(s, Map.of()).getOrDefault(algorithm, Double.POSITIVE_INFINITY);
            }
            if (sum < Double.POSITIVE_INFINITY) {
                means.put(AlgorithmRef.of(algorithm), sum / group.size());
            }
        });
        return means;
    }
}
