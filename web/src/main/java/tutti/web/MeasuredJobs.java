package tutti.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.monitor.JobMeasurements;
import tutti.daemon.monitor.JobMeasurements.Measurement;
import tutti.daemon.monitor.JobMeasurements.State;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.TracePieces;
import tutti.pictures.schedule.ChromeTrace;
import tutti.pictures.schedule.TracePicture;
import tutti.runtime.introspect.RankTrace;

/**
 * Traces and reports of jobs, whichever node keeps them: pictures of traces as {@code tutti run --trace} writes them, made one after the other from
 * the first events of each rank. Thread-safe.
 */
final class MeasuredJobs {
    /** Most bytes of a trace that are read at once, of all ranks: about 200,000 events. */
    static final int MOST_TRACE_BYTES = 10_000_000;

    private static final String SVG = "image/svg+xml";
    private static final String TEXT = "text/";
    private static final String PROFILE = "intercept.profile";
    /** Bytes of a rank that are read in any case. */
    private static final int LEAST_RANK_BYTES = 512;

    private final ClusterView cluster;
    private final Semaphore turn = new Semaphore(1);

    /** Answers with the traces of a job. */
    private interface TraceUser {
        void use(List<RankTrace> traces) throws IOException;
    }

    MeasuredJobs(final ClusterView cluster) {
        this.cluster = cluster;
    }

    /** Returns which measurements of a job are kept. Blocks. */
    JobMeasurements find(final String job) throws PageRefusal {
        final JobMeasurements found;
        try {
            found = cluster.measurements(job);
        } catch (final IOException e) {
            throw new PageRefusal(HttpStatus.UNAVAILABLE, "the answer of another node cannot be read: " + Protocol.oneLine(e));
        }
        if (found == null) {
            throw new PageRefusal(HttpStatus.NOT_FOUND, "no such job: id=" + job + "; /api/history lists them");
        }
        return found;
    }

    /** Answers with the picture of a trace. Blocks. */
    void picture(final PageExchange exchange, final String job) throws IOException, PageRefusal {
        final JobMeasurements found = find(job);
        useTrace(found, traces -> exchange.send(HttpStatus.OK, SVG, TracePicture.of(found.program(), traces).svg().getBytes(StandardCharsets.UTF_8)));
    }

    /** Answers with a trace as JSON of Chrome's trace viewer. Blocks. */
    void trace(final PageExchange exchange, final String job) throws IOException, PageRefusal {
        final JobMeasurements found = find(job);
        useTrace(found, traces -> ChromeTrace.write(found.program(), traces, exchange.stream(PageExchange.JSON)));
    }

    private void useTrace(final JobMeasurements found, final TraceUser user) throws IOException, PageRefusal {
        check(found, JobMeasurements.TRACE);
        if (!turn.tryAcquire()) {
            throw new PageRefusal(HttpStatus.UNAVAILABLE, "another trace is being drawn: try again when it is there");
        }
        try {
            user.use(traces(found));
        } finally {
            turn.release();
        }
    }

    private List<RankTrace> traces(final JobMeasurements found) throws PageRefusal {
        try {
            final TracePieces pieces = new TracePieces(Math.max(LEAST_RANK_BYTES, MOST_TRACE_BYTES / Math.max(1, found.tracedRanks())));
            read(found, JobMeasurements.TRACE, pieces::addKept);
            return pieces.read();
        } catch (final IOException e) {
            throw new PageRefusal(HttpStatus.UNPROCESSABLE, "the trace of job " + found.job() + " cannot be read: " + Protocol.oneLine(e));
        }
    }

    /** Answers with the report of the profile. Blocks. */
    void profile(final PageExchange exchange, final String job) throws IOException, PageRefusal {
        report(exchange, find(job), PROFILE);
    }

    /** Answers with the report of the interceptor that a parameter names. Blocks. */
    void report(final PageExchange exchange, final String job) throws IOException, PageRefusal {
        final JobMeasurements found = find(job);
        final List<String> names = exchange.parameters("name");
        if (names.size() != 1 || names.getFirst().equals(JobMeasurements.TRACE)) {
            throw new PageRefusal(HttpStatus.BAD_REQUEST, "not the name of an interceptor: name=" + String.join(",", names)
                + ", expected one such as " + PROFILE);
        }
        report(exchange, found, names.getFirst());
    }

    private void report(final PageExchange exchange, final JobMeasurements found, final String name) throws IOException, PageRefusal {
        final String type = check(found, name).mediaType();
        final ByteArrayOutputStream report = new ByteArrayOutputStream();
        read(found, name, report::writeBytes);
        // another interceptor's report is of no known kind: a browser stores it
        exchange.set("Content-Disposition", "attachment");
        exchange.send(HttpStatus.OK, type.startsWith(TEXT) ? type + "; charset=utf-8" : type, report.toByteArray());
    }

    private void read(final JobMeasurements found, final String name, final ClusterView.ChunkReceiver to) throws IOException, PageRefusal {
        if (!cluster.read(found, name, to)) {
            throw new PageRefusal(HttpStatus.NOT_FOUND, describe(name) + " of job " + found.job() + " is gone: node " + found.node()
                + " does not answer, or newer jobs needed its place");
        }
    }

    /** Returns a measurement that can be read; refuses another with what to do. */
    private static Measurement check(final JobMeasurements found, final String name) throws PageRefusal {
        final Measurement kept = found.kept().stream().filter(k -> k.name().equals(name)).findFirst().orElse(null);
        if (kept != null && kept.state() == State.KEPT) {
            return kept;
        }
        throw new PageRefusal(HttpStatus.NOT_FOUND, describe(name) + " of job " + found.job() + " is not kept: "
            + why(found, name, kept == null ? null : kept.state()));
    }

    private static String describe(final String name) {
        return name.equals(JobMeasurements.TRACE) ? "the trace" : "the report of " + name;
    }

    private static String why(final JobMeasurements found, final String name, final @Nullable State state) {
        final String limit = ", " + NodeProperties.MEASUREMENTS + "=" + found.limit();
        return switch (state) {
            case null ->
                "start the job with -p " + (name.equals(JobMeasurements.TRACE) ? "trace=on" : "intercept=" + name.replaceFirst("^intercept\\.",
                    ""));
            case ARRIVING, KEPT -> "it arrives when the ranks have ended";
            case TOO_LONG -> "it is longer than all that node " + found.node() + " keeps" + limit
                + (name.equals(JobMeasurements.TRACE) ? "; write it to a file with: tutti run --trace FILE" : "");
            case DROPPED -> "newer jobs needed its place on node " + found.node() + limit;
        };
    }
}
