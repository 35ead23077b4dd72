package com.example.coll.hub;

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
 * A module for few ranks: the root of a broadcast talks to everybody itself.
 *
 * <p>Stateless. Its parameters are those of a job, so the component takes no configuration: the declaration is there for who starts jobs.
 */
@Component(property = CollModule.NAME + "=" + HubModule.MODULE, configurationPid = HubParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = HubParameters.class)
@ProvidesCollectives(value = HubModule.MODULE, operations = {"barrier", "bcast"})
public final class HubModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "hub";
    /** Above module basic, which has 10. */
    static final int PRIORITY = 20;

    /** Made by Declarative Services. */
    public HubModule() {
        // nothing to acquire
    }

    /** Asked by every rank for every new communicator; a table may differ from communicator to communicator. */
    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.isInter()) {
            return new QueryResult.Declined("the ranks of two groups have no hub in common");
        }
        final AlgorithmTable.Builder table = AlgorithmTable.builder().intra(Operation.BARRIER, DisseminationBarrier.NAME, new DisseminationBarrier());
        if (comm.size() <= comm.job().parameters(HubParameters.PID, HubParameters.class).ranks()) {
            table.intra(Operation.BCAST, LinearBcast.NAME, new LinearBcast()).skipEmpty(Operation.BCAST);
        }
        return QueryResult.usable(PRIORITY, table.build());
    }
}
