package tutti.cli;

import java.util.List;
import tutti.cli.tune.MeasurementsFile;
import tutti.cli.tune.TuneSetting;

/**
 * Job that measures one algorithm of each operation.
 *
 * @param cluster cluster that runs the job
 * @param ranks   number of ranks
 * @param tasks   measurements to make
 */
record TuneJob(TuneCluster cluster, int ranks, List<Task> tasks) {

    /**
     * Measurement to make.
     *
     * @param setting   setting to measure
     * @param algorithm algorithm to measure, {@code MODULE/ALGORITHM}
     */
    record Task(TuneSetting setting, String algorithm) {}

    /** Returns a job with the tasks that were measured fewer than {@code times} times. */
    TuneJob remaining(final int times, final MeasurementsFile points) {
        return new TuneJob(cluster, ranks, tasks.stream().filter(t -> points.count(t.setting, t.algorithm) < times).toList());
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    int size() {
        return tasks.size();
    }
}
