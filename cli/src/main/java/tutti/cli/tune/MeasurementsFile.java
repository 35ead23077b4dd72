package tutti.cli.tune;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * File of measurements, from which an interrupted tuning resumes: a line of JSON with the environment, then one line per measurement. An incomplete
 * last line is ignored. For one thread.
 */
public final class MeasurementsFile {
    private static final ObjectMapper JSON = JsonMapper.builder().build();

    private final Path file;
    private final List<Measurement> measurements = new ArrayList<>();

    /**
     * Environment of measurements. Measurements of different environments are not mixed.
     *
     * @param modules name and version of each module
     * @param cores   maximum number of cores of a node
     * @param java    version of Java
     */
    public record Environment(List<String> modules, int cores, String java) {}

    private MeasurementsFile(final Path file) {
        this.file = file;
    }

    /**
     * Opens a file, or creates it.
     *
     * @throws IOException when the file cannot be read, was measured in another environment, or is not a file of measurements
     */
    public static MeasurementsFile open(final Path file, final Environment environment) throws IOException {
        final MeasurementsFile opened = new MeasurementsFile(file);
        if (Files.exists(file)) {
            opened.read(environment);
        } else {
            Files.writeString(file, JSON.writeValueAsString(environment) + "\n");
        }
        return opened;
    }

    private void read(final Environment environment) throws IOException {
        final String text = Files.readString(file);
        final String whole = text.substring(0, text.lastIndexOf('\n') + 1);
        final List<String> lines = whole.lines().toList();
        try {
            final Environment before = lines.isEmpty() ? null : JSON.readValue(lines.getFirst(), Environment.class);
            if (!environment.equals(before)) {
                throw new IOException(file + " was measured in another environment: delete the file, or use --fresh; file=" + before
                    + ", current=" + environment);
            }
            for (final String line : lines.subList(1, lines.size())) {
                measurements.add(JSON.readValue(line, Measurement.class));
            }
        } catch (final JsonProcessingException e) {
            throw new IOException(file + " is not a file of measurements: " + e.getOriginalMessage() + "; delete the file, or use --fresh", e);
        }
        if (whole.length() < text.length()) {
            Files.writeString(file, whole);
        }
    }

    /** Adds a measurement and writes it to disk at once. */
    public void add(final Measurement measurement) throws IOException {
        measurements.add(measurement);
        try (Writer out = Files.newBufferedWriter(file, StandardOpenOption.APPEND)) {
            out.write(JSON.writeValueAsString(measurement));
            out.write('\n');
        }
    }

    /** Returns all measurements, in the order in which they were made. */
    public List<Measurement> measurements() {
        return List.copyOf(measurements);
    }

    /** Returns how often an algorithm was measured in a setting. */
    public int count(final TuneSetting setting, final String algorithm) {
        return (int) measurements.stream().filter(p -> p.algorithm().equals(algorithm) && p.setting().equals(setting)).count();
    }
}
