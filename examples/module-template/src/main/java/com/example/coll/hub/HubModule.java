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
 * A module for few ranks: the root of a broadcast sends to every other rank directly.
 *
 * <p>Stateless. Parameters are set per job, so the component has no configuration. The declaration of the parameters serves to check them when a
 * job is launched.
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

    /** Called by every rank for every new communicator but duplicates of those it serves. The table may differ by communicator, but not by rank. */
    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.isInter()) {
            return new QueryResult.Declined("intercommunicators are not supported: two groups have no common root");
        }
        final AlgorithmTable.Builder table = AlgorithmTable.builder().intra(Operation.BARRIER, DisseminationBarrier.NAME, new DisseminationBarrier());
        if (comm.size() <= comm.job().parameters(HubParameters.PID, HubParameters.class).ranks()) {
            table.intra(Operation.BCAST, LinearBcast.NAME, new LinearBcast());
        }
        return QueryResult.usable(PRIORITY, table.build());
    }
}
