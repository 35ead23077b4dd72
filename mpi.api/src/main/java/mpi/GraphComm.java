package mpi;

import tutti.runtime.comm.Communicator;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/** A communicator whose ranks are the nodes of a graph, which every rank knows whole or its own edges of. Threads as the rank's thread level says. */
public final class GraphComm extends Intracomm {
    private final Topology topology;

    GraphComm(final Communicator handle, final String name, final Topology topology) {
        super(handle, name);
        this.topology = topology;
    }

    @Override
    GraphComm like(final Communicator other) {
        return new GraphComm(other, "", topology);
    }

    /** As {@link #dup}. */
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

    /** The nodes and edges of a graph that every rank knows. */
    public GraphParms getDims() throws MPIException {
        return graph().parms();
    }

    /** The neighbours of a rank in a graph that every rank knows. */
    public int[] getNeighbors(final int rank) throws MPIException {
        final GraphTopology graph = graph();
        try {
            return graph.neighborsOf(rank);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private GraphTopology graph() throws MPIException {
        checkUsable();
        if (topology instanceof GraphTopology graph) {
            return graph;
        }
        throw raise(new MpiFailure(ErrorClass.TOPOLOGY, "not a graph that every rank knows: use getDistGraphNeighbors"));
    }

    /** The edges of the calling rank in a distributed graph. */
    public DistGraphNeighbors getDistGraphNeighbors() throws MPIException {
        checkUsable();
        if (topology instanceof Adjacency adjacency) {
            return adjacency.neighbors();
        }
        throw raise(new MpiFailure(ErrorClass.TOPOLOGY, "not a distributed graph: use getNeighbors"));
    }

    /** The rank that suits the calling rank in a graph like that: its own, or {@code MPI.UNDEFINED} when it is not needed. */
    public int map(final int[] index, final int[] edges) throws MPIException {
        checkUsable();
        try {
            return handle.rank() < GraphTopology.of(index, edges, handle.size()).size() ? handle.rank() : Constants.UNDEFINED;
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }
}
