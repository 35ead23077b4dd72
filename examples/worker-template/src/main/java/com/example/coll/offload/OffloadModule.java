package com.example.coll.offload;

import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.coll.QueryResult;

/**
 * A module that reduces elsewhere: on a thread of its own, or in a stand-in for an offload engine.
 *
 * <p>The workers belong to the component: they start when it is activated and end when it is deactivated. All ranks of the node share them.
 */
@Component(property = CollModule.NAME + "=" + OffloadModule.MODULE)
@ProvidesCollectives(value = OffloadModule.MODULE, operations = "allreduce")
public final class OffloadModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "offload";
    /** Below module basic, which has 10: used when a job names it. */
    static final int PRIORITY = 5;

    private final ReducingThread thread = new ReducingThread();
    private final OffloadEngine engine = new OffloadEngine();

    /** Made by Declarative Services. */
    public OffloadModule() {
        // the workers start with the component
    }

    @Activate
    void start() {
        thread.start();
    }

    @Deactivate
    void stop() {
        thread.stop();
    }

    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.isInter()) {
            return new QueryResult.Declined("intercommunicators are not supported: two groups have no common root");
        }
        return QueryResult.usable(PRIORITY, AlgorithmTable.builder()
            .intra(Operation.ALLREDUCE, "thread", new LinearAllreduce(thread))
            .intra(Operation.ALLREDUCE, "engine", new LinearAllreduce(engine))
            .build());
    }
}
