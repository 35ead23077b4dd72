package tutti.daemon.command;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tutti.daemon.protocol.ExitStatus;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.reading.ChromeTrace;
import tutti.daemon.reading.TraceBytes;
import tutti.runtime.reading.RankTrace;
import tutti.runtime.select.Tracing;

/** Where the trace of a job is written when the job has ended, well or not. The file is opened before the job starts. */
final class TraceFile {
    private final String name;
    private final OutputStream out;
    private final Map<Integer, ByteArrayOutputStream> ranks = new TreeMap<>();

    private TraceFile(final String name, final OutputStream out) {
        this.name = name;
        this.out = out;
    }

    /** Whether a file of that name can be written, as far as can be seen. */
    static boolean isWritable(final String name) {
        try {
            final Path at = Path.of(name).toAbsolutePath();
            return !Files.isDirectory(at) && (Files.exists(at) ? Files.isWritable(at) : Files.isWritable(at.getParent()));
        } catch (final InvalidPathException e) {
            return false;
        }
    }

    static TraceFile open(final String name) {
        try {
            return new TraceFile(name, new BufferedOutputStream(Files.newOutputStream(Path.of(name)), 1 << 16));
        } catch (final IOException | RuntimeException e) {
            throw new Failure(ExitStatus.USAGE, "cannot be written: --trace " + name + ": " + Protocol.oneLine(e), e);
        }
    }

    /** A piece of a rank's trace came. */
    void add(final int rank, final byte[] bytes) {
        ranks.computeIfAbsent(rank, r -> new ByteArrayOutputStream()).writeBytes(bytes);
    }

    /** Writes what came; returns what the user should know of it, or nothing. */
    String write(final String program) throws IOException {
        final List<RankTrace> traces = new ArrayList<>();
        for (final Map.Entry<Integer, ByteArrayOutputStream> r : ranks.entrySet()) {
            traces.add(TraceBytes.read(r.getKey(), r.getValue().toByteArray()));
        }
        ChromeTrace.write(program, traces, out);
        final long dropped = ChromeTrace.dropped(traces);
        return dropped == 0 ? "" : "trace " + name + " has the first events of each rank: " + dropped + " more were dropped; allow more with -p "
            + Tracing.PARAMETER + "=EVENTS";
    }
}
