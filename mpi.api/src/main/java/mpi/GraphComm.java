package mpi;

import tutti.runtime.comm.Communicator;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * A communicator with a graph topology: every rank knows the whole graph, or each rank knows its own edges of a distributed graph. Threads may
 * call as the rank's thread level allows.
 */
public final class GraphComm extends Intracomm {
    private final Topology topology;

    GraphComm(final Communicator handle, final String name, final Topology topology) {
        super(handle, name);
        this.topology = topology;
    }

    @Override
    GraphComm wrap(final Communicator other) {
        return new GraphComm(other, "", topology);
    }

    /** Duplicates this communicator as {@link #dup} does. */
    @Override
    public GraphComm clone() {
        return (GraphComm) super.clone();
    }

    @Override
    public GraphComm dup() throws MPIException {
        return (GraphComm) super.dup();
    }

    @Override
    public GraphComm iDup() throws MPIException {
        return (GraphComm) super.iDup();
    }

    @Override
    public GraphComm dupWithInfo(final Info hints) throws MPIException {
        return (GraphComm) super.dupWithInfo(hints);
    }

    @Override
    Topology topology() {
        return topology;
    }

    /** Returns the nodes and edges of a graph that is not distributed. */
    public GraphParms getDims() throws MPIException {
        return graph().parms();
    }

    /** Returns the neighbours of a rank in a graph that is not distributed. */
    public int[] getNeighbors(final int rank) throws MPIException {
        final GraphTopology graph = graph();
        try {
            return graph.neighborsOf(rank);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private GraphTopology graph() throws MPIException {
        checkReady();
        if (topology instanceof GraphTopology graph) {
            return graph;
        }
        throw raise(new MpiFailure(ErrorClass.TOPOLOGY, "graph is distributed: use getDistGraphNeighbors"));
    }

    /** Returns the edges of the calling rank in a distributed graph. */
    public DistGraphNeighbors getDistGraphNeighbors() throws MPIException {
        checkReady();
        if (topology instanceof Adjacency adjacency) {
            return adjacency.neighbors();
        }
        throw raise(new MpiFailure(ErrorClass.TOPOLOGY, "graph is not distributed: use getNeighbors"));
    }

    /**
     * Returns the rank that suits the calling rank in such a graph: its own rank, or {@code MPI.UNDEFINED} if the graph does not need it. Local.
     */
    public int map(final int[] index, final int[] edges) throws MPIException {
        checkReady();
        try {
            return handle.rank() < GraphTopology.of(index, edges, handle.size()).size() ? handle.rank() : MPI.UNDEFINED;
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }
}
