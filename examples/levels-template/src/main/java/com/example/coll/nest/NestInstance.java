package com.example.coll.nest;

import java.util.Objects;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollInstance;
import tutti.coll.Level;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;

/** The division of one communicator, on one rank. Duplicates have the same ranks, so it serves them too. */
final class NestInstance implements CollInstance {
    /** The name of both algorithms. */
    static final String NAME = "nested";

    private final SetupComm comm;
    private final Level level;
    /** The ranks of this rank's domain; null before {@link #init}. */
    private CollSubComm domain;
    /** One rank of each domain, in the order of domains; null before {@link #init}, and on other ranks. */
    private CollSubComm leaders;

    NestInstance(final SetupComm comm, final Level level) {
        this.comm = comm;
        this.level = level;
    }

    @Override
    public AlgorithmTable table() {
        return AlgorithmTable.builder()
            // the ranks of a domain need not be consecutive, so the order of ranks is not kept
            .intra(Operation.ALLREDUCE, NAME, new NestedAllreduce(this), ReductionOrder.ANY)
            .intra(Operation.BCAST, NAME, new NestedBcast(this)).build();
    }

    /** Divides the communicator. Modules are selected for the parts as for any communicator, this one among them. */
    @Override
    public AlgorithmTable init() {
        final int rank = comm.rank();
        domain = comm.split(level.name(), level.domainOf(rank), rank);
        leaders = comm.split("leaders", leads(rank) ? 0 : -1, rank);
        comm.logger().log(System.Logger.Level.DEBUG, "divided by {0}", level);
        return table();
    }

    @Override
    public boolean servesDuplicates() {
        return true;
    }

    Level level() {
        return level;
    }

    /** Returns whether a rank is the lowest one of its domain. */
    boolean leads(final int rank) {
        return level.ranksOf(level.domainOf(rank)).getFirst() == rank;
    }

    /** Returns whether a rank is the only one of its domain. */
    boolean isAlone(final int rank) {
        return level.ranksOf(level.domainOf(rank)).size() == 1;
    }

    CollSubComm domain() {
        return Objects.requireNonNull(domain, "plans are made after init");
    }

    CollSubComm leaders() {
        return Objects.requireNonNull(leaders, "only leaders plan with each other, after init");
    }
}
