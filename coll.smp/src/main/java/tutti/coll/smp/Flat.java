package tutti.coll.smp;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Order;
import tutti.coll.Table;

/**
 * What the module offers where all ranks are on one node. The first algorithm of an operation chooses among the others.
 *
 * @param fanin   of trees; a power of two
 * @param small   bytes up to which one rank combines, and more copies are cheaper than more waits
 * @param segment bytes that are combined at a time
 */
record Flat(int fanin, long small, long segment) {
    /** The name of algorithms that choose among others. */
    static final String CHOICE = "shared";
    /** Up to so many ranks, every rank may wait for every other. */
    static final int FEW = 4;

    /** The table for any number of ranks. */
    Table table() {
        final Table.Builder table = Table.builder();
        barrier(table);
        moves(table);
        reductions(table);
        return table.build();
    }

    private void barrier(final Table.Builder table) {
        final Algorithm<Call.Barrier> tree = new GatherReleaseBarrier(fanin);
        final Algorithm<Call.Barrier> flat = new FlatBarrier();
        table.intra(Operation.BARRIER, CHOICE, (call, plan) -> (isFew(plan.size()) ? flat : tree).plan(call, plan))
            .intra(Operation.BARRIER, FlatBarrier.NAME, flat)
            .intra(Operation.BARRIER, GatherReleaseBarrier.NAME, tree);
    }

    private void moves(final Table.Builder table) {
        final Algorithm<Call.Allgather> together = new GatherReleaseAllgather(fanin);
        final Algorithm<Call.Allgather> direct = new DirectAllgather();
        final Algorithm<Call.Allgather> choice =
            (call, plan) -> (isFew(plan.size()) || call.recv().total() > small ? direct : together).plan(call, plan);
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

    private void reductions(final Table.Builder table) {
        final Algorithm<Call.Allreduce> direct = new DirectAllreduce(segment);
        final Algorithm<Call.Allreduce> tree = new GatherReleaseAllreduce(fanin, segment);
        final Algorithm<Call.Allreduce> blocks = new BlocksAllreduce(segment);
        final Algorithm<Call.Reduce> treeReduce = new GatherReleaseReduce(fanin, segment);
        final Algorithm<Call.Reduce> blocksReduce = new BlocksReduce(segment);
        final Algorithm<Call.ReduceScatter> reduceScatter = new DirectReduceScatter(segment);
        table.intra(Operation.ALLREDUCE, CHOICE,
                (call, plan) -> (call.bytes() > small ? blocks : isFew(plan.size()) ? direct : tree).plan(call, plan), Order.CANONICAL)
            .intra(Operation.ALLREDUCE, DirectAllreduce.NAME, direct, Order.CANONICAL)
            .intra(Operation.ALLREDUCE, GatherReleaseAllreduce.NAME, tree, Order.CANONICAL)
            .intra(Operation.ALLREDUCE, BlocksAllreduce.NAME, blocks, Order.CANONICAL).skipEmpty(Operation.ALLREDUCE)
            .intra(Operation.REDUCE, CHOICE,
                (call, plan) -> (call.bytes() > small && !isFew(plan.size()) ? blocksReduce : treeReduce).plan(call, plan), Order.CANONICAL)
            .intra(Operation.REDUCE, GatherReleaseReduce.NAME, treeReduce, Order.CANONICAL)
            .intra(Operation.REDUCE, BlocksReduce.NAME, blocksReduce, Order.CANONICAL).skipEmpty(Operation.REDUCE)
            .intra(Operation.REDUCE_SCATTER, DirectReduceScatter.NAME, reduceScatter, Order.CANONICAL).skipEmpty(Operation.REDUCE_SCATTER)
            .intra(Operation.REDUCE_SCATTER_BLOCK, DirectReduceScatter.NAME, reduceScatter, Order.CANONICAL)
            .skipEmpty(Operation.REDUCE_SCATTER_BLOCK)
            .intra(Operation.SCAN, FenwickScan.NAME, new FenwickScan(false), Order.CANONICAL).skipEmpty(Operation.SCAN)
            .intra(Operation.EXSCAN, FenwickScan.NAME, new FenwickScan(true), Order.CANONICAL).skipEmpty(Operation.EXSCAN);
    }

    private static boolean isFew(final int ranks) {
        return ranks <= FEW;
    }
}
