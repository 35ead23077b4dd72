package com.example.coll.nearest;

import tutti.coll.AlgorithmTable;
import tutti.coll.CollInstance;
import tutti.coll.Operation;
import tutti.coll.advanced.Checkpointable;
import tutti.coll.advanced.SetupComm;

/**
 * The round trips that were measured on one communicator, on one rank. They are equal on all ranks, so all plan with the same order.
 *
 * <p>It serves no duplicates: a duplicate is measured again, so a program can make one when the order may have changed. What belongs to one
 * communicator must take part in checkpoints, otherwise no job that uses the module could be saved. There is little to do: the messages of the set-up
 * were all received in {@link #init}, and the times are not worth saving, since a job that continues may have its ranks on other nodes.
 */
final class NearestInstance implements CollInstance, Checkpointable {
    private final SetupComm comm;
    private final NearestParameters parameters;
    private RoundTrips times;

    NearestInstance(final SetupComm comm, final NearestParameters parameters) {
        this.comm = comm;
        this.parameters = parameters;
        this.times = RoundTrips.unknown(comm.size());
    }

    /** Returns the same algorithm before and after the measurement; it follows the times that are known when the table is made. */
    @Override
    public AlgorithmTable table() {
        return AlgorithmTable.builder()
            .intra(Operation.BCAST, NearestBcast.NAME, new NearestBcast(times, parameters.segment(), parameters.limit())).build();
    }

    @Override
    public AlgorithmTable init() {
        times = RoundTrips.measure(comm);
        comm.logger().log(System.Logger.Level.DEBUG, "chain from rank 0: {0}", times.chain(0));
        return table();
    }

    RoundTrips times() {
        return times;
    }

    /** Does nothing: no communication of the module is pending after {@link #init}. */
    @Override
    public void checkpoint() {
        // nothing is pending
    }

    /** Does nothing: the ranks are where they were. */
    @Override
    public void resume() {
        // the times are still those of these nodes
    }

    /**
     * Does nothing: {@link #init} has measured already, on the nodes on which the ranks are now. It could not be done here, since the set-up of the
     * communicator is over.
     */
    @Override
    public void restart() {
        // measured in init
    }
}
