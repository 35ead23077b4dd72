package tutti.daemon.job;

import java.io.ByteArrayOutputStream;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.monitor.JobMeasurements;
import tutti.daemon.monitor.JobMeasurements.Measurement;
import tutti.daemon.monitor.JobMeasurements.State;
import tutti.daemon.protocol.TracePieces;
import tutti.runtime.intercept.InterceptorReport;

/**
 * Traces and reports of the jobs that a node coordinates and has coordinated, in memory, within a number of bytes for all. Where they exceed it,
 * those of the job whose first ones came first are dropped. What exceeds it alone is not kept. Safe for any thread.
 */
@Component(service = MeasurementStore.class)
public final class MeasurementStore {
    /** Most bytes that {@link #read} returns, more than the longest piece. */
    static final int PART = 256 << 10;
    /** Most jobs of which is known what has become of their measurements. */
    private static final int MOST_JOBS = 1_000;
    /** Bytes that a piece costs besides its own. */
    private static final int PIECE_COST = 128;

    private final String node;
    private final long limit;
    /** Jobs of which there are measurements, in the order of the first ones. Guarded by itself, as all below. */
    private final LinkedHashMap<String, Job> jobs = new LinkedHashMap<>();
    private long used;

    /** Pieces of a trace or of a report, by the number of bytes before them. */
    private static final class Pieces {
        private final String mediaType;
        private final NavigableMap<Long, byte[]> all = new TreeMap<>();
        private State state = State.ARRIVING;
        private long bytes;
        private long cost;

        Pieces(final String mediaType) {
            this.mediaType = mediaType;
        }

        /** Drops the pieces; returns how much memory that gives. */
        long drop(final State why) {
            final long freed = cost;
            all.clear();
            bytes = 0;
            cost = 0;
            state = why;
            return freed;
        }
    }

    /** The measurements of a job. */
    final class Job {
        private final String id;
        private final String program;
        private final Map<String, Pieces> kept = new LinkedHashMap<>();
        private final Set<Integer> traced = new HashSet<>();
        private boolean isOver;

        private Job(final String id, final String program) {
            this.id = id;
            this.program = program;
        }

        /** Keeps a piece of the trace of a rank. */
        void trace(final int rank, final byte[] bytes) {
            final byte[] piece = TracePieces.kept(rank, bytes);
            synchronized (jobs) {
                if (!isOver) {
                    traced.add(rank);
                    add(this, kept.computeIfAbsent(JobMeasurements.TRACE, n -> new Pieces(JobMeasurements.TRACE_TYPE)), piece);
                }
            }
        }

        /** Keeps a piece of a report. */
        void report(final InterceptorReport.Piece piece) {
            synchronized (jobs) {
                if (isOver) {
                    return;
                }
                final Pieces report = kept.computeIfAbsent(piece.module(), n -> new Pieces(piece.mediaType()));
                add(this, report, piece.bytes());
                if (piece.isLast() && report.state == State.ARRIVING) {
                    report.state = State.KEPT;
                }
            }
        }

        /** Notifies that the job has ended: its trace is complete, and a report of which the last piece is missing is dropped. */
        void ended() {
            synchronized (jobs) {
                isOver = true;
                final Pieces trace = kept.get(JobMeasurements.TRACE);
                if (trace != null && trace.state == State.ARRIVING) {
                    trace.state = State.KEPT;
                }
                kept.values().removeIf(p -> {
                    final boolean isIncomplete = p.state == State.ARRIVING;
                    used -= isIncomplete ? p.drop(State.DROPPED) : 0;
                    return isIncomplete;
                });
            }
        }

        private long cost() {
            return kept.values().stream().mapToLong(p -> p.cost).sum();
        }
    }

    /** Creates the store of a node. */
    @Activate
    public MeasurementStore(@Reference(name = "node") final ListeningNode node) {
        this(node.name(), node.settings().measurements());
    }

    /**
     * Creates a store.
     *
     * @param node  name of the node
     * @param limit most bytes; 0 to keep nothing
     */
    MeasurementStore(final String node, final long limit) {
        this.node = node;
        this.limit = limit;
    }

    /** Returns where the measurements of a job are kept. */
    Job of(final String id, final String program) {
        return new Job(id, program);
    }

    /** Adds a piece. Called under the lock. */
    private void add(final Job job, final Pieces to, final byte[] piece) {
        jobs.putIfAbsent(job.id, job);
        while (jobs.size() > MOST_JOBS) {
            jobs.pollFirstEntry().getValue().kept.values().forEach(p -> used -= p.drop(State.DROPPED));
        }
        if (to.state != State.ARRIVING) {
            return;
        }
        final long cost = (long) piece.length + PIECE_COST;
        if (to.cost + cost > limit) {
            used -= to.drop(State.TOO_LONG);
            return;
        }
        to.all.put(to.bytes, piece);
        to.bytes += piece.length;
        to.cost += cost;
        used += cost;
        while (used > limit) {
            final List<Job> costly = jobs.values().stream().filter(j -> j.cost() > 0).limit(2).toList();
            if (costly.size() == 1) {
                used -= to.drop(State.TOO_LONG);
            } else {
                costly.getFirst().kept.values().stream().filter(p -> p.cost > 0).forEach(p -> used -= p.drop(State.DROPPED));
            }
        }
    }

    /** Returns which measurements of a job are kept; null if there were none, or it is not known any more. */
    @Nullable
    JobMeasurements find(final String job) {
        synchronized (jobs) {
            final Job found = jobs.get(job);
            return found == null ? null : new JobMeasurements(job, found.program, node, limit, found.traced.size(), found.kept.entrySet().stream()
                .map(k -> new Measurement(k.getKey(), k.getValue().mediaType, k.getValue().bytes, k.getValue().state)).toList());
        }
    }

    /** Returns the description of a job without measurements. */
    JobMeasurements none(final String job, final String program) {
        return new JobMeasurements(job, program, node, limit, 0, List.of());
    }

    /**
     * Returns pieces of a measurement that is kept, {@value #PART} bytes at most: those after a number of bytes that earlier calls have returned.
     * None at its end; null if it is not kept.
     */
    byte @Nullable [] read(final String job, final String name, final long offset) {
        synchronized (jobs) {
            final Job found = jobs.get(job);
            final Pieces pieces = found == null ? null : found.kept.get(name);
            if (pieces == null || pieces.state != State.KEPT) {
                return null;
            }
            final ByteArrayOutputStream part = new ByteArrayOutputStream();
            for (final byte[] piece : pieces.all.tailMap(offset, true).values()) {
                if (part.size() + piece.length > PART) {
                    break;
                }
                part.writeBytes(piece);
            }
            return part.toByteArray();
        }
    }
}
