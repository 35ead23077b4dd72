package tutti.daemon.command;

import java.util.List;
import tutti.daemon.tune.MeasurementsFile;
import tutti.daemon.tune.TuneSetting;

/**
 * Settings that one job measures: with one algorithm for each operation.
 *
 * @param cluster where
 * @param ranks   of the job
 * @param tasks   what it measures
 */
record TuneJob(TuneCluster cluster, int ranks, List<Task> tasks) {

    /**
     * One measurement.
     *
     * @param setting   what
     * @param algorithm with which module's algorithm
     */
    record Task(TuneSetting setting, String algorithm) { }

    /** What of it was not measured so many times yet. */
    TuneJob lacking(final int times, final MeasurementsFile points) {
        return new TuneJob(cluster, ranks, tasks.stream().filter(t -> points.count(t.setting, t.algorithm) < times).toList());
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    int size() {
        return tasks.size();
    }
}
