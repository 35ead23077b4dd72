package tutti.coll.basic;

import org.osgi.service.component.annotations.Component;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.coll.QueryResult;
import tutti.coll.ReductionOrder;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;
import tutti.coll.patterns.DisseminationBarrier;
import tutti.coll.patterns.LinearGatherv;
import tutti.coll.patterns.LinearScatterv;
import tutti.coll.patterns.NestedReduction;

/**
 * Fallback module: implements every operation on communicators of any size and kind, and never declines. Its algorithms are linear where that
 * suits few ranks or where only the root knows the sizes, and logarithmic elsewhere. Other modules have a higher priority where they are better.
 *
 * <p>Stateless. Two tables serve all intracommunicators: one for 2^k ranks, one for other numbers of ranks. Every reduction has an algorithm with
 * canonical brackets, for jobs whose results must not depend on the algorithm. On an intercommunicator, operations consist of nested operations
 * of the local group, which any module may serve, and of messages to the remote group.
 */
@Component(property = CollModule.NAME + "=" + BasicModule.MODULE)
@ProvidesCollectives(value = BasicModule.MODULE, operations = {
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast", "exscan", "gather", "gatherv",
    "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw", "reduce",
    "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv"})
public final class BasicModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "basic";
    /** Low: specialized modules come first. */
    static final int PRIORITY = 10;

    private final AlgorithmTable powerOfTwo = intraTable(ReductionOrder.CANONICAL);
    private final AlgorithmTable anySize = intraTable(ReductionOrder.RANKS);

    /** Made by Declarative Services. */
    public BasicModule() {
        // nothing to acquire
    }

    @Override
    public QueryResult query(final CollComm comm) {
        return QueryResult.usable(PRIORITY, comm.isInter() ? interTable(comm) : Integer.bitCount(comm.size()) == 1 ? powerOfTwo : anySize);
    }

    /** Returns the algorithms for intercommunicators. */
    private static AlgorithmTable interTable(final CollComm comm) {
        final CollSubComm group = SetupComm.of(comm).local();
        final ReductionOrder order = NestedReduction.order(comm.job());
        final AlgorithmTable.Builder table = AlgorithmTable.builder();
        if (hasShortPairs(comm.size(), comm.remoteSize())) {
            addParallel(table, group, order);
        }
        table.inter(Operation.ALLGATHER, LeadersAllgather.NAME, new LeadersAllgather(group))
            .inter(Operation.ALLGATHERV, DirectAllgatherv.NAME, new DirectAllgatherv())
            .inter(Operation.ALLREDUCE, LeadersAllreduce.NAME, new LeadersAllreduce(group), order)
            .inter(Operation.ALLTOALL, DirectAlltoall.NAME, new DirectAlltoall())
            .inter(Operation.ALLTOALLV, DirectAlltoall.NAME, new DirectAlltoall())
            .inter(Operation.ALLTOALLW, DirectAlltoall.NAME, new DirectAlltoall())
            .inter(Operation.BARRIER, LeadersBarrier.NAME, new LeadersBarrier(group))
            .inter(Operation.BCAST, LeadersBcast.NAME, new LeadersBcast(group))
            .inter(Operation.BCAST, SlicesBcast.NAME, new SlicesBcast(group))
            .inter(Operation.GATHER, LeadersGather.NAME, new LeadersGather(group))
            .inter(Operation.GATHER, DirectGatherv.NAME, new DirectGatherv())
            .inter(Operation.GATHERV, DirectGatherv.NAME, new DirectGatherv())
            .inter(Operation.REDUCE, LeadersReduce.NAME, new LeadersReduce(group), order)
            .inter(Operation.REDUCE, SlicesReduce.NAME, new SlicesReduce(group), order)
            .inter(Operation.REDUCE_SCATTER, LeadersReduceScatter.NAME, new LeadersReduceScatter(group), order)
            .inter(Operation.REDUCE_SCATTER_BLOCK, LeadersReduceScatter.NAME, new LeadersReduceScatter(group), order)
            .inter(Operation.SCATTER, LeadersScatter.NAME, new LeadersScatter(group))
            .inter(Operation.SCATTER, DirectScatterv.NAME, new DirectScatterv())
            .inter(Operation.SCATTERV, DirectScatterv.NAME, new DirectScatterv());
        if (!hasShortPairs(comm.size(), comm.remoteSize())) {
            addParallel(table, group, order);
        }
        return table.build();
    }

    /** Adds the algorithms in which all ranks of a group communicate with the other group. */
    private static void addParallel(final AlgorithmTable.Builder table, final CollSubComm group, final ReductionOrder order) {
        table.inter(Operation.ALLGATHER, SlicesAllgather.NAME, new SlicesAllgather(group))
            .inter(Operation.ALLREDUCE, PairsAllreduce.NAME, new PairsAllreduce(group), order)
            .inter(Operation.ALLREDUCE, SlicesAllreduce.NAME, new SlicesAllreduce(group), order)
            .inter(Operation.BARRIER, PairsBarrier.NAME, new PairsBarrier(group))
            .inter(Operation.REDUCE_SCATTER_BLOCK, SlicesReduceScatter.NAME, new SlicesReduceScatter(group), order);
    }

    /**
     * Returns whether a rank of the smaller group has so few partners in the larger one that it sends to them in no more rounds than a leader and a
     * broadcast take.
     */
    private static boolean hasShortPairs(final int size, final int remoteSize) {
        final int larger = Math.max(size, remoteSize);
        return Math.ceilDiv(larger, Math.min(size, remoteSize)) <= 1 + Binomial.log2(larger);
    }

    /**
     * Returns the algorithms for intracommunicators.
     *
     * @param doubling the order of the allreduce by recursive doubling
     */
    private static AlgorithmTable intraTable(final ReductionOrder doubling) {
        return AlgorithmTable.builder()
            .intra(Operation.ALLGATHER, BruckAllgather.NAME, new BruckAllgather())
            .intra(Operation.ALLGATHERV, RingAllgatherv.NAME, new RingAllgatherv())
            .intra(Operation.ALLREDUCE, RecursiveDoublingAllreduce.NAME, new RecursiveDoublingAllreduce(), doubling)
            .intra(Operation.ALLREDUCE, ReduceBcastAllreduce.NAME, new ReduceBcastAllreduce(), ReductionOrder.CANONICAL)
            .intra(Operation.ALLREDUCE, DirectAllreduce.NAME, new DirectAllreduce(), ReductionOrder.CANONICAL)
            .intra(Operation.ALLTOALL, LinearAlltoall.NAME, new LinearAlltoall())
            .intra(Operation.ALLTOALLV, LinearAlltoall.NAME, new LinearAlltoall())
            .intra(Operation.ALLTOALLW, LinearAlltoall.NAME, new LinearAlltoall())
            .intra(Operation.BARRIER, "dissemination", new DisseminationBarrier(2))
            .intra(Operation.BCAST, BinomialBcast.NAME, new BinomialBcast())
            .intra(Operation.EXSCAN, DistanceDoublingExscan.NAME, new DistanceDoublingExscan())
            .intra(Operation.EXSCAN, RecursiveDoublingScan.NAME, new RecursiveDoublingScan(true), ReductionOrder.CANONICAL)
            .intra(Operation.GATHER, BinomialGather.NAME, new BinomialGather())
            .intra(Operation.GATHERV, LinearAlltoall.NAME, new LinearGatherv())
            .intra(Operation.NEIGHBOR_ALLGATHER, LinearNeighborAllgather.NAME, new LinearNeighborAllgather())
            .intra(Operation.NEIGHBOR_ALLGATHERV, LinearNeighborAllgather.NAME, new LinearNeighborAllgather())
            .intra(Operation.NEIGHBOR_ALLTOALL, LinearNeighborAlltoall.NAME, new LinearNeighborAlltoall())
            .intra(Operation.NEIGHBOR_ALLTOALLV, LinearNeighborAlltoall.NAME, new LinearNeighborAlltoall())
            .intra(Operation.NEIGHBOR_ALLTOALLW, LinearNeighborAlltoall.NAME, new LinearNeighborAlltoall())
            .intra(Operation.REDUCE, BinomialReduce.NAME, new BinomialReduce())
            .intra(Operation.REDUCE, BinomialReduceViaFirst.NAME, new BinomialReduceViaFirst(), ReductionOrder.CANONICAL)
            .intra(Operation.REDUCE_SCATTER, BinomialReduceScatter.NAME, new BinomialReduceScatter(), ReductionOrder.CANONICAL)
            .intra(Operation.REDUCE_SCATTER, DirectReduceScatter.NAME, new DirectReduceScatter(), ReductionOrder.CANONICAL)
            .intra(Operation.REDUCE_SCATTER_BLOCK, BinomialReduceScatter.NAME, new BinomialReduceScatter(), ReductionOrder.CANONICAL)
            .intra(Operation.REDUCE_SCATTER_BLOCK, DirectReduceScatter.NAME, new DirectReduceScatter(), ReductionOrder.CANONICAL)
            .intra(Operation.SCAN, DistanceDoublingScan.NAME, new DistanceDoublingScan())
            .intra(Operation.SCAN, RecursiveDoublingScan.NAME, new RecursiveDoublingScan(false), ReductionOrder.CANONICAL)
            .intra(Operation.SCATTER, BinomialScatter.NAME, new BinomialScatter())
            .intra(Operation.SCATTERV, LinearAlltoall.NAME, new LinearScatterv())
            .build();
    }
}
