package tutti.coll.tree;

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
import tutti.coll.patterns.LinearGatherv;
import tutti.coll.patterns.LinearScatterv;

/**
 * Module {@code tree}: k-nomial trees, where the root has the most children and there are the fewest levels, and k-ary trees, where all ranks have
 * equally many; both in segments. For a radix that suits the machine, and for data of medium length.
 *
 * <p>Stateless. Its parameters are set per job, so the component takes no configuration. The metatype declaration documents
 * them for users.
 */
@Component(property = CollModule.NAME + "=" + TreeModule.MODULE, configurationPid = TreeParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = TreeParameters.class)
@ProvidesCollectives(value = TreeModule.MODULE, operations = {
    "allreduce", "barrier", "bcast", "gather", "gatherv", "reduce", "scatter", "scatterv"})
public final class TreeModule implements CollModule {
    /** Name of the module. */
    static final String MODULE = "tree";
    /** Priority above the fallback module, below modules for large data. */
    static final int PRIORITY = 20;
    /** Name of algorithms along k-nomial trees. */
    static final String KNOMIAL = "knomial";
    /** Name of algorithms along k-ary trees. */
    static final String KARY = "kary";
    /** Name of algorithms along a star. */
    static final String THROTTLED = "throttled";

    private static final Tunable K = Tunable.ranks("k", 2, 4, 8);
    private static final Tunable BRANCHES = Tunable.ranks("branches", 2, 4, 8);
    private static final Tunable SEGMENT = Tunable.bytes("segment", 8192, 32_768, 131_072);
    private static final Tunable THROTTLE = Tunable.ranks("throttle", 2, 8, 32);

    /** Creates the component; called by Declarative Services. */
    public TreeModule() {
        // nothing to acquire
    }

    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.isInter()) {
            return new QueryResult.Declined("a tree joins the ranks of one group, not of two");
        }
        final TreeParameters parameters = comm.job().parameters(TreeParameters.PID, TreeParameters.class);
        if (parameters.k() < TreeParameters.MIN_K) {
            return tooSmall("k", parameters.k(), TreeParameters.MIN_K);
        }
        if (parameters.branches() < TreeParameters.MIN_K) {
            return tooSmall("branches", parameters.branches(), TreeParameters.MIN_K);
        }
        if (parameters.segment() < TreeParameters.MIN_SEGMENT) {
            return tooSmall("segment", parameters.segment(), TreeParameters.MIN_SEGMENT);
        }
        if (parameters.throttle() < TreeParameters.MIN_THROTTLE) {
            return tooSmall("throttle", parameters.throttle(), TreeParameters.MIN_THROTTLE);
        }
        return QueryResult.usable(PRIORITY, comm.job(), job -> table(job.parameters(TreeParameters.PID, TreeParameters.class)));
    }

    private static AlgorithmTable table(final TreeParameters parameters) {
        return table(new KnomialTree(parameters.k()), new KaryTree(parameters.branches()), parameters.segment(), parameters.throttle());
    }

    private static QueryResult tooSmall(final String name, final int value, final int least) {
        return new QueryResult.Declined("parameter too small: " + TreeParameters.PID + "." + name + "=" + value + ", least=" + least);
    }

    /** Returns the algorithms. */
    static AlgorithmTable table(final KnomialTree knomial, final KaryTree kary, final long segment, final int throttle) {
        final AlgorithmTable.Builder table = AlgorithmTable.builder()
            .intra(Operation.ALLREDUCE, KNOMIAL, new TreeAllreduce(knomial, segment), knomial.isCanonical() ? ReductionOrder.CANONICAL
                : ReductionOrder.RANKS, K, SEGMENT)
            .intra(Operation.ALLREDUCE, KARY, new TreeAllreduce(kary, segment), BRANCHES, SEGMENT)
            .intra(Operation.BARRIER, KNOMIAL, new TreeBarrier(knomial), K)
            .intra(Operation.BARRIER, KARY, new TreeBarrier(kary), BRANCHES)
            .intra(Operation.BCAST, KNOMIAL, new TreeBcast(knomial, segment), K, SEGMENT)
            .intra(Operation.BCAST, KARY, new TreeBcast(kary, segment), BRANCHES, SEGMENT)
            .intra(Operation.GATHER, KNOMIAL, new TreeGather(knomial), K)
            .intra(Operation.GATHER, KARY, new TreeGather(kary), BRANCHES)
            .intra(Operation.GATHERV, THROTTLED, new LinearGatherv(throttle), THROTTLE)
            .intra(Operation.REDUCE, KNOMIAL, new TreeReduce(knomial, segment, false), K, SEGMENT)
            .intra(Operation.REDUCE, KARY, new TreeReduce(kary, segment, false), BRANCHES, SEGMENT)
            .intra(Operation.SCATTER, KNOMIAL, new TreeScatter(knomial), K)
            .intra(Operation.SCATTER, KARY, new TreeScatter(kary), BRANCHES)
            .intra(Operation.SCATTERV, THROTTLED, new LinearScatterv(throttle), THROTTLE);
        if (knomial.isCanonical()) {
            table.intra(Operation.REDUCE, TreeReduce.CANONICAL, new TreeReduce(knomial, segment, true), ReductionOrder.CANONICAL, K, SEGMENT);
        }
        return table.build();
    }
}
