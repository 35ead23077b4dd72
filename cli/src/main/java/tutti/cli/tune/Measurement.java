package tutti.cli.tune;

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
}
