package tutti.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.cli.introspect.ChromeTrace;
import tutti.cli.introspect.TracePicture;
import tutti.cli.report.Drawing;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.TracePieces;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.policy.TraceOption;

/**
 * File to which the trace of a job is written when the job has ended, successfully or not. The file is opened before the job starts, and keeps its
 * old content until a trace is written.
 */
final class TraceFile {
    private final String name;
    private final FileChannel file;
    private final TracePieces pieces = new TracePieces();

    private TraceFile(final String name, final FileChannel file) {
        this.name = name;
        this.file = file;
    }

    /** Returns whether a file of that name is likely to be writable. */
    static boolean isWritable(final String name) {
        try {
            final Path path = Path.of(name).toAbsolutePath();
            return !Files.isDirectory(path) && (Files.exists(path) ? Files.isWritable(path) : Files.isWritable(path.getParent()));
        } catch (final InvalidPathException e) {
            return false;
        }
    }

    /** Returns why a file, named by an option, cannot be written; of no use for one that {@link #isWritable}. */
    static String unwritable(final String option, final @Nullable Object name) {
        final String text = "cannot be written: " + option + " " + name;
        try {
            final Path path = Path.of(String.valueOf(name));
            final Path folder = path.toAbsolutePath().getParent();
            if (Files.isDirectory(path)) {
                return text + ": a folder has this name";
            }
            return text + (folder == null || Files.isDirectory(folder) ? ": no right to write it"
                : ": no such folder" + (path.isAbsolute() ? "" : "; looked for in " + Path.of("").toAbsolutePath()));
        } catch (final InvalidPathException e) {
            return text + ": " + e.getReason();
        }
    }

    static TraceFile open(final String name) {
        try {
            return new TraceFile(name, FileChannel.open(Path.of(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        } catch (final IOException | RuntimeException e) {
            throw failure(ExitStatus.USAGE, "--trace", name, e);
        }
    }

    /** Returns the failure of a file, named by an option, that cannot be written. */
    static CommandFailure failure(final int status, final String option, final String name, final Exception why) {
        final String reason = why instanceof FileSystemException f ? Objects.requireNonNullElse(f.getReason(), f.getClass().getSimpleName())
            : Protocol.oneLine(why);
        return new CommandFailure(status, "cannot be written: " + option + " " + name + ": " + reason, why);
    }

    /** Adds a received piece of a rank's trace. */
    void add(final int rank, final byte[] bytes) {
        pieces.add(rank, bytes);
    }

    /** Writes the received traces; returns a note for the user, or an empty text. */
    String write(final String program) throws IOException {
        final List<RankTrace> traces = pieces.read();
        try (OutputStream out = new BufferedOutputStream(Channels.newOutputStream(file), 1 << 16)) {
            if (!traces.isEmpty() || file.size() == 0) {
                if (Files.isRegularFile(Path.of(name))) {
                    file.truncate(0);
                }
                if (Drawing.FORMATS.stream().anyMatch(name::endsWith)) {
                    out.write(TracePicture.of(program, traces).bytes(name));
                } else {
                    ChromeTrace.write(program, traces, out);
                }
            }
        } catch (final IOException e) {
            throw failure(ExitStatus.FAILED, "--trace", name, e);
        }
        final long dropped = ChromeTrace.dropped(traces);
        return dropped == 0 ? "" : "trace " + name + " has the first events of each rank: " + dropped + " more were dropped; allow more with -p "
            + TraceOption.PARAMETER + "=EVENTS";
    }
}
