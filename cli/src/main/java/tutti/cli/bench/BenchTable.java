package tutti.cli.bench;

import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tutti.pictures.Plot;

/**
 * Table of one job that measured calls: a line about the job, and a row per operation and size.
 *
 * @param ranks   number of ranks
 * @param nodes   number of nodes
 * @param library name and version of the MPI library, and of Java
 * @param results rows, in the order in which they were measured
 */
public record BenchTable(int ranks, int nodes, String library, List<BenchResult> results) {
    private static final Pattern TITLE = Pattern.compile("# (\\d+) ranks on (\\d+) nodes?: (.*)");
    private static final JsonMapper JSON = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /** Parses the lines of a table; lines that are no rows are ignored. Returns nothing when the line about the job is missing. */
    public static Optional<BenchTable> parse(final List<String> lines) {
        return lines.stream().map(TITLE::matcher).filter(Matcher::matches).findFirst().map(m -> new BenchTable(Integer.parseInt(m.group(1)),
            Integer.parseInt(m.group(2)), m.group(3), lines.stream().flatMap(l -> BenchResult.parse(l).stream()).toList()));
    }

    /** Writes JSON; names are those of the record components. */
    public void writeJson(final Path file) throws IOException {
        Files.writeString(file, JSON.writeValueAsString(this) + "\n");
    }

    /** Writes a plot of the medians, a line per operation. */
    public void plot(final Path file) throws IOException {
        final String chart = ranks + " ranks on " + nodes + (nodes == 1 ? " node" : " nodes");
        Plot.write(file, new Plot.Labels("Median time of calls: " + library, "up to the 90th percentile", false),
            results.stream().map(r -> new Plot.Point(chart, r.operation(), r.bytes(), r.p50(), r.p90(), false)).toList());
    }
}
