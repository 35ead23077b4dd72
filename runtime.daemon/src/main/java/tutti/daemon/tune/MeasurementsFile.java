package tutti.daemon.tune;

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
 * Measurements on disk, so that an interrupted tuning goes on where it was: a line of JSON that says where they were made, then one line per
 * point. A last line that was cut off is left out. For one thread.
 */
public final class MeasurementsFile {
    private static final ObjectMapper JSON = JsonMapper.builder().build();

    private final Path file;
    private final List<Measurement> points = new ArrayList<>();

    /**
     * Where points were made. Points of another place cannot be added to.
     *
     * @param modules name and version of each
     * @param cores   of all nodes
     * @param java    version
     */
    public record Environment(List<String> modules, int cores, String java) { }

    private MeasurementsFile(final Path file) {
        this.file = file;
    }

    /**
     * Opens a file, or makes one.
     *
     * @throws IOException also when it holds points of another place, or something else
     */
    public static MeasurementsFile open(final Path file, final Environment place) throws IOException {
        final MeasurementsFile opened = new MeasurementsFile(file);
        if (Files.exists(file)) {
            opened.read(place);
        } else {
            Files.writeString(file, JSON.writeValueAsString(place) + "\n");
        }
        return opened;
    }

    private void read(final Environment place) throws IOException {
        final String text = Files.readString(file);
        final String whole = text.substring(0, text.lastIndexOf('\n') + 1);
        final List<String> lines = whole.lines().toList();
        try {
            final Environment before = lines.isEmpty() ? null : JSON.readValue(lines.getFirst(), Environment.class);
            if (!place.equals(before)) {
                throw new IOException(file + " has points of another place: there=" + before + ", here=" + place
                    + "; take it away, or use --fresh");
            }
            for (final String line : lines.subList(1, lines.size())) {
                points.add(JSON.readValue(line, Measurement.class));
            }
        } catch (final JsonProcessingException e) {
            throw new IOException(file + " is no file of points: " + e.getOriginalMessage() + "; take it away, or use --fresh", e);
        }
        if (whole.length() < text.length()) {
            Files.writeString(file, whole);
        }
    }

    /** Adds a point, on disk at once. */
    public void add(final Measurement point) throws IOException {
        points.add(point);
        try (Writer out = Files.newBufferedWriter(file, StandardOpenOption.APPEND)) {
            out.write(JSON.writeValueAsString(point));
            out.write('\n');
        }
    }

    /** All points, in the order of measurement. */
    public List<Measurement> points() {
        return List.copyOf(points);
    }

    /** How often that was measured. */
    public int count(final TuneSetting setting, final String algorithm) {
        return (int) points.stream().filter(p -> p.algorithm().equals(algorithm) && p.setting().equals(setting)).count();
    }
}
