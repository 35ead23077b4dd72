package com.example.coll.nearest;

import java.util.Optional;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.metatype.annotations.Designate;
import tutti.coll.CollComm;
import tutti.coll.CollJob;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;
import tutti.coll.QueryResult;
import tutti.coll.advanced.SetupComm;
import tutti.coll.advanced.ThreadLevel;
import tutti.coll.advanced.ThreadRange;
import tutti.coll.advanced.ThreadSupport;

/**
 * A module that measures how near the ranks are to each other, and broadcasts along a chain in which each rank is followed by the nearest one.
 *
 * <p>Stateless: what was measured on a communicator is kept in its {@link NearestInstance}.
 */
@Component(service = CollModule.class, property = CollModule.NAME + "=" + NearestModule.MODULE, configurationPid = NearestParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = NearestParameters.class)
@ProvidesCollectives(value = NearestModule.MODULE, operations = "bcast")
public final class NearestModule implements CollModule, ThreadSupport {
    /** The module's name. */
    static final String MODULE = "nearest";
    /** Below module basic, which has 10: used when a job names it. Otherwise every communicator would be measured. */
    static final int PRIORITY = 5;

    private static final ThreadRange ONE_CALLER = new ThreadRange(ThreadLevel.SINGLE, ThreadLevel.SERIALIZED);

    /** Made by Declarative Services. */
    public NearestModule() {
        // nothing to acquire
    }

    /**
     * Returns all levels, or those up to SERIALIZED if the job wants quiet measurements. The module is as safe at level MULTIPLE as at others. But
     * there another thread of a rank may communicate while the rank measures, and the times then tell about that thread. At the levels below, all
     * ranks of a communicator do nothing else while it is created, except for requests that are still pending.
     *
     * <p>It is left to the job, because {@code MPI.Init} grants no level that one of its modules does not support.
     */
    @Override
    public Optional<ThreadRange> threads(final CollJob job, final ThreadLevel level) {
        return Optional.of(parameters(job).quiet() ? ONE_CALLER : ThreadRange.ALL);
    }

    /** Declines without communication, for reasons that are the same on all ranks. The instance measures only if it may be selected. */
    @Override
    public QueryResult query(final CollComm comm) {
        final NearestParameters parameters = parameters(comm.job());
        if (comm.isInter()) {
            return new QueryResult.Declined("intercommunicators are not supported: a chain has the ranks of one group");
        }
        if (comm.origin() == CollComm.Origin.HIDDEN) {
            return new QueryResult.Declined("hidden communicators are not measured: they are part of the set-up of another one");
        }
        if (comm.size() == 1) {
            return new QueryResult.Declined("only one rank");
        }
        if (comm.size() > parameters.ranks()) {
            return new QueryResult.Declined("too many ranks to measure: ranks=" + comm.size() + ", coll.nearest.ranks=" + parameters.ranks());
        }
        return new QueryResult.Usable(PRIORITY, new NearestInstance(SetupComm.of(comm), parameters));
    }

    private static NearestParameters parameters(final CollJob job) {
        return job.parameters(NearestParameters.PID, NearestParameters.class);
    }
}
