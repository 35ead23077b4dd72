package tutti.daemon.container;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines that a process of this node prints, and the modules and programs in it, for the node's log: each has a limit, and all together. For one
 * thread.
 */
public final class PrintedLines {
    private static final Logger LOG = LoggerFactory.getLogger(PrintedLines.class);
    /** Most bytes of a line that are kept. */
    public static final int MAX_LINE = 300;
    /** Most lines that are logged. */
    private static final int MAX_LOGGED = 1_000;
    private static final int BUFFER = 8_192;

    private final String name;
    private final Consumer<String> receiver;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int logged;

    /**
     * Creates the lines of a process, or of one of its streams.
     *
     * @param name     begins the lines in the log
     * @param receiver receives every line, shortened
     */
    public PrintedLines(final String name, final Consumer<String> receiver) {
        this.name = name;
        this.receiver = receiver;
    }

    /**
     * Reads and logs standard output of a process on another thread, until all processes that hold it have closed it.
     *
     * @param name begins the lines in the log
     */
    public static void log(final Process process, final String name) {
        Thread.ofVirtual().name("tutti-printed-" + process.pid()).inheritInheritableThreadLocals(false).start(() -> {
            final PrintedLines lines = new PrintedLines(name, line -> {});
            try (InputStream in = process.getInputStream()) {
                final byte[] buffer = new byte[BUFFER];
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    lines.add(buffer, 0, n, true);
                }
                lines.end(true);
            } catch (final IOException e) {
                LOG.debug("output of process {} cannot be read", process.pid(), e);
            }
        });
    }

    /** Adds bytes that were printed; logs the lines that they end if {@code isLogged}. */
    public void add(final byte[] bytes, final int offset, final int length, final boolean isLogged) {
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i] == '\n') {
                endLine(isLogged);
            } else if (line.size() < MAX_LINE) {
                line.write(bytes[i]);
            }
        }
    }

    /** Ends the last line. */
    public void end(final boolean isLogged) {
        if (line.size() > 0) {
            endLine(isLogged);
        }
    }

    private void endLine(final boolean isLogged) {
        final String text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        receiver.accept(text);
        if (isLogged && logged++ < MAX_LOGGED) {
            LOG.info("{}: {}", name, text);
        }
    }
}
