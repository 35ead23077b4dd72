package tutti.coll.smp;

import tutti.coll.AlgorithmTable;
import tutti.coll.CollJob;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.patterns.NestedReduction;

/** The algorithms on an intercommunicator: each group works as a whole, and its leader, which is its rank 0, communicates with the other group. */
final class PipelinedTable {
    /** The name of all algorithms of the table. */
    static final String NAME = "pipelined";

    private PipelinedTable() {}

    /**
     * Returns the table.
     *
     * @param group the local group
     * @param job   the job, with the length of segments
     */
    static AlgorithmTable of(final CollSubComm group, final CollJob job) {
        final long segment = SmpModule.of(job).segment();
        final ReductionOrder order = NestedReduction.order(job);
        return AlgorithmTable.builder()
            .inter(Operation.ALLREDUCE, NAME, new PipelinedAllreduce(group, segment), order, SmpModule.SEGMENT)
            .inter(Operation.BCAST, NAME, new PipelinedBcast(group, segment), ReductionOrder.RANKS, SmpModule.SEGMENT)
            .inter(Operation.REDUCE, NAME, new PipelinedReduce(group, segment), order, SmpModule.SEGMENT)
            .build();
    }
}
