package tutti.coll.smp;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.metatype.annotations.Designate;
import tutti.coll.CollComm;
import tutti.coll.CollJob;
import tutti.coll.CollModule;
import tutti.coll.Level;
import tutti.coll.ProvidesCollectives;
import tutti.coll.QueryResult;
import tutti.coll.Tunable;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.SetupComm;

/**
 * Module {@code smp}: shared memory within a node, hierarchical algorithms across nodes, and pipelined ones between two groups.
 *
 * <p>Stateless. Its parameters belong to a job, so the component itself takes no configuration. They are declared for the users who start jobs.
 */
@Component(property = CollModule.NAME + "=" + SmpModule.MODULE, configurationPid = SmpParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = SmpParameters.class)
@ProvidesCollectives(value = SmpModule.MODULE, operations = {
    "allgather", "allgatherv", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather", "gatherv", "reduce", "reduce_scatter",
    "reduce_scatter_block", "scan", "scatter"})
public final class SmpModule implements CollModule {
    /** The name of the module. */
    static final String MODULE = "smp";
    /** The priority, above that of all modules that ignore the locality of ranks. */
    static final int PRIORITY = 70;
    /** The fan-in of an algorithm, see {@link SmpParameters#fanin}. */
    static final Tunable FANIN = Tunable.ranks("fanin", 2, 4, 8, 16);
    /** The length of an algorithm's segments, see {@link SmpParameters#segment}. */
    static final Tunable SEGMENT = Tunable.bytes("segment", 16_384, 65_536, 262_144);

    /** Creates the module. Called by Declarative Services. */
    public SmpModule() {
        // nothing to acquire
    }

    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.size() == 1 && !comm.isInter()) {
            return new QueryResult.Declined("only one rank");
        }
        final SmpParameters p = of(comm.job());
        if (p.fanin() < 2 || Integer.bitCount(p.fanin()) > 1) {
            return new QueryResult.Declined("not a power of two, 2 or more: coll.smp.fanin=" + p.fanin());
        }
        if (p.small() < 0 || p.pack() < 0) {
            return new QueryResult.Declined("negative parameter: coll.smp.small=" + p.small() + ", coll.smp.pack=" + p.pack());
        }
        if (p.eager() < 0 || p.eager() > AdvancedPlan.MAX_SHARED) {
            return new QueryResult.Declined("out of range: coll.smp.eager=" + p.eager() + ", max=" + AdvancedPlan.MAX_SHARED);
        }
        if (p.segment() < SmpParameters.MIN_SEGMENT) {
            return new QueryResult.Declined("segment too short: coll.smp.segment=" + p.segment() + ", least=" + SmpParameters.MIN_SEGMENT);
        }
        if (comm.isInter()) {
            return QueryResult.usable(PRIORITY, comm.job(), job -> PipelinedTable.of(SetupComm.of(comm).local(), job));
        }
        final List<String> names = List.of(p.levels().split(","));
        if (!names.stream().allMatch(Level::isName)) {
            return new QueryResult.Declined("not names of levels of locality: coll.smp.levels=" + p.levels());
        }
        final Optional<Level> level = comm.levels().stream().filter(l -> names.contains(l.name()))
            .filter(l -> l.domains() > 1 && l.domains() < comm.size()).findFirst();
        if (level.isPresent()) {
            return new QueryResult.Usable(PRIORITY, new HierarchicalTable(SetupComm.of(comm), level.get()));
        }
        if (IntStream.range(1, comm.size()).allMatch(r -> comm.nodeOf(r) == comm.nodeOf(0))) {
            return QueryResult.usable(PRIORITY, comm.job(), job -> {
                final SmpParameters own = of(job);
                return new SingleNodeTable(own.fanin(), own.small(), own.segment(), Math.min(own.eager(), AdvancedPlan.MAX_SHARED)).table();
            });
        }
        return new QueryResult.Declined("no two ranks on one node: ranks=" + comm.size());
    }

    /** Returns the parameters of a job. */
    static SmpParameters of(final CollJob job) {
        return job.parameters(SmpParameters.PID, SmpParameters.class);
    }
}
