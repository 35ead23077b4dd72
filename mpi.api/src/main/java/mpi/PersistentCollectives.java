package mpi;

import tutti.runtime.comm.Communicator;

/** The collective operations of {@link Comm} that are made once and started many times. Not in Open MPI's bindings. */
abstract class PersistentCollectives extends NonblockingCollectives {

    PersistentCollectives(final Communicator on) {
        super(on);
    }
}
