package tutti.coll.smp;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;

/**
 * What the module offers where all ranks are on one node. The first algorithm of an operation chooses among the others.
 *
 * @param fanin   of trees; a power of two
 * @param small   bytes up to which one rank works for all, since more work for it is cheaper than more waits for all
 * @param segment bytes that are combined at a time
 */
record SingleNodeTable(int fanin, long small, long segment) {
    /** The name of algorithms that choose among others. */
    static final String CHOICE = "shared";
    /** Two ranks have no use for a third that does the work. */
    static final int PAIR = 2;
    /** Up to so many ranks, the root of a reduction is through before others would have helped it. */
    static final int FEW = 4;

    /** The table for any number of ranks. */
    AlgorithmTable table() {
        final AlgorithmTable.Builder table = AlgorithmTable.builder();
        barrier(table);
        moves(table);
        reductions(table);
        return table.build();
    }

    private void barrier(final AlgorithmTable.Builder table) {
        final Algorithm<Call.Barrier> tree = new GatherReleaseBarrier(fanin);
        final Algorithm<Call.Barrier> flat = new FlatBarrier();
        table.intra(Operation.BARRIER, CHOICE, (call, plan) -> (plan.size() <= fanin ? flat : tree).plan(call, plan))
            .intra(Operation.BARRIER, FlatBarrier.NAME, flat)
            .intra(Operation.BARRIER, GatherReleaseBarrier.NAME, tree);
    }

    private void moves(final AlgorithmTable.Builder table) {
        final Algorithm<Call.Allgather> together = new GatherReleaseAllgather(fanin);
        final Algorithm<Call.Allgather> direct = new DirectAllgather();
        final Algorithm<Call.Allgather> choice =
            (call, plan) -> (plan.size() == PAIR || call.recv().total() > small ? direct : together).plan(call, plan);
        for (final Operation<Call.Allgather> operation : List.of(Operation.ALLGATHER, Operation.ALLGATHERV)) {
            table.intra(operation, CHOICE, choice)
                .intra(operation, DirectAllgather.NAME, direct)
                .intra(operation, GatherReleaseAllgather.NAME, together)
                .skipEmpty(operation);
        }
        table.intra(Operation.ALLTOALL, DirectAlltoall.NAME, new DirectAlltoall()).skipEmpty(Operation.ALLTOALL)
            .intra(Operation.BCAST, DirectBcast.NAME, new DirectBcast(fanin)).skipEmpty(Operation.BCAST)
            .intra(Operation.GATHER, DirectGather.NAME, new DirectGather()).skipEmpty(Operation.GATHER)
            .intra(Operation.GATHERV, DirectGather.NAME, new DirectGather())
            .intra(Operation.SCATTER, DirectScatter.NAME, new DirectScatter(fanin)).skipEmpty(Operation.SCATTER);
    }

    private void reductions(final AlgorithmTable.Builder table) {
        final Algorithm<Call.Allreduce> direct = new DirectAllreduce(segment);
        final Algorithm<Call.Allreduce> together = new GatherReleaseAllreduce(fanin, segment);
        final Algorithm<Call.Allreduce> blocks = new BlocksAllreduce(segment);
        table.intra(Operation.ALLREDUCE, CHOICE,
                (call, plan) -> (call.bytes() > small ? blocks : plan.size() == PAIR ? direct : together).plan(call, plan), ReductionOrder.CANONICAL)
            .intra(Operation.ALLREDUCE, DirectAllreduce.NAME, direct, ReductionOrder.CANONICAL)
            .intra(Operation.ALLREDUCE, GatherReleaseAllreduce.NAME, together, ReductionOrder.CANONICAL)
            .intra(Operation.ALLREDUCE, BlocksAllreduce.NAME, blocks, ReductionOrder.CANONICAL).skipEmpty(Operation.ALLREDUCE);
        reduce(table);
        final Algorithm<Call.ReduceScatter> scatterDirect = new DirectReduceScatter(segment);
        final Algorithm<Call.ReduceScatter> scatterTogether = new GatherReleaseReduceScatter(fanin, segment);
        for (final Operation<Call.ReduceScatter> operation : List.of(Operation.REDUCE_SCATTER, Operation.REDUCE_SCATTER_BLOCK)) {
            table.intra(operation, CHOICE, (call, plan) -> (plan.size() == PAIR || call.blocks().total() > small ? scatterDirect : scatterTogether)
                    .plan(call, plan), ReductionOrder.CANONICAL)
                .intra(operation, DirectReduceScatter.NAME, scatterDirect, ReductionOrder.CANONICAL)
                .intra(operation, GatherReleaseReduceScatter.NAME, scatterTogether, ReductionOrder.CANONICAL).skipEmpty(operation);
        }
        table.intra(Operation.SCAN, FenwickScan.NAME, new FenwickScan(false), ReductionOrder.CANONICAL).skipEmpty(Operation.SCAN)
            .intra(Operation.EXSCAN, FenwickScan.NAME, new FenwickScan(true), ReductionOrder.CANONICAL).skipEmpty(Operation.EXSCAN);
    }

    private void reduce(final AlgorithmTable.Builder table) {
        final Algorithm<Call.Reduce> together = new GatherReleaseReduce(fanin, segment);
        final Algorithm<Call.Reduce> blocks = new BlocksReduce(segment);
        table.intra(Operation.REDUCE, CHOICE,
                (call, plan) -> (call.bytes() > small && plan.size() > FEW ? blocks : together).plan(call, plan), ReductionOrder.CANONICAL)
            .intra(Operation.REDUCE, GatherReleaseReduce.NAME, together, ReductionOrder.CANONICAL)
            .intra(Operation.REDUCE, BlocksReduce.NAME, blocks, ReductionOrder.CANONICAL).skipEmpty(Operation.REDUCE);
    }
}
