package com.example.coll.aggregate;

import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.metatype.annotations.Designate;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;
import tutti.coll.QueryResult;
import tutti.coll.advanced.SetupComm;

/** A module whose collectives a device carries out, for which a server on rank 0 stands in. Stateless. */
@Component(service = CollModule.class, property = CollModule.NAME + "=" + AggregateModule.MODULE, configurationPid = AggregateParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = AggregateParameters.class)
@ProvidesCollectives(value = AggregateModule.MODULE, operations = {"allreduce", "barrier"})
public final class AggregateModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "aggregate";
    /** Below module basic, which has 10: used when a job names it. */
    static final int PRIORITY = 5;

    /** Made by Declarative Services. */
    public AggregateModule() {
        // nothing to acquire
    }

    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.isInter()) {
            return new QueryResult.Declined("intercommunicators are not supported: the device serves one group");
        }
        if (comm.size() == 1) {
            return new QueryResult.Declined("only one rank");
        }
        return new QueryResult.Usable(PRIORITY, new AggregateInstance(SetupComm.of(comm), comm.job().parameters(AggregateParameters.PID,
            AggregateParameters.class)));
    }
}
