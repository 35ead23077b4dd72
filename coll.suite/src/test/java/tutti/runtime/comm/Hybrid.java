package tutti.runtime.comm;

import java.util.stream.IntStream;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.coll.recexch.RecexchModule;
import tutti.coll.ring.RingModule;
import tutti.coll.smp.SmpModule;
import tutti.coll.tree.TreeModule;

/**
 * A module that is another one in each place: module smp over nodes and between groups, and two others on the hidden communicators that this makes.
 * The local group of an intercommunicator may be over several nodes again.
 *
 * @param within  serves the ranks of one node
 * @param between serves one rank of each node
 */
record Hybrid(CollModule within, CollModule between) implements CollModule {
    private static final SmpModule SMP = new SmpModule();

    /** Returns a module from the names of its parts: {@code tree+recexch} has module tree within nodes and recexch between them. */
    static Hybrid of(final String names) {
        final String[] both = names.split("\\+");
        return new Hybrid(named(both[0]), named(both[1]));
    }

    private static CollModule named(final String name) {
        return switch (name) {
            case "basic" -> new BasicModule();
            case "dissem" -> new DissemModule();
            case "recexch" -> new RecexchModule();
            case "ring" -> new RingModule();
            case "smp" -> SMP;
            case "tree" -> new TreeModule();
            default -> throw new IllegalArgumentException("no such module: name=" + name);
        };
    }

    @Override
    public QueryResult query(final CollComm comm) {
        final long nodes = IntStream.range(0, comm.size()).map(comm::nodeOf).distinct().count();
        return (comm.isInter() ? SMP : nodes == 1 ? within : nodes == comm.size() ? between : SMP).query(comm);
    }
}
