package tutti.coll.recexch;

import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.metatype.annotations.Designate;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.coll.QueryResult;
import tutti.coll.ReductionOrder;
import tutti.coll.Tunable;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Module {@code recexch}: recursive doubling and halving with any radix, for any number of ranks.
 *
 * <p>Stateless. Its parameters are set per job, so the component takes no configuration. The metatype declaration documents
 * them for users.
 */
@Component(property = CollModule.NAME + "=" + RecexchModule.MODULE, configurationPid = RecexchParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = RecexchParameters.class)
@ProvidesCollectives(value = RecexchModule.MODULE, operations = {
    "allgather", "allgatherv", "allreduce", "barrier", "bcast", "exscan", "reduce", "reduce_scatter", "reduce_scatter_block", "scan"})
public final class RecexchModule implements CollModule {
    /** Name of the module. */
    static final String MODULE = "recexch";
    /** Priority above the fallback module; rules decide where each algorithm is used. */
    static final int PRIORITY = 25;

    private static final Tunable K = Tunable.ranks("k", 2, 4, 8);

    /** Creates the component; called by Declarative Services. */
    public RecexchModule() {
        // nothing to acquire
    }

    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.isInter()) {
            return new QueryResult.Declined("ranks exchange within one group, not between two");
        }
        final int k = comm.job().parameters(RecexchParameters.PID, RecexchParameters.class).k();
        if (k < RecexchParameters.MIN_K) {
            return new QueryResult.Declined("radix too small: coll.recexch.k=" + k + ", least=" + RecexchParameters.MIN_K);
        }
        return QueryResult.usable(PRIORITY, comm.job(),
            job -> table(comm.size(), job.parameters(RecexchParameters.PID, RecexchParameters.class).k()));
    }

    /** Returns the algorithms for {@code size} ranks; the reduction order of some depends on the number of ranks. */
    static AlgorithmTable table(final int size, final int k) {
        final boolean isCanonical = RecursiveExchange.of(size, k, RecursiveExchange.ANY_RANK).isCanonical();
        final ReductionOrder order = isCanonical ? ReductionOrder.CANONICAL : ReductionOrder.RANKS;
        final ReductionOrder scanOrder = k == 2 ? ReductionOrder.CANONICAL : ReductionOrder.RANKS;
        final DoublingAllgather allgather = new DoublingAllgather(k);
        final HalvingReduceScatter reduceScatter = new HalvingReduceScatter(k, false);
        final HalvingReduceScatter inOrder = new HalvingReduceScatter(k, true);
        return AlgorithmTable.builder()
            .intra(Operation.ALLGATHER, DoublingAllgather.NAME, allgather, K)
            .intra(Operation.ALLGATHERV, DoublingAllgather.NAME, allgather, K)
            .intra(Operation.ALLREDUCE, DoublingAllreduce.NAME, new DoublingAllreduce(k), order, K)
            .intra(Operation.ALLREDUCE, RabenseifnerAllreduce.NAME, new RabenseifnerAllreduce(k), order, K)
            .intra(Operation.ALLREDUCE, CanonicalAllreduce.NAME, new CanonicalAllreduce(k), ReductionOrder.CANONICAL, K)
            .intra(Operation.BARRIER, DoublingBarrier.NAME, new DoublingBarrier(k), K)
            .intra(Operation.BCAST, ScatterAllgatherBcast.NAME, new ScatterAllgatherBcast(k), K)
            .intra(Operation.EXSCAN, DoublingScan.NAME, new DoublingScan(k, true), scanOrder, K)
            .intra(Operation.REDUCE, RabenseifnerReduce.NAME, new RabenseifnerReduce(k), order, K)
            .intra(Operation.REDUCE_SCATTER, HalvingReduceScatter.NAME, reduceScatter, K)
            .intra(Operation.REDUCE_SCATTER, HalvingReduceScatter.IN_ORDER, inOrder, order, K)
            .intra(Operation.REDUCE_SCATTER_BLOCK, HalvingReduceScatter.NAME, reduceScatter, K)
            .intra(Operation.REDUCE_SCATTER_BLOCK, HalvingReduceScatter.IN_ORDER, inOrder, order, K)
            .intra(Operation.SCAN, DoublingScan.NAME, new DoublingScan(k, false), scanOrder, K)
            .build();
    }
}
