package tutti.itest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Command lines of processes on Linux, whole: a {@link ProcessHandle} tells no more than a page of them. */
final class CommandLines {
    private CommandLines() {}

    /** Returns the words of a command line, each with a NUL after it; empty when the process has ended. */
    static String of(final ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"), StandardCharsets.ISO_8859_1);
        } catch (final IOException e) {
            return "";
        }
    }
}
