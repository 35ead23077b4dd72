package com.example.coll.nest;

import java.util.Optional;
import org.osgi.service.component.annotations.Component;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Level;
import tutti.coll.ProvidesCollectives;
import tutti.coll.QueryResult;
import tutti.coll.advanced.SetupComm;

/**
 * A module that divides a communicator by its innermost level of locality: collectives within the domains, and among one rank of each. What it makes
 * is divided again, until no level is left: cores in a JVM, hosts in a rack, racks.
 */
@Component(service = CollModule.class, property = CollModule.NAME + "=" + NestModule.MODULE)
@ProvidesCollectives(value = NestModule.MODULE, operations = {"allreduce", "bcast"})
public final class NestModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "nest";
    /** Below module basic, which has 10: used when a job names it. */
    static final int PRIORITY = 5;

    /** Made by Declarative Services. */
    public NestModule() {
        // nothing to acquire
    }

    /** Declines, for reasons that are the same on all ranks, where no level divides the ranks: other modules serve there. */
    @Override
    public QueryResult query(final CollComm comm) {
        if (comm.isInter()) {
            return new QueryResult.Declined("intercommunicators are not supported: their groups are not nested");
        }
        final Optional<Level> level = dividing(comm);
        return level.isEmpty() ? new QueryResult.Declined("no level of locality divides the ranks: ranks=" + comm.size())
            : new QueryResult.Usable(PRIORITY, new NestInstance(SetupComm.of(comm), level.get()));
    }

    /** Returns the innermost level with several domains, one of which has several ranks. */
    private static Optional<Level> dividing(final CollComm comm) {
        return comm.levels().stream().filter(level -> level.domains() > 1 && level.domains() < comm.size()).findFirst();
    }
}
