package tutti.daemon.monitor;

import java.util.List;
import java.util.Objects;

/**
 * The trace and the reports of a job that the node which coordinated it has in memory.
 *
 * @param job         id of the job
 * @param program     as the user wrote it
 * @param node        name of the node
 * @param limit       most bytes that the node keeps for all jobs; 0 if it keeps none
 * @param tracedRanks number of ranks of which there is a trace
 * @param kept        the trace, named {@value #TRACE}, and reports, named as the interceptors that made them; in the order in which they came
 */
public record JobMeasurements(String job, String program, String node, long limit, int tracedRanks, List<Measurement> kept) {
    /** Name of the trace. */
    public static final String TRACE = "trace";
    /** Media type of a trace: pieces of {@link tutti.daemon.protocol.TracePieces}. */
    public static final String TRACE_TYPE = "application/octet-stream";

    /** Copies the list. */
    public JobMeasurements {
        Objects.requireNonNull(job, "job");
        Objects.requireNonNull(node, "node");
        kept = List.copyOf(kept);
    }

    /** State of a measurement. */
    public enum State {
        /** Complete, and kept. */
        KEPT,
        /** Incomplete: it arrives while ranks end. */
        ARRIVING,
        /** Not kept: it is longer than all that the node keeps. */
        TOO_LONG,
        /** Kept no longer: newer ones have taken its place. */
        DROPPED
    }

    /**
     * A trace or a report.
     *
     * @param name      its name
     * @param mediaType its media type
     * @param bytes     bytes that are kept
     * @param state     what has become of it
     */
    public record Measurement(String name, String mediaType, long bytes, State state) {
        /** Checks that all is present. */
        public Measurement {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(mediaType, "mediaType");
            Objects.requireNonNull(state, "state");
        }
    }
}
