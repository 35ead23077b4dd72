package tutti.coll.ring;

import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.metatype.annotations.Designate;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.coll.Table;
import tutti.coll.Verdict;

/**
 * The module that uses all links of a ring at once: fewest bytes per rank, a number of messages that grows with the ranks. For much data.
 *
 * <p>Stateless. Its parameters are those of a job, so the component takes no configuration: the declaration is there for who starts jobs.
 */
@Component(property = CollModule.NAME + "=" + RingModule.MODULE, configurationPid = RingParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = RingParameters.class)
@ProvidesCollectives(value = RingModule.MODULE, operations = {
    "allgather", "allgatherv", "allreduce", "bcast", "reduce_scatter", "reduce_scatter_block"})
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
    public Verdict query(final CollComm comm) {
        if (comm.isInter()) {
            return new Verdict.Declined("a ring joins the ranks of one group, not of two");
        }
        if (comm.size() < LEAST_RANKS) {
            return new Verdict.Declined("a ring needs " + LEAST_RANKS + " ranks: ranks=" + comm.size());
        }
        final int segment = comm.job().parameters(RingParameters.PID, RingParameters.class).segment();
        if (segment < RingParameters.LEAST_SEGMENT) {
            return new Verdict.Declined("segment too short: coll.ring.segment=" + segment + ", least=" + RingParameters.LEAST_SEGMENT);
        }
        return Verdict.usable(PRIORITY, table(segment));
    }

    static Table table(final long segment) {
        final RingReduceScatter reduceScatter = new RingReduceScatter(segment);
        final RingAllgather allgather = new RingAllgather(segment);
        return Table.builder()
            .intra(Operation.ALLGATHER, RingAllgather.NAME, allgather).skipEmpty(Operation.ALLGATHER)
            .intra(Operation.ALLGATHERV, RingAllgather.NAME, allgather).skipEmpty(Operation.ALLGATHERV)
            .intra(Operation.ALLREDUCE, RingAllreduce.NAME, new RingAllreduce(segment)).skipEmpty(Operation.ALLREDUCE)
            .intra(Operation.BCAST, PipelinedBcast.NAME, new PipelinedBcast(segment)).skipEmpty(Operation.BCAST)
            .intra(Operation.REDUCE_SCATTER, RingReduceScatter.NAME, reduceScatter).skipEmpty(Operation.REDUCE_SCATTER)
            .intra(Operation.REDUCE_SCATTER_BLOCK, RingReduceScatter.NAME, reduceScatter).skipEmpty(Operation.REDUCE_SCATTER_BLOCK)
            .build();
    }
}
