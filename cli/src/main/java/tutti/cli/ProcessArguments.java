package tutti.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Arguments of a process of this host. */
final class ProcessArguments {
    private static final String END = "\0";

    private ProcessArguments() {}

    /**
     * Returns the arguments of a process; none when it has ended, or this user cannot see them. On Linux they are read from the file of the process:
     * a {@link ProcessHandle} tells none of a command line that is longer than a page, as that of a daemon in a deep folder is.
     */
    static List<String> of(final ProcessHandle process) {
        final Path file = Path.of("/proc", Long.toString(process.pid()), "cmdline");
        try {
            final List<String> line = List.of(Files.readString(file, StandardCharsets.ISO_8859_1).split(END));
            return line.subList(1, line.size());
        } catch (final IOException e) {
            return process.info().arguments().map(List::of).orElse(List.of());
        }
    }
}
