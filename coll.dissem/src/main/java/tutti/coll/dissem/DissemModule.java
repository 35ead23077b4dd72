package tutti.coll.dissem;

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
import tutti.coll.patterns.DisseminationBarrier;

/**
 * Dissemination module: collectives of all ranks with all ranks in the fewest rounds, with any radix. For small data.
 *
 * <p>Stateless. Parameters are set per job, so the component has no configuration. The declaration of the parameters serves to check them when a
 * job is launched.
 */
@Component(property = CollModule.NAME + "=" + DissemModule.MODULE, configurationPid = DissemParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = DissemParameters.class)
@ProvidesCollectives(value = DissemModule.MODULE, operations = {"allgather", "allgatherv", "alltoall", "barrier"})
public final class DissemModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "dissem";
    /** Above the fallback module {@code basic}. */
    static final int PRIORITY = 22;

    private static final Tunable K = Tunable.ranks("k", 2, 4, 8);

    /** Made by Declarative Services. */
    public DissemModule() {
        // nothing to acquire
    }

    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.isInter()) {
            return new QueryResult.Declined("intercommunicators are not supported: the algorithms need one cyclic order of all ranks");
        }
        final int k = comm.job().parameters(DissemParameters.PID, DissemParameters.class).k();
        if (k < DissemParameters.MIN_K) {
            return new QueryResult.Declined("radix too small: coll.dissem.k=" + k + ", least=" + DissemParameters.MIN_K);
        }
        return QueryResult.usable(PRIORITY, comm.job(), job -> table(job.parameters(DissemParameters.PID, DissemParameters.class).k()));
    }

    static AlgorithmTable table(final int radix) {
        final BruckAllgather allgather = new BruckAllgather(radix);
        return AlgorithmTable.builder()
            .intra(Operation.ALLGATHER, BruckAllgather.NAME, allgather, K)
            .intra(Operation.ALLGATHERV, BruckAllgather.NAME, allgather, K)
            .intra(Operation.ALLTOALL, BruckAlltoall.NAME, new BruckAlltoall(radix), K)
            .intra(Operation.BARRIER, "dissemination", new DisseminationBarrier(radix), K)
            .build();
    }
}
