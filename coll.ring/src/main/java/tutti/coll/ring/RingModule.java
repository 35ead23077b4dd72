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
import tutti.coll.Tunable;

/**
 * Module {@code ring}: uses all links of a ring at once. It transfers the fewest bytes per rank, in a number of messages that grows with the ranks.
 * For large data.
 *
 * <p>Stateless. Its parameters are set per job, so the component takes no configuration. The metatype declaration documents
 * them for users.
 */
@Component(property = CollModule.NAME + "=" + RingModule.MODULE, configurationPid = RingParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = RingParameters.class)
@ProvidesCollectives(value = RingModule.MODULE, operations = {
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "bcast", "exscan", "reduce", "reduce_scatter",
    "reduce_scatter_block", "scan"})
public final class RingModule implements CollModule {
    /** Name of the module. */
    static final String MODULE = "ring";
    /** Priority above the fallback module, below modules that know the machine. */
    static final int PRIORITY = 40;
    /** Smallest number of ranks: two ranks form no ring. */
    static final int MIN_RANKS = 3;

    private static final Tunable SEGMENT = Tunable.bytes("segment", 8192, 32_768, 131_072);
    private static final Tunable THROTTLE = Tunable.ranks("throttle", 2, 8, 32);

    /** Creates the component; called by Declarative Services. */
    public RingModule() {
        // nothing to acquire
    }

    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.isInter()) {
            return new QueryResult.Declined("a ring joins the ranks of one group, not of two");
        }
        if (comm.size() < MIN_RANKS) {
            return new QueryResult.Declined("a ring needs " + MIN_RANKS + " ranks: ranks=" + comm.size());
        }
        final RingParameters parameters = comm.job().parameters(RingParameters.PID, RingParameters.class);
        if (parameters.segment() < RingParameters.MIN_SEGMENT) {
            return new QueryResult.Declined("segment too short: coll.ring.segment=" + parameters.segment() + ", least="
                + RingParameters.MIN_SEGMENT);
        }
        if (parameters.throttle() < RingParameters.MIN_THROTTLE) {
            return new QueryResult.Declined("throttle too small: coll.ring.throttle=" + parameters.throttle() + ", least="
                + RingParameters.MIN_THROTTLE);
        }
        final RingOrder route = RingOrder.byNode(comm.size(), comm::nodeOf);
        return QueryResult.usable(PRIORITY, comm.job(), job -> table(job.parameters(RingParameters.PID, RingParameters.class), route));
    }

    private static AlgorithmTable table(final RingParameters parameters, final RingOrder route) {
        return table(parameters.segment(), parameters.throttle(), route);
    }

    /** Returns the algorithms. */
    static AlgorithmTable table(final long segment, final int throttle, final RingOrder route) {
        final RingReduceScatter reduceScatter = new RingReduceScatter(segment, route);
        final RingAllgather allgather = new RingAllgather(segment, route);
        final PairwiseAlltoall pairwise = new PairwiseAlltoall(throttle);
        final ScatteredAlltoall scattered = new ScatteredAlltoall(throttle);
        final InterleavedAlltoall interleaved = new InterleavedAlltoall(segment, throttle);
        return AlgorithmTable.builder()
            .intra(Operation.ALLGATHER, RingAllgather.NAME, allgather, SEGMENT)
            .intra(Operation.ALLGATHERV, RingAllgather.NAME, allgather, SEGMENT)
            .intra(Operation.ALLREDUCE, RingAllreduce.NAME, new RingAllreduce(segment, route), SEGMENT)
            .intra(Operation.ALLTOALL, PairwiseAlltoall.NAME, pairwise, THROTTLE)
            .intra(Operation.ALLTOALL, ScatteredAlltoall.NAME, scattered, THROTTLE)
            .intra(Operation.ALLTOALL, InterleavedAlltoall.NAME, interleaved, SEGMENT, THROTTLE)
            .intra(Operation.ALLTOALLV, PairwiseAlltoall.NAME, pairwise, THROTTLE)
            .intra(Operation.ALLTOALLV, ScatteredAlltoall.NAME, scattered, THROTTLE)
            .intra(Operation.ALLTOALLV, InterleavedAlltoall.NAME, interleaved, SEGMENT, THROTTLE)
            .intra(Operation.ALLTOALLW, PairwiseAlltoall.NAME, pairwise, THROTTLE)
            .intra(Operation.ALLTOALLW, ScatteredAlltoall.NAME, scattered, THROTTLE)
            .intra(Operation.ALLTOALLW, InterleavedAlltoall.NAME, interleaved, SEGMENT, THROTTLE)
            .intra(Operation.BCAST, PipelinedBcast.NAME, new PipelinedBcast(segment, route), SEGMENT)
            .intra(Operation.EXSCAN, ChainExscan.NAME, new ChainExscan(segment), SEGMENT)
            .intra(Operation.REDUCE, ChainReduce.NAME, new ChainReduce(segment, route), SEGMENT)
            .intra(Operation.REDUCE_SCATTER, RingReduceScatter.NAME, reduceScatter, SEGMENT)
            .intra(Operation.REDUCE_SCATTER_BLOCK, RingReduceScatter.NAME, reduceScatter, SEGMENT)
            .intra(Operation.SCAN, ChainScan.NAME, new ChainScan(segment), SEGMENT)
            .build();
    }
}
