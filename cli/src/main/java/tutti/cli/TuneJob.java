package tutti.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tutti.cli.tune.MeasuredPoint;
import tutti.cli.tune.MeasurementsFile;
import tutti.cli.tune.TuneSetting;

/**
 * Job that measures one algorithm of each operation.
 *
 * @param cluster cluster that runs the job
 * @param ranks   number of ranks
 * @param first   number of ranks of the first group, for calls between two groups; otherwise 0
 * @param tasks   measurements to make
 */
record TuneJob(TuneCluster cluster, int ranks, int first, List<Task> tasks) {

    /**
     * Measurement to make.
     *
     * @param setting   setting to measure
     * @param algorithm algorithm to measure, {@code MODULE/ALGORITHM} or with parameters
     */
    record Task(TuneSetting setting, String algorithm) {}

    /** Returns jobs that measure the algorithms of each setting: each job measures the next algorithm of every operation. */
    static List<TuneJob> of(final TuneCluster cluster, final int ranks, final int first, final Map<TuneSetting, List<String>> algorithms) {
        final Map<String, Map<String, List<Task>>> byOperation = new LinkedHashMap<>();
        algorithms.forEach((setting, names) -> names.forEach(a -> byOperation.computeIfAbsent(setting.operation(), o -> new LinkedHashMap<>())
            .computeIfAbsent(a, x -> new ArrayList<>()).add(new Task(setting, a))));
        final List<List<Task>> jobs = new ArrayList<>();
        byOperation.values().forEach(byAlgorithm -> {
            int job = 0;
            for (final List<Task> tasks : byAlgorithm.values()) {
                if (job == jobs.size()) {
                    jobs.add(new ArrayList<>());
                }
                jobs.get(job++).addAll(tasks);
            }
        });
        return jobs.stream().map(tasks -> new TuneJob(cluster, ranks, first, List.copyOf(tasks))).toList();
    }

    /** Returns a job with the tasks that were measured fewer than {@code times} times. */
    TuneJob remaining(final int times, final MeasurementsFile points) {
        return new TuneJob(cluster, ranks, first, tasks.stream().filter(t -> points.count(t.setting, t.algorithm) < times).toList());
    }

    /** Returns a job with those tasks that measure one of the points. */
    TuneJob only(final List<MeasuredPoint> points) {
        return new TuneJob(cluster, ranks, first, tasks.stream()
            .filter(t -> points.stream().anyMatch(p -> p.setting().equals(t.setting) && p.algorithm().equals(t.algorithm))).toList());
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    int size() {
        return tasks.size();
    }
}
