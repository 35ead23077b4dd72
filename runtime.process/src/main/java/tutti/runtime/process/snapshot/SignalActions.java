package tutti.runtime.process.snapshot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which signals the process ignores and handles, whoever set it. Linux only; nothing is examined elsewhere.
 *
 * @param before the masks at the snapshot
 */
record SignalActions(List<String> before) implements Examined {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final List<String> MASKS = List.of("SigIgn:", "SigCgt:");
    /** The class of the JDK that handles a signal when it is initialised. */
    private static final String HANDLING = "sun.nio.ch.NativeThread";

    static Examined now() {
        if (!Files.isReadable(STATUS)) {
            return NOTHING;
        }
        JdkField.initialise(HANDLING);
        return new SignalActions(masks());
    }

    private static List<String> masks() {
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.filter(line -> MASKS.stream().anyMatch(line::startsWith)).map(line -> line.replace('\t', ' ')).toList();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<String> differences() {
        final List<String> now = masks();
        return now.equals(before) ? List.of() : List.of("signals are handled in another way: before=" + before + ", now=" + now);
    }
}
