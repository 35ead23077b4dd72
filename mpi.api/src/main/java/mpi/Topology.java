package mpi;

import tutti.runtime.collective.Neighborhood;

/** The topology of a communicator; the runtime knows neighbours only. Immutable. */
sealed interface Topology permits CartTopology, GraphTopology, Adjacency {

    /** Returns a text that is equal for equal topologies, as one rank knows them. */
    String describe();

    /** Returns the neighbours of a rank, for neighbourhood collectives. */
    Neighborhood neighborhood(int rank);
}
