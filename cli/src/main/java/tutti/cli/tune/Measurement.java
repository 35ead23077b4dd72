package tutti.cli.tune;

import tutti.cli.report.Plot;

/**
 * Measurement of one algorithm.
 *
 * @param setting   measured setting
 * @param algorithm measured algorithm, {@code MODULE/ALGORITHM}, with parameters if they differ from those of the job
 * @param micros    microseconds per call, on the slowest rank
 */
public record Measurement(TuneSetting setting, String algorithm, double micros) {
    private static final double SHORTEST = 1e-3;

    /** Returns the logarithm of the time, for means of times of different sizes. */
    double log() {
        return Math.log(Math.max(SHORTEST, micros));
    }

    /** Returns the point of a plot: a chart per operation, numbers of ranks and nodes, and groups, a line per algorithm. */
    public Plot.Point plotPoint() {
        return new Plot.Point(
            setting.operation() + ", " + (setting.first() == 0 ? "" : setting.first() + " and " + (setting.ranks() - setting.first()) + " of ")
                + setting.ranks() + " ranks on " + setting.nodes() + (setting.nodes() == 1 ? " node" : " nodes"),
            algorithm, setting.bytes(), micros);
    }
}
