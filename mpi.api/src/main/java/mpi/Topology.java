package mpi;

import tutti.runtime.comm.Neighborhood;

/** How the ranks of a communicator are arranged; the runtime knows neighbours only. Immutable. */
sealed interface Topology permits CartTopology, GraphTopology, Adjacency {

    /** One of the constants of class MPI for kinds of topologies. */
    int kind();

    /** The neighbours of a rank, for neighbour collectives. */
    Neighborhood neighborhood(int rank);
}
