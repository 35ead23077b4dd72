package tutti.cli.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import tutti.pictures.Plot;

/**
 * Point of a tuning: the times of one algorithm in one setting, in all rounds. The fastest counts.
 *
 * <p>A point is confirmed when a second round came close to the fastest: it took at most {@value #TOLERANCE} of its time more, or {@value #GRAIN}
 * microseconds. Other load makes calls slower, so slow rounds alone say nothing about the algorithm, while a time that was reached twice is one that
 * the machine can do. A point is noise when it was measured several times and is not confirmed.
 *
 * <p>A point decides a rule by chance when it is the fastest of its setting, is not confirmed, and another algorithm would be as fast if the second
 * round were right. All other noise leaves the table as it is.
 *
 * @param setting   measured setting
 * @param algorithm measured algorithm, as in {@link Measurement}
 * @param micros    microseconds of each round, the fastest first
 */
public record MeasuredPoint(TuneSetting setting, String algorithm, List<Double> micros) {
    private static final double TOLERANCE = 0.2;
    private static final double GRAIN = 0.1;

    /** Sorts the times. */
    public MeasuredPoint {
        micros = micros.stream().sorted().toList();
    }

    /** Returns the points of measurements, in the order of their first ones. */
    public static List<MeasuredPoint> of(final List<Measurement> measurements) {
        final Map<TuneSetting, Map<String, List<Double>>> times = new LinkedHashMap<>();
        measurements.forEach(m -> times.computeIfAbsent(m.setting(), s -> new LinkedHashMap<>())
            .computeIfAbsent(m.algorithm(), a -> new ArrayList<>()).add(m.micros()));
        return times.entrySet().stream()
            .flatMap(s -> s.getValue().entrySet().stream().map(a -> new MeasuredPoint(s.getKey(), a.getKey(), a.getValue())))
            .toList();
    }

    /** Returns the points that decide a rule by chance. */
    public static List<MeasuredPoint> chances(final List<MeasuredPoint> points) {
        return points.stream().collect(Collectors.groupingBy(MeasuredPoint::setting, LinkedHashMap::new, Collectors.toList())).values().stream()
            .flatMap(ofSetting -> {
                final MeasuredPoint fastest = ofSetting.stream()
                    .min(Comparator.comparingDouble(MeasuredPoint::fastest).thenComparing(MeasuredPoint::algorithm)).orElseThrow();
                return ofSetting.stream()
                    .filter(p -> p == fastest && !p.isConfirmed() && ofSetting.stream().anyMatch(o -> o != p && o.fastest() < p.second()));
            }).toList();
    }

    private double fastest() {
        return micros.getFirst();
    }

    /** Returns the time of the second fastest round; infinity if there was one round. */
    private double second() {
        return micros.size() > 1 ? micros.get(1) : Double.POSITIVE_INFINITY;
    }

    private boolean isConfirmed() {
        return second() <= Math.max(fastest() * (1 + TOLERANCE), fastest() + GRAIN);
    }

    /** Returns whether the fastest two rounds differ too much. */
    public boolean isNoise() {
        return micros.size() > 1 && !isConfirmed();
    }

    /** Returns a description of the point with its fastest two times. */
    public String described() {
        return String.format(Locale.ROOT, "%s, %d bytes: %s took %.2f us%s", setting.described(), setting.bytes(), algorithm, fastest(),
            micros.size() > 1 ? String.format(Locale.ROOT, ", then %.2f us", second()) : " in its only round");
    }

    /** Returns the point of a plot: a chart per operation, numbers of ranks and nodes, and groups, a line per algorithm. */
    public Plot.Point plotPoint() {
        return new Plot.Point(setting.described(), algorithm, setting.bytes(), fastest(), micros.getLast(), isNoise());
    }
}
