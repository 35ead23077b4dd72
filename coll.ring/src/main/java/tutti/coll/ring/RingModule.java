package tutti.coll.ring;

import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.metatype.annotations.Designate;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.coll.QueryResult;

/**
 * The module that uses all links of a ring at once: fewest bytes per rank, a number of messages that grows with the ranks. For much data.
 *
 * <p>Stateless. Its parameters are those of a job, so the component takes no configuration: the declaration is there for who starts jobs.
 */
@Component(property = CollModule.NAME + "=" + RingModule.MODULE, configurationPid = RingParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = RingParameters.class)
@ProvidesCollectives(value = RingModule.MODULE, operations = {
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "bcast", "exscan", "reduce", "reduce_scatter",
    "reduce_scatter_block", "scan"})
public final class RingModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "ring";
    /** Above what always can, below what knows more about the machine. */
    static final int PRIORITY = 40;
    /** Two ranks make no ring. */
    static final int LEAST_RANKS = 3;

    /** Made by Declarative Services. */
    public RingModule() {
        // nothing to acquire
    }

    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.isInter()) {
            return new QueryResult.Declined("a ring joins the ranks of one group, not of two");
        }
        if (comm.size() < LEAST_RANKS) {
            return new QueryResult.Declined("a ring needs " + LEAST_RANKS + " ranks: ranks=" + comm.size());
        }
        final RingParameters parameters = comm.job().parameters(RingParameters.PID, RingParameters.class);
        if (parameters.segment() < RingParameters.LEAST_SEGMENT) {
            return new QueryResult.Declined("segment too short: coll.ring.segment=" + parameters.segment() + ", least="
                + RingParameters.LEAST_SEGMENT);
        }
        if (parameters.window() < RingParameters.LEAST_WINDOW) {
            return new QueryResult.Declined("window too small: coll.ring.window=" + parameters.window() + ", least=" + RingParameters.LEAST_WINDOW);
        }
        return QueryResult.usable(PRIORITY, table(parameters.segment(), parameters.window(), RingOrder.byNode(comm.size(), comm::nodeOf)));
    }

    /** Calls of alltoallv and alltoallw may be empty on some ranks alone, so they are not skipped. */
    static AlgorithmTable table(final long segment, final int window, final RingOrder route) {
        final RingReduceScatter reduceScatter = new RingReduceScatter(segment, route);
        final RingAllgather allgather = new RingAllgather(segment, route);
        final PairwiseAlltoall pairwise = new PairwiseAlltoall(window);
        final ScatteredAlltoall scattered = new ScatteredAlltoall(window);
        return AlgorithmTable.builder()
            .intra(Operation.ALLGATHER, RingAllgather.NAME, allgather).skipEmpty(Operation.ALLGATHER)
            .intra(Operation.ALLGATHERV, RingAllgather.NAME, allgather).skipEmpty(Operation.ALLGATHERV)
            .intra(Operation.ALLREDUCE, RingAllreduce.NAME, new RingAllreduce(segment, route)).skipEmpty(Operation.ALLREDUCE)
            .intra(Operation.ALLTOALL, PairwiseAlltoall.NAME, pairwise)
            .intra(Operation.ALLTOALL, ScatteredAlltoall.NAME, scattered).skipEmpty(Operation.ALLTOALL)
            .intra(Operation.ALLTOALLV, PairwiseAlltoall.NAME, pairwise).intra(Operation.ALLTOALLV, ScatteredAlltoall.NAME, scattered)
            .intra(Operation.ALLTOALLW, PairwiseAlltoall.NAME, pairwise).intra(Operation.ALLTOALLW, ScatteredAlltoall.NAME, scattered)
            .intra(Operation.BCAST, PipelinedBcast.NAME, new PipelinedBcast(segment, route)).skipEmpty(Operation.BCAST)
            .intra(Operation.EXSCAN, ChainExscan.NAME, new ChainExscan(segment)).skipEmpty(Operation.EXSCAN)
            .intra(Operation.REDUCE, ChainReduce.NAME, new ChainReduce(segment, route)).skipEmpty(Operation.REDUCE)
            .intra(Operation.REDUCE_SCATTER, RingReduceScatter.NAME, reduceScatter).skipEmpty(Operation.REDUCE_SCATTER)
            .intra(Operation.REDUCE_SCATTER_BLOCK, RingReduceScatter.NAME, reduceScatter).skipEmpty(Operation.REDUCE_SCATTER_BLOCK)
            .intra(Operation.SCAN, ChainScan.NAME, new ChainScan(segment)).skipEmpty(Operation.SCAN)
            .build();
    }
}
