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
        return QueryResult.usable(PRIORITY, table(comm.size(), k));
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
            .intra(Operation.ALLGATHER, DoublingAllgather.NAME, allgather).skipEmpty(Operation.ALLGATHER)
            .intra(Operation.ALLGATHERV, DoublingAllgather.NAME, allgather).skipEmpty(Operation.ALLGATHERV)
            .intra(Operation.ALLREDUCE, DoublingAllreduce.NAME, new DoublingAllreduce(k), order)
            .intra(Operation.ALLREDUCE, RabenseifnerAllreduce.NAME, new RabenseifnerAllreduce(k), order)
            .intra(Operation.ALLREDUCE, CanonicalAllreduce.NAME, new CanonicalAllreduce(k), ReductionOrder.CANONICAL).skipEmpty(Operation.ALLREDUCE)
            .intra(Operation.BARRIER, DoublingBarrier.NAME, new DoublingBarrier(k))
            .intra(Operation.BCAST, ScatterAllgatherBcast.NAME, new ScatterAllgatherBcast(k)).skipEmpty(Operation.BCAST)
            .intra(Operation.EXSCAN, DoublingScan.NAME, new DoublingScan(k, true), scanOrder).skipEmpty(Operation.EXSCAN)
            .intra(Operation.REDUCE, RabenseifnerReduce.NAME, new RabenseifnerReduce(k), order).skipEmpty(Operation.REDUCE)
            .intra(Operation.REDUCE_SCATTER, HalvingReduceScatter.NAME, reduceScatter)
            .intra(Operation.REDUCE_SCATTER, HalvingReduceScatter.IN_ORDER, inOrder, order).skipEmpty(Operation.REDUCE_SCATTER)
            .intra(Operation.REDUCE_SCATTER_BLOCK, HalvingReduceScatter.NAME, reduceScatter)
            .intra(Operation.REDUCE_SCATTER_BLOCK, HalvingReduceScatter.IN_ORDER, inOrder, order).skipEmpty(Operation.REDUCE_SCATTER_BLOCK)
            .intra(Operation.SCAN, DoublingScan.NAME, new DoublingScan(k, false), scanOrder).skipEmpty(Operation.SCAN)
            .build();
    }
}
