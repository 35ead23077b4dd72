package tutti.coll.smp;

import tutti.coll.AlgorithmTable;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;

/**
 * The module instance on a communicator over several nodes. {@link #init} creates a sub-communicator of the ranks of each node and one of the
 * leaders.
 *
 * @param comm    the communicator
 * @param nodes   its ranks, grouped by node
 * @param fanin   fan-in of trees within a node
 * @param pack    the largest blocks in bytes that are packed into one message in alltoall, gather and scatter
 * @param segment bytes that are transferred between nodes as one segment
 */
record HierarchicalTable(CollComm comm, NodeGroups nodes, int fanin, long pack, long segment) implements CollInstance {
    /** The name of all algorithms of the table. */
    static final String NAME = "hierarchical";
    /** The largest number of segments, which keeps plans short. Longer data has longer segments. */
    static final int MAX_SEGMENTS = 32;

    /** Returns the same operations as {@link #init}, for selection. Its algorithms are replaced by those of {@code init} before they are called. */
    @Override
    public AlgorithmTable table() {
        return table(new HierarchyLevels(nodes, null, null));
    }

    @Override
    public AlgorithmTable init() {
        final int rank = comm.rank();
        return table(new HierarchyLevels(nodes, comm.split(nodes.nodeOf().get(rank), rank), comm.split(nodes.leads(rank) ? 0 : -1, rank)));
    }

    @Override
    public boolean servesDuplicates() {
        return true;
    }

    private AlgorithmTable table(final HierarchyLevels levels) {
        final ReductionOrder order = nodes.isInBlocks() ? ReductionOrder.RANKS : ReductionOrder.ANY;
        final HierarchicalAllgather allgather = new HierarchicalAllgather(levels);
        final HierarchicalReduceScatter reduceScatter = new HierarchicalReduceScatter(levels);
        final AlgorithmTable.Builder table = AlgorithmTable.builder()
            .intra(Operation.ALLGATHER, NAME, allgather).skipEmpty(Operation.ALLGATHER)
            .intra(Operation.ALLGATHERV, NAME, allgather).skipEmpty(Operation.ALLGATHERV)
            .intra(Operation.ALLREDUCE, NAME, new HierarchicalAllreduce(levels, segment), order).skipEmpty(Operation.ALLREDUCE)
            .intra(Operation.ALLTOALL, NAME, new HierarchicalAlltoall(nodes, pack)).skipEmpty(Operation.ALLTOALL)
            .intra(Operation.BARRIER, NAME, new HierarchicalBarrier(levels, fanin))
            .intra(Operation.BCAST, NAME, new HierarchicalBcast(levels, segment)).skipEmpty(Operation.BCAST)
            .intra(Operation.GATHER, NAME, new HierarchicalGather(nodes, pack)).skipEmpty(Operation.GATHER)
            .intra(Operation.GATHERV, NAME, new HierarchicalGatherv(nodes))
            .intra(Operation.REDUCE, NAME, new HierarchicalReduce(levels, segment), order).skipEmpty(Operation.REDUCE)
            .intra(Operation.REDUCE_SCATTER, NAME, reduceScatter, order).skipEmpty(Operation.REDUCE_SCATTER)
            .intra(Operation.REDUCE_SCATTER_BLOCK, NAME, reduceScatter, order).skipEmpty(Operation.REDUCE_SCATTER_BLOCK)
            .intra(Operation.SCATTER, NAME, new HierarchicalScatter(nodes, pack)).skipEmpty(Operation.SCATTER);
        if (nodes.isInBlocks()) {
            table.intra(Operation.SCAN, NAME, new HierarchicalScan(levels, Operation.SCAN, segment)).skipEmpty(Operation.SCAN)
                .intra(Operation.EXSCAN, NAME, new HierarchicalScan(levels, Operation.EXSCAN, segment)).skipEmpty(Operation.EXSCAN);
        }
        return table.build();
    }
}
