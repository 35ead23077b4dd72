package tutti.cli.tune;

/**
 * Measurement of one algorithm.
 *
 * @param setting   measured setting
 * @param algorithm measured algorithm, {@code MODULE/ALGORITHM}
 * @param micros    microseconds per call, on the slowest rank
 */
public record Measurement(TuneSetting setting, String algorithm, double micros) {}
