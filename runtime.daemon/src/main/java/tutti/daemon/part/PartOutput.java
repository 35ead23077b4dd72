package tutti.daemon.part;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.BytePipe;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.TraceCodec;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.process.owner.RankOutcome;

/**
 * Output of a part of a job, in its order: what ranks print, their traces, reports and ends, and the end of the part. It ends when the part has
 * ended and all jobs that it has spawned. Safe for any thread; writers of output wait while the coordinator does not read.
 */
public final class PartOutput {
    private static final Logger LOG = LoggerFactory.getLogger(PartOutput.class);

    private final BytePipe pipe = new BytePipe(Protocol.OUTPUT);
    /** The streams of this JVM, which may be those of the rank. */
    private final @Nullable RuntimeStreams streams;
    /** The part, and the jobs that it has spawned, which still put something out. Guarded by this object. */
    private int writers = 1;

    /** Creates the output of a part whose ranks have no streams of their own. */
    public PartOutput() {
        this(null);
    }

    /** Creates the output of a part whose rank may have the streams of this JVM: what it prints is passed on by whoever started the JVM. */
    public PartOutput(final @Nullable RuntimeStreams streams) {
        this.streams = streams;
    }

    /** Starts to send to a listener; returns at once. */
    public void open(final PartListener to) {
        Thread.ofVirtual().name("tutti-output").inheritInheritableThreadLocals(false).start(() -> to.output(pipe).whenComplete((done, e) -> {
            if (e != null) {
                LOG.debug("output of a part is not read any more", e);
            }
            // ranks must not wait for a reader that has gone
            pipe.close();
        }));
    }

    /** Adds a piece. Waits while too much is on its way. */
    void put(final OutputPiece piece) throws InterruptedException {
        pipe.put(piece.framed());
    }

    /** Adds what a rank has printed, in pieces. */
    public void print(final int rank, final boolean error, final byte[] bytes) throws InterruptedException {
        if (streams != null && streams.print(error, bytes)) {
            return;
        }
        int at = 0;
        while (bytes.length - at > Protocol.CHUNK) {
            final int end = pieceEnd(bytes, at);
            put(OutputPiece.printed(rank, error, Arrays.copyOfRange(bytes, at, end)));
            at = end;
        }
        if (at < bytes.length) {
            put(OutputPiece.printed(rank, error, at == 0 ? bytes : Arrays.copyOfRange(bytes, at, bytes.length)));
        }
    }

    /**
     * Returns the end of the next piece. It is the end of a line, so that output of other ranks is not printed within a line, unless the line is
     * longer than a piece.
     */
    private static int pieceEnd(final byte[] bytes, final int from) {
        int end = from + Protocol.CHUNK;
        while (end > from && bytes[end - 1] != '\n') {
            end--;
        }
        return end > from ? end : from + Protocol.CHUNK;
    }

    /** Adds the trace of a rank. */
    void trace(final RankTrace trace) {
        try (OutputStream out = new TraceOutput(trace.rank())) {
            TraceCodec.write(trace, out);
        } catch (final IOException e) {
            // Cause: the link to the coordinator of the job is lost; the trace file lacks the rank. Remedy: look at that node.
            LOG.warn("trace of rank {} was not sent", trace.rank(), e);
        }
    }

    /** Adds a report of an interceptor. */
    public void report(final InterceptorReport report) throws InterruptedException {
        for (final InterceptorReport.Piece piece : report.pieces(Protocol.CHUNK)) {
            put(OutputPiece.of(OutputPiece.Kind.REPORT, 0, piece));
        }
    }

    /** Adds the end of a rank; does not wait. */
    public void rankEnded(final int rank, final RankOutcome end) {
        pipe.add(OutputPiece.of(OutputPiece.Kind.RANK_ENDED, rank,
            new RankOutcome(end.kind(), end.status(), Protocol.shorten(end.text(), Protocol.MAX_TEXT))).framed());
    }

    /** Adds the end of the part; does not wait. */
    public void partEnded() {
        pipe.add(new OutputPiece(OutputPiece.Kind.PART_ENDED, 0, new byte[0]).framed());
        end();
    }

    /** Adds a job that the part has spawned to the writers. */
    public synchronized void begin() {
        writers++;
    }

    /** Adds the end of a job that the part has spawned; does not wait. */
    public void spawnEnded() {
        pipe.add(new OutputPiece(OutputPiece.Kind.SPAWN_ENDED, 0, new byte[0]).framed());
        end();
    }

    /** Removes a writer: the part, or a job that it has spawned. */
    void end() {
        final boolean isLast;
        synchronized (this) {
            writers--;
            isLast = writers == 0;
        }
        if (isLast) {
            pipe.end();
        }
    }

    /** Stream that puts a trace into pieces of one size; the last one may be shorter. For one thread. */
    private final class TraceOutput extends OutputStream {
        private final byte[] chunk = new byte[Protocol.CHUNK];
        private final int rank;
        private int used;

        TraceOutput(final int rank) {
            this.rank = rank;
        }

        @Override
        public void write(final int b) throws IOException {
            chunk[used++] = (byte) b;
            if (used == chunk.length) {
                close();
            }
        }

        @Override
        public void close() throws IOException {
            try {
                if (used > 0) {
                    put(new OutputPiece(OutputPiece.Kind.TRACE, rank, Arrays.copyOf(chunk, used)));
                    used = 0;
                }
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }
}
