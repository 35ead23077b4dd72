package tutti.daemon.jvm;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a process of this node prints, and the modules and programs in it: lines of the node's log, of which each has a limit, and all together. */
public final class PrintedLines {
    private static final Logger LOG = LoggerFactory.getLogger(PrintedLines.class);
    /** Most characters of a line that are kept. */
    static final int MAX_LINE = 300;
    /** Most lines of one process that are logged. */
    private static final int MAX_LOGGED = 1_000;

    private PrintedLines() {}

    /**
     * Reads and logs standard output of a process on another thread, until all processes that hold it have closed it.
     *
     * @param name     begins the lines in the log
     * @param receiver receives every line, shortened
     * @param end      called at the end
     */
    public static void log(final Process process, final String name, final Consumer<String> receiver, final Runnable end) {
        Thread.ofVirtual().name("tutti-printed-" + process.pid()).inheritInheritableThreadLocals(false).start(() -> {
            try {
                read(process, name, receiver);
            } catch (final IOException e) {
                LOG.debug("output of process {} cannot be read", process.pid(), e);
            } finally {
                end.run();
            }
        });
    }

    private static void read(final Process process, final String name, final Consumer<String> receiver) throws IOException {
        int logged = 0;
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            final StringBuilder line = new StringBuilder();
            int c;
            do {
                c = lines.read();
                if (c >= 0 && c != '\n' && line.length() < MAX_LINE) {
                    line.append((char) c);
                } else if (c == '\n' || c < 0 && !line.isEmpty()) {
                    receiver.accept(line.toString());
                    if (logged++ < MAX_LOGGED) {
                        LOG.info("{}: {}", name, line);
                    }
                    line.setLength(0);
                }
            } while (c >= 0);
        }
    }
}
