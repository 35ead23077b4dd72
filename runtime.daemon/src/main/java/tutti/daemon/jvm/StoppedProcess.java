package tutti.daemon.jvm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds that a process is stopped by a signal, such as {@code SIGSTOP}, from its state in {@code /proc}. Where there is no such file system, no
 * process is found stopped. A process that a debugger holds does not count, nor does one that gets no processor. For use by one thread at a time.
 */
final class StoppedProcess {
    private static final Logger LOG = LoggerFactory.getLogger(StoppedProcess.class);
    /** Number of looks in a row that find the process stopped. A program that stops a process for a moment continues it before. */
    private static final int LOOKS = 3;
    /** State of a process that a signal has stopped; that of one that a debugger holds is a small letter. */
    private static final char STOPPED = 'T';

    private final Path stat;
    /** Number of the last looks that found the process stopped. */
    private int found;

    /** Creates looks at a process, which has not ended. */
    StoppedProcess(final long pid) {
        this.stat = Path.of("/proc", Long.toString(pid), "stat");
    }

    /** Looks at the process; returns whether this look and the two before it have found it stopped. */
    boolean look() {
        found = isStopped() ? found + 1 : 0;
        return found >= LOOKS;
    }

    /** Returns whether the process is stopped now. */
    boolean isStopped() {
        try {
            // the name of the command may have any bytes
            return isStopped(Files.readString(stat, StandardCharsets.ISO_8859_1));
        } catch (final IOException e) {
            LOG.trace("no state of a process", e);
            return false;
        }
    }

    /**
     * Returns whether a line of {@code /proc/PID/stat} is that of a stopped process. The state is the first letter after the name of the command,
     * which is in parentheses and may contain spaces and parentheses.
     */
    static boolean isStopped(final String stat) {
        final String afterName = stat.substring(stat.lastIndexOf(')') + 1).stripLeading();
        return afterName.length() < stat.length() && !afterName.isEmpty() && afterName.charAt(0) == STOPPED;
    }
}
