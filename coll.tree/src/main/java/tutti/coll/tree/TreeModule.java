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

/**
 * The module of trees: k-nomial, where the root has most children and levels are fewest, and k-ary, where all have as many, both in segments. For
 * a radix that suits the machine, and for data of middle length.
 *
 * <p>Stateless. Its parameters are those of a job, so the component takes no configuration: the declaration is there for who starts jobs.
 */
@Component(property = CollModule.NAME + "=" + TreeModule.MODULE, configurationPid = TreeParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = TreeParameters.class)
@ProvidesCollectives(value = TreeModule.MODULE, operations = {
    "allreduce", "barrier", "bcast", "gather", "gatherv", "reduce", "scatter", "scatterv"})
public final class TreeModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "tree";
    /** Above what always can, below what is best for much data. */
    static final int PRIORITY = 20;
    /** The name of algorithms along k-nomial trees. */
    static final String KNOMIAL = "knomial";
    /** The name of algorithms along k-ary trees. */
    static final String KARY = "kary";

    /** Made by Declarative Services. */
    public TreeModule() {
        // nothing to acquire
    }

    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.isInter()) {
            return new QueryResult.Declined("a tree joins the ranks of one group, not of two");
        }
        final TreeParameters given = comm.job().parameters(TreeParameters.PID, TreeParameters.class);
        if (given.k() < TreeParameters.LEAST_K) {
            return tooLittle("k", given.k(), TreeParameters.LEAST_K);
        }
        if (given.branches() < TreeParameters.LEAST_K) {
            return tooLittle("branches", given.branches(), TreeParameters.LEAST_K);
        }
        if (given.segment() < TreeParameters.LEAST_SEGMENT) {
            return tooLittle("segment", given.segment(), TreeParameters.LEAST_SEGMENT);
        }
        if (given.window() < TreeParameters.LEAST_WINDOW) {
            return tooLittle("window", given.window(), TreeParameters.LEAST_WINDOW);
        }
        return QueryResult.usable(PRIORITY, table(new KnomialTree(given.k()), new KaryTree(given.branches()), given.segment(), given.window()));
    }

    private static QueryResult tooLittle(final String name, final int value, final int least) {
        return new QueryResult.Declined("parameter too small: " + TreeParameters.PID + "." + name + "=" + value + ", least=" + least);
    }

    /** Gatherv and scatterv without data on one rank may have some on another, so they are never skipped. */
    static AlgorithmTable table(final KnomialTree knomial, final KaryTree kary, final long segment, final int window) {
        final AlgorithmTable.Builder table = AlgorithmTable.builder()
            .intra(Operation.ALLREDUCE, KNOMIAL, new TreeAllreduce(knomial, segment), knomial.isCanonical() ? ReductionOrder.CANONICAL
                : ReductionOrder.RANKS)
            .intra(Operation.ALLREDUCE, KARY, new TreeAllreduce(kary, segment), ReductionOrder.RANKS)
            .intra(Operation.BARRIER, KNOMIAL, new TreeBarrier(knomial))
            .intra(Operation.BARRIER, KARY, new TreeBarrier(kary))
            .intra(Operation.BCAST, KNOMIAL, new TreeBcast(knomial, segment))
            .intra(Operation.BCAST, KARY, new TreeBcast(kary, segment))
            .intra(Operation.GATHER, KNOMIAL, new TreeGather(knomial))
            .intra(Operation.GATHER, KARY, new TreeGather(kary))
            .intra(Operation.GATHERV, ThrottledGatherv.NAME, new ThrottledGatherv(window))
            .intra(Operation.REDUCE, KNOMIAL, new TreeReduce(knomial, segment, false), ReductionOrder.RANKS)
            .intra(Operation.REDUCE, KARY, new TreeReduce(kary, segment, false), ReductionOrder.RANKS)
            .intra(Operation.SCATTER, KNOMIAL, new TreeScatter(knomial))
            .intra(Operation.SCATTER, KARY, new TreeScatter(kary))
            .intra(Operation.SCATTERV, ThrottledScatterv.NAME, new ThrottledScatterv(window));
        if (knomial.isCanonical()) {
            table.intra(Operation.REDUCE, TreeReduce.CANONICAL, new TreeReduce(knomial, segment, true), ReductionOrder.CANONICAL);
        }
        return table.skipEmpty(Operation.ALLREDUCE).skipEmpty(Operation.BCAST).skipEmpty(Operation.GATHER).skipEmpty(Operation.REDUCE)
            .skipEmpty(Operation.SCATTER).build();
    }
}
