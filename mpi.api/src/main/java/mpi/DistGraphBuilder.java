package mpi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * Exchanges the edges of a distributed graph: any rank may specify any edge, and the ranks at its two ends receive it. Every rank receives edges
 * in the order of the ranks that specified them, so both ends of multiple edges between two ranks number them alike.
 */
final class DistGraphBuilder {
    private static final int OUT = 0;
    private static final int IN = 1;
    /** Fields of an edge's end: direction, rank at the other end, weight. */
    private static final int FIELDS = 3;

    private final Communicator comm;
    private final int[] sources;
    private final int[] degrees;
    private final int[] destinations;
    /** Weights of the edges; null in a graph without weights. */
    private final int @Nullable [] weights;

    private DistGraphBuilder(final Communicator comm, final int[] sources, final int[] degrees, final int[] destinations,
        final int @Nullable [] weights) {
        this.comm = comm;
        this.sources = sources;
        this.degrees = degrees;
        this.destinations = destinations;
        this.weights = weights;
    }

    /**
     * Gathers the edges of the calling rank. All ranks must call it.
     *
     * @param sources      sources of the edges that this rank specifies
     * @param degrees      number of edges of each source
     * @param destinations destinations of the edges, those of the first source first
     * @param weights      weights of the edges, if {@code isWeighted}
     */
    static Adjacency gather(final Communicator comm, final int[] sources, final int[] degrees, final int[] destinations,
        final int @Nullable [] weights, final boolean isWeighted) {
        check(comm, sources, degrees, destinations);
        final int[] checked = isWeighted ? Adjacency.checkedWeights("edge", weights, total(degrees, sources.length)) : null;
        return new DistGraphBuilder(comm, sources, degrees, destinations, checked).exchange();
    }

    private static void check(final Communicator comm, final int[] sources, final int[] degrees, final int[] destinations) {
        Adjacency.checkRanks("source", sources, comm.size());
        Adjacency.checkRanks("destination", destinations, comm.size());
        if (degrees == null || degrees.length < sources.length) {
            // Cause: `createDistGraph` got arrays of different lengths. Remedy: one degree for each source.
            throw new MpiFailure(ErrorClass.ARG, "a degree per source is needed: degrees=" + (degrees == null ? "null" : degrees.length)
                + ", sources=" + sources.length);
        }
        for (int i = 0; i < sources.length; i++) {
            if (degrees[i] < 0) {
                // Remedy: 0 or more.
                throw new MpiFailure(ErrorClass.ARG, "degree is negative: source=" + i + ", degree=" + degrees[i]);
            }
        }
        if (total(degrees, sources.length) > destinations.length) {
            // Cause: the degrees count more or fewer edges than there are destinations. Remedy: the sum of the degrees is the number of destinations.
            throw new MpiFailure(ErrorClass.ARG, "a destination per edge is needed: destinations=" + destinations.length + ", edges="
                + total(degrees, sources.length));
        }
    }

    private static int total(final int[] degrees, final int nodes) {
        long total = 0;
        for (int i = 0; i < nodes; i++) {
            total += degrees[i];
        }
        return (int) Math.min(total, Integer.MAX_VALUE);
    }

    /** Processes one end of an edge. */
    private interface Visitor {
        void end(int owner, int direction, int other, int weight);
    }

    private void visit(final Visitor visitor) {
        int edge = 0;
        for (int i = 0; i < sources.length; i++) {
            for (int k = 0; k < degrees[i]; k++) {
                final int weight = weights == null ? 1 : weights[edge];
                visitor.end(sources[i], OUT, destinations[edge], weight);
                visitor.end(destinations[edge], IN, sources[i], weight);
                edge++;
            }
        }
    }

    private Adjacency exchange() {
        final int size = comm.size();
        final long[] sendCounts = new long[size];
        visit((owner, direction, other, weight) -> sendCounts[owner] += FIELDS);
        final long[] recvCounts = new long[size];
        comm.engine().blocking().alltoall(sendCounts, 1, Datatype.LONG, recvCounts, 1, Datatype.LONG);
        final long[] sendDispls = displacements(sendCounts);
        final long[] recvDispls = displacements(recvCounts);
        final int[] send = new int[Math.toIntExact(sendDispls[size])];
        final long[] next = sendDispls.clone();
        visit((owner, direction, other, weight) -> {
            final int at = (int) next[owner];
            send[at] = direction;
            send[at + 1] = other;
            send[at + 2] = weight;
            next[owner] += FIELDS;
        });
        final int[] recv = new int[Math.toIntExact(recvDispls[size])];
        comm.engine().blocking().alltoallv(send, sendCounts, sendDispls, Datatype.INT, recv, recvCounts, recvDispls, Datatype.INT);
        return Adjacency.of(column(recv, IN, 1), column(recv, IN, 2), column(recv, OUT, 1), column(recv, OUT, 2), weights != null, size);
    }

    /** Returns the start of each of several contiguous blocks, and the end of the last. */
    private static long[] displacements(final long[] counts) {
        final long[] places = new long[counts.length + 1];
        for (int i = 0; i < counts.length; i++) {
            places[i + 1] = places[i] + counts[i];
        }
        return places;
    }

    /** Returns one field of all edges in one direction. */
    private static int[] column(final int[] ends, final int direction, final int field) {
        final int[] values = new int[ends.length / FIELDS];
        int n = 0;
        for (int i = 0; i < ends.length; i += FIELDS) {
            if (ends[i] == direction) {
                values[n++] = ends[i + field];
            }
        }
        return Arrays.copyOf(values, n);
    }
}
