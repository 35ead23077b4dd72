package tutti.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Prints the rule table of the slowest algorithms: the argument is the file of points that {@code tutti tune} has measured. */
public final class SlowestRules {
    private static final Pattern POINT =
        Pattern.compile("\"operation\":\"(\\w+)\".*\"bytes\":(\\d+).*\"algorithm\":\"([^\"]+)\",\"micros\":([0-9.E-]+)");

    private SlowestRules() {}

    private record Point(String algorithm, double micros) {}

    /** Runs the program. */
    public static void main(final String[] args) throws IOException {
        final Map<String, TreeMap<Long, Point>> slowest = new TreeMap<>();
        for (final String line : Files.readAllLines(Path.of(args[0]))) {
            final Matcher m = POINT.matcher(line);
            if (m.find()) {
                slowest.computeIfAbsent(m.group(1), o -> new TreeMap<>()).merge(Long.parseLong(m.group(2)),
                    new Point(m.group(3), Double.parseDouble(m.group(4))), (a, b) -> a.micros() > b.micros() ? a : b);
            }
        }
        final List<String> rules = new ArrayList<>();
        slowest.forEach((operation, sizes) -> sizes.forEach((bytes, point) -> {
            final Long lower = sizes.lowerKey(bytes);
            final Long higher = sizes.higherKey(bytes);
            rules.add("{\"operation\":\"" + operation + "\",\"bytes\":\"" + (lower == null ? "0" : Long.toString(between(lower, bytes))) + ".."
                + (higher == null ? "" : Long.toString(between(bytes, higher) - 1)) + "\",\"use\":\"" + point.algorithm() + "\"}");
        }));
        System.out.println("{\"rules\":[\n" + String.join(",\n", rules) + "\n]}");
    }

    private static long between(final long low, final long high) {
        return Math.max(low + 1, Math.round(Math.sqrt((double) low * high)));
    }
}
