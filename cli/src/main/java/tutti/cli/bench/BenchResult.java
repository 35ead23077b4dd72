package tutti.cli.bench;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Times of the calls of one operation and size: a row of the table that {@code tutti bench} prints. Times are in microseconds, on the slowest rank.
 *
 * @param operation          name of the operation
 * @param bytes              size
 * @param calls              number of calls measured
 * @param min                shortest time
 * @param p50                median
 * @param p90                90th percentile
 * @param p99                99th percentile
 * @param megabytesPerSecond rate, in millions of bytes; null for operations other than {@code bandwidth}
 */
public record BenchResult(String operation, long bytes, int calls, double min, double p50, double p90, double p99,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Double megabytesPerSecond) {
    private static final String NUMBER = "\\s+(\\d+\\.\\d+)";
    private static final Pattern ROW = Pattern.compile("([a-z_]+)\\s+(\\d+)\\s+(\\d+)" + NUMBER.repeat(4) + "\\s+(-|\\d+\\.\\d+)");

    /** Parses a row; returns nothing for other lines. */
    public static Optional<BenchResult> parse(final String line) {
        final Matcher m = ROW.matcher(line.strip());
        return !m.matches() ? Optional.empty() : Optional.of(new BenchResult(m.group(1), Long.parseLong(m.group(2)), Integer.parseInt(m.group(3)),
            Double.parseDouble(m.group(4)), Double.parseDouble(m.group(5)), Double.parseDouble(m.group(6)), Double.parseDouble(m.group(7)),
            m.group(8).equals("-") ? null : Double.valueOf(m.group(8))));
    }
}
