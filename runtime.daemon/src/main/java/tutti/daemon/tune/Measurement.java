package tutti.daemon.tune;

/**
 * A measurement.
 *
 * @param setting   what was measured
 * @param algorithm with which module's algorithm, {@code MODULE/ALGORITHM}
 * @param micros    microseconds per call, on the slowest rank
 */
public record Measurement(TuneSetting setting, String algorithm, double micros) { }
