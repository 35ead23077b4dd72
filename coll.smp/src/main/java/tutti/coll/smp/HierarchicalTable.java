package tutti.coll.smp;

import tutti.coll.AlgorithmTable;
import tutti.coll.CollInstance;
import tutti.coll.CollJob;
import tutti.coll.Level;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.coll.Tunable;
import tutti.coll.advanced.SetupComm;

/**
 * The module instance on a communicator over several nodes, or over several domains of another level of locality. {@link #init} creates a
 * sub-communicator of the ranks of each node and one of the leaders, which the algorithms of all parameters share. Both may be split again, so the
 * hierarchy has as many levels as {@link SmpParameters#levels} names. Used by the thread that creates the communicator.
 */
final class HierarchicalTable implements CollInstance {
    /** The name of all algorithms of the table. */
    static final String NAME = "hierarchical";
    /** The largest number of segments, which keeps plans short. Longer data has longer segments. */
    static final int MAX_SEGMENTS = 32;
    /** The largest blocks that an algorithm packs, see {@link SmpParameters#pack}. */
    private static final Tunable PACK = Tunable.bytes("pack", 1024, 4096, 16_384);

    private final SetupComm comm;
    /** The name of the sub-communicators of the groups. */
    private final String group;
    private final NodeGroups nodes;
    /** True if the ranks of each group are on one node, so that they may read each other's memory. */
    private final boolean sharesMemory;
    /** The levels, without sub-communicators before {@link #init}. */
    private HierarchyLevels levels;

    /**
     * Creates an instance.
     *
     * @param level the level by whose domains the ranks are grouped
     */
    HierarchicalTable(final SetupComm comm, final Level level) {
        this.comm = comm;
        this.group = level.name().equals(Level.JVM) ? "node" : level.name();
        this.nodes = NodeGroups.of(level);
        this.sharesMemory = nodes.members().stream().allMatch(m -> m.stream().allMatch(r -> comm.nodeOf(r) == comm.nodeOf(m.getFirst())));
        this.levels = new HierarchyLevels(nodes, null, null);
    }

    /** Returns the same operations as {@link #init}, for selection. Its algorithms are replaced by those of {@code init} before they are called. */
    @Override
    public AlgorithmTable table() {
        return tuned(comm.job());
    }

    @Override
    public AlgorithmTable init() {
        final int rank = comm.rank();
        levels = new HierarchyLevels(nodes, comm.split(group, nodes.nodeOf().get(rank), rank),
            comm.split("leaders", nodes.leads(rank) ? 0 : -1, rank));
        return table();
    }

    @Override
    public AlgorithmTable tuned(final CollJob job) {
        final SmpParameters p = SmpModule.of(job);
        return table(p.fanin(), p.pack(), p.segment());
    }

    @Override
    public boolean servesDuplicates() {
        return true;
    }

    private AlgorithmTable table(final int fanin, final long pack, final long segment) {
        final ReductionOrder order = nodes.isInBlocks() ? ReductionOrder.RANKS : ReductionOrder.ANY;
        if (!sharesMemory) {
            return AlgorithmTable.builder()
                .intra(Operation.ALLREDUCE, NAME, new HierarchicalAllreduce(levels, segment), order, SmpModule.SEGMENT)
                .intra(Operation.BCAST, NAME, new HierarchicalBcast(levels, segment), SmpModule.SEGMENT)
                .build();
        }
        final HierarchicalAllgather allgather = new HierarchicalAllgather(levels);
        final HierarchicalReduceScatter reduceScatter = new HierarchicalReduceScatter(levels);
        final AlgorithmTable.Builder table = AlgorithmTable.builder()
            .intra(Operation.ALLGATHER, NAME, allgather)
            .intra(Operation.ALLGATHERV, NAME, allgather)
            .intra(Operation.ALLREDUCE, NAME, new HierarchicalAllreduce(levels, segment), order, SmpModule.SEGMENT)
            .intra(Operation.ALLTOALL, NAME, new HierarchicalAlltoall(nodes, pack), PACK)
            .intra(Operation.BARRIER, NAME, new HierarchicalBarrier(levels, fanin), SmpModule.FANIN)
            .intra(Operation.BCAST, NAME, new HierarchicalBcast(levels, segment), SmpModule.SEGMENT)
            .intra(Operation.GATHER, NAME, new HierarchicalGather(nodes, pack), PACK)
            .intra(Operation.GATHERV, NAME, new HierarchicalGatherv(nodes))
            .intra(Operation.REDUCE, NAME, new HierarchicalReduce(levels, segment), order, SmpModule.SEGMENT)
            .intra(Operation.REDUCE_SCATTER, NAME, reduceScatter, order)
            .intra(Operation.REDUCE_SCATTER_BLOCK, NAME, reduceScatter, order)
            .intra(Operation.SCATTER, NAME, new HierarchicalScatter(nodes, pack), PACK);
        if (nodes.isInBlocks()) {
            table.intra(Operation.SCAN, NAME, new HierarchicalScan(levels, Operation.SCAN, segment), SmpModule.SEGMENT)
                .intra(Operation.EXSCAN, NAME, new HierarchicalScan(levels, Operation.EXSCAN, segment), SmpModule.SEGMENT);
        }
        return table.build();
    }
}
