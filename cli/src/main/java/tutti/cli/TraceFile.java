package tutti.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.TracePieces;
import tutti.pictures.Drawing;
import tutti.pictures.schedule.ChromeTrace;
import tutti.pictures.schedule.TracePicture;
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

    static TraceFile open(final String name) {
        try {
            return new TraceFile(name, FileChannel.open(OutputFile.withFolder(Path.of(name)), StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        } catch (final IOException | RuntimeException e) {
            throw OutputFile.failure(ExitStatus.USAGE, "--trace", name, e);
        }
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
            throw OutputFile.failure(ExitStatus.FAILED, "--trace", name, e);
        }
        final long dropped = ChromeTrace.dropped(traces);
        return dropped == 0 ? "" : "trace " + name + " has the first events of each rank: " + dropped + " more were dropped; allow more with -p "
            + TraceOption.PARAMETER + "=EVENTS";
    }
}
