package tutti.coll.smp;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.coll.Tunable;

/**
 * Creates the algorithm table for a communicator on one node. The first algorithm of an operation that has several, {@code shared}, chooses among the
 * others.
 *
 * @param fanin   fan-in of trees; a power of two
 * @param small   bytes up to which one rank works for all, because its additional work costs less than further waits of all ranks
 * @param segment bytes that are combined at a time
 * @param eager   bytes up to which data is read from a copy in shared memory
 */
record SingleNodeTable(int fanin, long small, long segment, long eager) {
    /** The name of the algorithms that choose among the others of their operation. */
    static final String CHOICE = "shared";
    /** The number of ranks for which no third rank can do the work. */
    static final int PAIR = 2;
    /** The largest number of ranks for which the root of a reduction finishes sooner alone than with the help of the others. */
    static final int MAX_RANKS_WITHOUT_BLOCKS = 4;

    /** The parameter that is not measured, as copies of short data cost less than a wait everywhere. */
    private static final Tunable EAGER = Tunable.bytes("eager");
    /** Parameters of the algorithms that choose. They have no candidates, since the algorithms among which they choose are measured. */
    private static final Tunable SMALL = Tunable.bytes("small");
    private static final Tunable CHOSEN_FANIN = Tunable.ranks(SmpModule.FANIN.parameter());
    private static final Tunable CHOSEN_SEGMENT = Tunable.bytes(SmpModule.SEGMENT.parameter());

    /** Returns the table, which serves any number of ranks. */
    AlgorithmTable table() {
        final AlgorithmTable.Builder table = AlgorithmTable.builder();
        barrier(table);
        dataMovement(table);
        reductions(table);
        return table.build();
    }

    private void barrier(final AlgorithmTable.Builder table) {
        final Algorithm<Call.Barrier> tree = new GatherReleaseBarrier(fanin);
        final Algorithm<Call.Barrier> flat = new FlatBarrier();
        table.intra(Operation.BARRIER, CHOICE, (call, plan) -> (plan.size() <= fanin ? flat : tree).plan(call, plan), CHOSEN_FANIN)
            .intra(Operation.BARRIER, FlatBarrier.NAME, flat)
            .intra(Operation.BARRIER, GatherReleaseBarrier.NAME, tree, SmpModule.FANIN);
    }

    private void dataMovement(final AlgorithmTable.Builder table) {
        final Algorithm<Call.Allgather> tree = new GatherReleaseAllgather(fanin, eager);
        final Algorithm<Call.Allgather> direct = new DirectAllgather(eager);
        final Algorithm<Call.Allgather> choice =
            (call, plan) -> (plan.size() == PAIR || call.recv().total() > small ? direct : tree).plan(call, plan);
        for (final Operation<Call.Allgather> operation : List.of(Operation.ALLGATHER, Operation.ALLGATHERV)) {
            table.intra(operation, CHOICE, choice, SMALL, CHOSEN_FANIN, EAGER)
                .intra(operation, DirectAllgather.NAME, direct, EAGER)
                .intra(operation, GatherReleaseAllgather.NAME, tree, SmpModule.FANIN, EAGER);
        }
        table.intra(Operation.ALLTOALL, DirectAlltoall.NAME, new DirectAlltoall(eager), EAGER)
            .intra(Operation.BCAST, DirectBcast.NAME, new DirectBcast(fanin, eager), SmpModule.FANIN, EAGER)
            .intra(Operation.GATHER, DirectGather.NAME, new DirectGather(eager), EAGER)
            .intra(Operation.GATHERV, DirectGather.NAME, new DirectGather(eager), EAGER)
            .intra(Operation.SCATTER, DirectScatter.NAME, new DirectScatter(fanin, eager), SmpModule.FANIN, EAGER);
    }

    private void reductions(final AlgorithmTable.Builder table) {
        final Algorithm<Call.Allreduce> direct = new DirectAllreduce(segment);
        final Algorithm<Call.Allreduce> tree = new GatherReleaseAllreduce(fanin, segment, eager);
        final Algorithm<Call.Allreduce> blocks = new BlocksAllreduce(segment);
        table.intra(Operation.ALLREDUCE, CHOICE,
            (call, plan) -> (call.bytes() > small ? blocks : plan.size() == PAIR ? direct : tree).plan(call, plan), ReductionOrder.CANONICAL, SMALL,
            CHOSEN_FANIN, CHOSEN_SEGMENT, EAGER)
            .intra(Operation.ALLREDUCE, DirectAllreduce.NAME, direct, ReductionOrder.CANONICAL, SmpModule.SEGMENT)
            .intra(Operation.ALLREDUCE, GatherReleaseAllreduce.NAME, tree, ReductionOrder.CANONICAL, SmpModule.FANIN, SmpModule.SEGMENT,
                EAGER)
            .intra(Operation.ALLREDUCE, BlocksAllreduce.NAME, blocks, ReductionOrder.CANONICAL, SmpModule.SEGMENT);
        reduce(table);
        final Algorithm<Call.ReduceScatter> scatterDirect = new DirectReduceScatter(segment, eager);
        final Algorithm<Call.ReduceScatter> scatterTree = new GatherReleaseReduceScatter(fanin, segment, eager);
        for (final Operation<Call.ReduceScatter> operation : List.of(Operation.REDUCE_SCATTER, Operation.REDUCE_SCATTER_BLOCK)) {
            table.intra(operation, CHOICE, (call, plan) -> (plan.size() == PAIR || call.blocks().total() > small ? scatterDirect : scatterTree)
                .plan(call, plan), ReductionOrder.CANONICAL, SMALL, CHOSEN_FANIN, CHOSEN_SEGMENT, EAGER)
                .intra(operation, DirectReduceScatter.NAME, scatterDirect, ReductionOrder.CANONICAL, SmpModule.SEGMENT, EAGER)
                .intra(operation, GatherReleaseReduceScatter.NAME, scatterTree, ReductionOrder.CANONICAL, SmpModule.FANIN, SmpModule.SEGMENT,
                    EAGER);
        }
        table.intra(Operation.SCAN, FenwickScan.NAME, new FenwickScan(false), ReductionOrder.CANONICAL)
            .intra(Operation.EXSCAN, FenwickScan.NAME, new FenwickScan(true), ReductionOrder.CANONICAL);
    }

    private void reduce(final AlgorithmTable.Builder table) {
        final Algorithm<Call.Reduce> tree = new GatherReleaseReduce(fanin, segment, eager);
        final Algorithm<Call.Reduce> blocks = new BlocksReduce(segment);
        table.intra(Operation.REDUCE, CHOICE,
            (call, plan) -> (call.bytes() > small && plan.size() > MAX_RANKS_WITHOUT_BLOCKS ? blocks : tree).plan(call, plan),
            ReductionOrder.CANONICAL, SMALL, CHOSEN_FANIN, CHOSEN_SEGMENT, EAGER)
            .intra(Operation.REDUCE, GatherReleaseReduce.NAME, tree, ReductionOrder.CANONICAL, SmpModule.FANIN, SmpModule.SEGMENT, EAGER)
            .intra(Operation.REDUCE, BlocksReduce.NAME, blocks, ReductionOrder.CANONICAL, SmpModule.SEGMENT);
    }
}
